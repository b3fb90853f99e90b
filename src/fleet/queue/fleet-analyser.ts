/** Runs local audits on any machine of the fleet: a LocalAnalyser in front of the pool of this machine. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AnalysisError, fromPlainError } from '../../contract/errors.ts';
import type { Failed } from '../../measure/lhr/measured.ts';
import type { LocalAnalyser, LocalStatus } from '../../measure/lighthouse/pool.ts';
import type { ReadPage } from '../../measure/lighthouse/read-page.ts';
import { createMembership, type FleetView, type Role } from '../membership.ts';
import { createCalls, createHeldArtifacts } from './artifact-calls.ts';
import { createAsker } from './asker.ts';
import type { FleetContext, FleetSettings } from './context.ts';
import { type Asked, FleetGone, NobodyAudits, type Notice, toJobsTopic, toQueueName, toTopic } from './messages.ts';
import { forgetTurns } from './statements.ts';
import { createTaker } from './taker.ts';

export type FleetStatus = FleetView & { role: Role; instance: string };

export type FleetAnalyser = LocalAnalyser & { fleet(): FleetStatus };

const lastWordsMs = 1_000;
const forgetMs = 60_000;

const queueUnavailable = (cause: unknown) => {
  const fault =
    cause instanceof NobodyAudits ? 'No machine of the fleet runs audits' : 'The queue of the fleet cannot be used';
  const facts = { source: 'lighthouse', retryAfterSeconds: 10, cause } as const;
  return new AnalysisError('queue_unavailable', `${fault} now, and this one has no browser. Retry in 10 s.`, facts);
};

const shuttingDown = () =>
  new AnalysisError('shutting_down', 'The service is shutting down.', { source: 'lighthouse', retryAfterSeconds: 5 });

/** Returns whether an instance is notified of a new job. Other instances find it when they poll. */
const isCalled = (instance: string, called: unknown): boolean => !Array.isArray(called) || called.includes(instance);

const isFailed = (page: object): page is Failed => 'failure' in page;

