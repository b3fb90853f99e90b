/**
 * Calls from one instance to another. Artifacts are on the disk of the machine that audited, so they are audited again
 * and removed there, without the queue.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AnalysisError, fromPlainError, type PlainError } from '../../contract/errors.ts';
import type { TraceContext } from '../../contract/trace.ts';
import type { ReAuditSettings } from '../../measure/lighthouse/messages.ts';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ReAuditResult } from '../../measure/lighthouse/replies.ts';
import { nowMs } from '../migrations.ts';
import type { FleetContext } from './context.ts';
import { leaseMs, type Notice, toTopic } from './messages.ts';

/*
 * Retains artifacts on this machine for another instance, until that instance releases them or is dead, or an hour has
 * passed.
 */

type HeldArtifacts = {
  hold(artifacts: string, owner: string): void;
  release(artifacts: string): Promise<void>;
  /** Releases artifacts that no instance needs any more. @param known ids of all instances, except those found dead */
  sweep(known: readonly string[]): void;
};

const mostMs = 3_600_000;

export function createHeldArtifacts(releaseHere: (artifacts: string) => Promise<void>): HeldArtifacts {
  const held = new Map<string, { owner: string; since: number }>();

  const release = async (artifacts: string): Promise<void> => {
    held.delete(artifacts);
    await releaseHere(artifacts);
  };

  return {
    hold: (artifacts, owner) => void held.set(artifacts, { owner, since: performance.now() }),
    release,
    sweep(known) {
      const oldest = performance.now() - mostMs;
      for (const [artifacts, { owner, since }] of held)
        if (!known.includes(owner) || since < oldest) release(artifacts).catch(() => {});
    },
  };
}

type ArtifactRequest =
  | { kind: 'reAudit'; artifacts: string; settings: readonly ReAuditSettings[]; trace?: TraceContext | undefined }
  | { kind: 'release'; artifacts: string };
type ArtifactAnswer = { results: readonly ReAuditResult[] } | { failure: PlainError };

export type Calls = {
  /** @throws AnalysisError if the instance is dead, does not answer in time, or failed; the signal's reason */
  reAudit(
    callee: string,
    artifacts: string,
    settings: readonly ReAuditSettings[],
    signal: AbortSignal,
  ): Promise<readonly ReAuditResult[]>;
  /** Releases artifacts on another instance. Never throws: a dead instance has no artifacts. */
  release(callee: string, artifacts: string): Promise<void>;
  onNotice(notice: Notice): void;
  /** Polls for calls by other instances. */
  look(): void;
  /** Closes, and reports to all callers that the artifacts of this machine no longer exist. */
  close(): Promise<void>;
};

/** Timeout for an answer. A slot is free within 20 s, and a re-audit takes at most 10 s. */
const answerMs = 35_000;
const lookMs = 2_000;

const notAgain = (reason: string, cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', `The load could not be audited again: ${reason}.`, {
    source: 'lighthouse',
    cause,
  });

const callSql = `
  INSERT INTO calls (id, callee, owner, request, called_at)
  SELECT $1, $2, $3, $4, ${nowMs} FROM instances WHERE id = $2 AND seen_at > ${nowMs} - ${leaseMs}
  RETURNING pg_notify('rangelight:instance.' || $2, json_build_object('call', $1::text, 'event', 'called')::text)`;

const takeSql = 'UPDATE calls SET is_taken = 1 WHERE callee = $1 AND is_taken = 0 RETURNING id, owner, request';

type CallHandlers = {
  reAuditHere: LocalAnalyser['reAudit'];
  releaseHere: (artifacts: string) => Promise<void>;
};