/** @throws StoreFaultError of code `newer_database`; an unavailable database does not prevent the start */
export async function createFleetAnalyser(settings: FleetSettings): Promise<FleetAnalyser> {
  const { database, notices, role, pool, log, vault } = settings;
  const instance = randomUUID();
  const context: FleetContext = { ...settings, instance, queueName: toQueueName(settings.targets) };
  let isClosing = false;

  const held = createHeldArtifacts(async artifacts => pool?.release(artifacts));
  const toOwn = (artifacts: string) => `${instance}/${artifacts}`;
  const find = (artifacts: string): { at: string; id: string; isHere: boolean } => {
    const [at = '', id = ''] = artifacts.split('/');
    return { at, id, isHere: at === instance };
  };

  /** @throws AnalysisError if another machine has the artifacts */
  const poolWith = (artifacts: string): LocalAnalyser => {
    if (pool && find(artifacts).isHere) return pool;
    throw new AnalysisError('lighthouse_unavailable', 'The artifacts of this load are on another machine.');
  };
  const reAuditHere: LocalAnalyser['reAudit'] = (artifacts, changes, signal) => {
    if (pool) return pool.reAudit(artifacts, changes, signal);
    throw new AnalysisError('lighthouse_unavailable', 'This machine does not run audits.', { source: 'lighthouse' });
  };
  const calls = createCalls(context, { reAuditHere, releaseHere: held.release });
  const release = async (artifacts: string): Promise<void> => {
    const { at, id, isHere } = find(artifacts);
    await (isHere ? held.release(id) : calls.release(at, id));
  };

  let forgottenAt = Number.NEGATIVE_INFINITY;

  const onContact = (known: readonly string[]): void => {
    asker.look();
    calls.look();
    held.sweep(known);
    if (performance.now() - forgottenAt < forgetMs) return;
    forgottenAt = performance.now();
    forgetTurns(database).catch(database.availability.suspect);
  };

  const membership = createMembership(context, {
    stayMs: () => taker?.stayMs(),
    beforeBeat: () => taker?.beforeBeat() ?? (() => {}),
    onContact,
  });
  const asker = createAsker(context, membership, artifacts => void release(artifacts));
  const taker =
    pool &&
    createTaker(context, pool, {
      silentForMs: membership.silentForMs,
      releaseArtifacts: held.release,
      holdArtifacts(artifacts, owner) {
        held.hold(artifacts, owner);
        return toOwn(artifacts);
      },
    });

  const onNotice = (payload: unknown): void => {
    const notice = payload as Notice;
    if ('call' in notice) calls.onNotice(notice);
    else if (notice.event === 'cancelled') taker?.cancel(notice.job);
    else asker.onNotice(notice);
  };

  await database.open().catch(error => {
    // Only a database of a newer version prevents the start. Other faults may be temporary.
    if (error.code === 'newer_database') throw error;
  });
  notices.subscribe(toTopic(instance), onNotice);
  if (taker) notices.subscribe(toJobsTopic(context.queueName), called => isCalled(instance, called) && taker.wake());
  notices.onReconnect(() => {
    asker.look();
    taker?.wake();
  });
  await membership.start();
  taker?.wake();

  /** Reads the bytes of an audit that the queue assigned to any machine, including this one. */
  async function read<T extends object>(asked: Asked, readPage: ReadPage<T>) {
    const { bytes, conditions, attempt, artifacts, repeated } = asked;
    try {
      const page = await readPage(bytes, { ...conditions, attempt });
      if (isFailed(page)) throw fromPlainError(page.failure).from('lighthouse');
      return { value: page, artifacts, repeated };
    } catch (error) {
      if (artifacts !== undefined) void release(artifacts);
      throw error;
    }
  }

  /** Audits only with the slots of this machine, if it has any. */
  const auditHere =
    (reason: unknown): LocalAnalyser['audit'] =>
    async (request, readPage, signal, options) => {
      if (!pool) throw queueUnavailable(reason);
      if (!options?.isHere) log('an audit runs here, without the fleet', { err: reason });
      const { value, artifacts, repeated } = await pool.audit(request, readPage, signal, options);
      return { value, artifacts: artifacts === undefined ? undefined : toOwn(artifacts), repeated };
    };

  return {
    async audit(request, readPage, signal, options = {}) {
      if (isClosing) throw shuttingDown();
      // The queue stores its audits, and secrets are never stored as text.
      if (options.isHere || (request.access && !vault))
        return auditHere(undefined)(request, readPage, signal, { ...options, isHere: true });
      try {
        return await read(await asker.ask(request, options, signal), readPage);
      } catch (error) {
        if (!(error instanceof FleetGone)) throw error;
        if (isClosing) throw shuttingDown();
        return auditHere(error)(request, readPage, signal, options);
      }
    },
    async reAudit(artifacts, changes, signal) {
      const { at, id, isHere } = find(artifacts);
      return isHere ? reAuditHere(id, changes, signal) : calls.reAudit(at, id, changes, signal);
    },
    readFacts: async (artifacts, signal) => poolWith(artifacts).readFacts(find(artifacts).id, signal),
    whatIf: async (artifacts, order, signal) => poolWith(artifacts).whatIf(find(artifacts).id, order, signal),
    filesOf(artifacts) {
      const { id, isHere } = find(artifacts);
      return isHere ? pool?.filesOf(id) : undefined;
    },
    async adopt(packed) {
      const artifacts = await pool?.adopt(packed);
      return artifacts === undefined ? undefined : toOwn(artifacts);
    },
    release,
    warmUp: async () => pool?.warmUp(),
    status(): LocalStatus {
      if (pool) return pool.status();
      const { isReachable, slots: all, running, waiting: queued } = membership.view();
      const available = isReachable && all > 0;
      return { available, browser: null, sandbox: 'untested', running, queued, parallel_limit: Math.max(1, all) };
    },
    fleet: () => ({ role, instance, ...membership.view() }),
    async close(graceMs) {
      isClosing = true;
      taker?.stop();
      const isOver = new AbortController();
      const end = performance.now() + graceMs;
      const idle = Promise.all([asker.whenIdle(), taker?.whenIdle()]);
      await Promise.race([idle, delay(graceMs, undefined, { signal: isOver.signal }).catch(() => {})]);
      isOver.abort();
      await asker.close(shuttingDown());
      await pool?.close(Math.max(0, end - performance.now()));
      // Audits that the pool has killed are returned to the queue.
      await Promise.race([taker?.whenIdle(), delay(lastWordsMs)]);
      await membership.close();
      // From here on, no other instance can call this one. Closing does not wait for an unavailable database.
      if (membership.view().isReachable) await calls.close();
    },
  };
}