export function createCalls(
  { instance, database, notices, tracePath, log }: FleetContext,
  { reAuditHere, releaseHere }: CallHandlers,
): Calls {
  /** Calls of other instances that run here. They are aborted when they are withdrawn. */
  const answering = new Map<string, AbortController>();
  const waiting = new Map<string, () => void>();

  const tell = (to: string, notice: Notice) => notices.publish(toTopic(to), notice);

  async function answer(id: string, owner: string, request: ArtifactRequest): Promise<void> {
    if (request.kind === 'release') {
      await releaseHere(request.artifacts);
      return void (await database.query('DELETE FROM calls WHERE id = $1', [id]));
    }
    const control = new AbortController();
    answering.set(id, control);
    let outcome: ArtifactAnswer;
    try {
      const reAudit = () => reAuditHere(request.artifacts, request.settings, control.signal);
      outcome = { results: await (tracePath ? tracePath.within(request.trace, reAudit) : reAudit()) };
    } catch (error) {
      const failure = error instanceof AnalysisError ? error : notAgain('it failed', error);
      outcome = { failure: failure.toPlain() };
    } finally {
      answering.delete(id);
    }
    await database.query('UPDATE calls SET outcome = $2 WHERE id = $1', [id, JSON.stringify(outcome)]);
    await tell(owner, { call: id, event: 'answered' });
  }

  async function takeCalls(): Promise<void> {
    try {
      const { rows } = await database.query(takeSql, [instance]);
      for (const { id, owner, request } of rows as { id: string; owner: string; request: string }[])
        answer(id, owner, JSON.parse(request)).catch(err => log('a call could not be answered', { err }));
    } catch {
      // The next poll reads them.
    }
  }

  const place = async (callee: string, request: ArtifactRequest): Promise<string | undefined> => {
    const id = randomUUID();
    const { rows } = await database.query(callSql, [id, callee, instance, JSON.stringify(request)]);
    return rows.length > 0 ? id : undefined;
  };

  async function readAnswer(id: string): Promise<ArtifactAnswer | undefined> {
    const { rows } = await database.query('SELECT outcome FROM calls WHERE id = $1', [id]);
    if (rows.length === 0) throw notAgain('the machine that has its artifacts is gone');
    const text = rows[0]?.outcome;
    return typeof text === 'string' ? (JSON.parse(text) as ArtifactAnswer) : undefined;
  }

  /** Waits until there is a notice, or it is time to poll. */
  const pause = async (id: string, signal: AbortSignal): Promise<void> => {
    const answered = new AbortController();
    waiting.set(id, () => answered.abort());
    await delay(lookMs, undefined, { signal: AbortSignal.any([signal, answered.signal]) }).catch(() => {});
    waiting.delete(id);
  };

  async function waitForAnswer(id: string, signal: AbortSignal): Promise<ArtifactAnswer> {
    for (;;) {
      const answered = await readAnswer(id);
      if (answered) return answered;
      await pause(id, signal);
      signal.throwIfAborted();
    }
  }

  return {
    async reAudit(callee, artifacts, changes, signal) {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
      let id: string | undefined;
      try {
        const trace = tracePath?.current();
        id = await place(callee, { kind: 'reAudit', artifacts, settings: changes, trace });
        if (id === undefined) throw notAgain('the machine that has its artifacts is gone');
        const answered = await waitForAnswer(id, ends);
        if ('failure' in answered) throw fromPlainError(answered.failure);
        return answered.results;
      } catch (error) {
        if (id !== undefined) void tell(callee, { call: id, event: 'withdrawn' });
        signal.throwIfAborted();
        throw error instanceof AnalysisError ? error : notAgain('it took too long or failed', error);
      } finally {
        if (id !== undefined) database.query('DELETE FROM calls WHERE id = $1', [id]).catch(() => {});
      }
    },
    async release(callee, artifacts) {
      // If this is lost with the database, the instance that has the artifacts checks whether this one is still alive.
      await place(callee, { kind: 'release', artifacts }).catch(() => {});
    },
    onNotice(notice) {
      if (!('call' in notice)) return;
      if (notice.event === 'called') void takeCalls();
      if (notice.event === 'answered') waiting.get(notice.call)?.();
      if (notice.event === 'withdrawn') answering.get(notice.call)?.abort(notAgain('its client disconnected'));
    },
    look: () => void takeCalls(),
    async close() {
      await database.query('DELETE FROM calls WHERE callee = $1 AND outcome IS NULL', [instance]).catch(() => {});
    },
  };
}
