/** Requests audits from the fleet, and waits for their outcomes by notices and by polling. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { type AnalysisError, fromPlainError } from '../../contract/errors.ts';
import type { TraceContext } from '../../contract/trace.ts';
import type { AuditOptions, AuditRequest } from '../../measure/lighthouse/pool.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import type { Membership } from '../membership.ts';
import type { FleetContext } from './context.ts';
import { type Asked, type AuditJob, FleetGone, NobodyAudits, type Notice, toTopic, usualPatience } from './messages.ts';
import {
  deleteRow,
  enter,
  lookAtJobs,
  queueFull,
  type RemovedJob,
  readOutcome,
  removeJobs,
  type SeenJob,
} from './statements.ts';

export type Asker = {
  /**
   * @throws AnalysisError of the worker, or `queue_full`; FleetGone; the signal's reason, after which the audit is
   *   cancelled
   */
  ask(request: AuditRequest, options: AuditOptions, signal: AbortSignal): Promise<Asked>;
  readonly pending: number;
  onNotice(notice: Notice): void;
  /**
   * Polls immediately, and removes rows for which no client waits. Called when the database is available again or a
   * notice may be lost.
   */
  look(): void;
  /** Resolves when no audit is pending. */
  whenIdle(): Promise<void>;
  close(reason: AnalysisError): Promise<void>;
};

/** Max number of parallel insertions, because each occupies one of the few connections. */
const enteringAtOnce = 2;
const enterRetryMs = 500;
const mostTries = 3;
const lookMs = 1_500;
const tickMs = 500;
/** Max number of waiting audits for one whose request already had a slot. */
const noLimit = 1_000_000;

type Pending = {
  id: string;
  trace: TraceContext | undefined;
  onStart: AuditOptions['onStart'];
  onProgress: AuditOptions['onProgress'];
  position: number;
  hasStarted: boolean;
  isCollecting: boolean;
  /** Whether only machines with the ACCESS_KEY may run it. */
  isPrivate: boolean;
  end: PromiseWithResolvers<Asked>;
};

const lost = () => new FleetGone('The job is no longer in the queue.');

export function createAsker(
  { instance, queueName, database, notices, vault, tracePath, patience = usualPatience, ...settings }: FleetContext,
  membership: Pick<Membership, 'view'>,
  releaseArtifacts: (artifacts: string) => void,
): Asker {
  const { databaseMs, workersMs } = patience;
  const pending = new Map<string, Pending>();
  const { ask: askDatabase, suspect, silentForMs } = database.availability;
  const entering = new PQueue({ concurrency: enteringAtOnce });
  let closedFor: AnalysisError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let lookedAt = 0;
  let workersSeenAt = performance.now();
  let keysSeenAt = workersSeenAt;
  let whenIdle = Promise.withResolvers<void>();
  whenIdle.resolve();

  const settle = (one: Pending, { outcome, bytes }: NonNullable<Awaited<ReturnType<typeof readOutcome>>>): void => {
    if ('failure' in outcome) one.end.reject(fromPlainError(outcome.failure));
    else if (bytes) one.end.resolve({ ...outcome, bytes });
    else one.end.reject(lost());
  };

  /** Jobs whose outcome and artifacts a client has got, and whose rows may still exist. */
  const delivered = new Set<string>();
  /** Whether there may be rows for which no client waits. */
  let mayForget = false;

  const endRemoved = ({ id, worker, outcome }: RemovedJob): void => {
    if (delivered.has(id)) return;
    if (outcome && 'artifacts' in outcome && outcome.artifacts !== undefined) releaseArtifacts(outcome.artifacts);
    const notice: Notice = { job: id, event: 'cancelled' };
    if (!outcome && worker !== null) void notices.publish(toTopic(worker), notice);
  };

  /** Removes jobs, notifies their workers, and releases unneeded artifacts. @param ids undefined for all. Never throws */
  async function remove(ids?: readonly string[]): Promise<void> {
    if (ids?.length === 0) return;
    try {
      for (const job of await removeJobs(database, instance, ids)) endRemoved(job);
    } catch {
      mayForget = true;
      suspect();
    }
  }

  async function collect(one: Pending): Promise<void> {
    if (one.isCollecting) return;
    one.isCollecting = true;
    try {
      const read = await readOutcome(database, one.id);
      // The client may have disconnected in the meantime. If so, the row and its artifacts are removed.
      if (!read || !drop(one)) return;
      delivered.add(one.id);
      settle(one, read);
      await deleteRow(database, one.id);
      delivered.delete(one.id);
    } catch (error) {
      if (error instanceof StoreFaultError) suspect();
      // An outcome that cannot be decoded stays so: the analyser audits the page again.
      else one.end.reject(lost());
    } finally {
      one.isCollecting = false;
    }
  }

  const moveTo = (one: Pending, position: number): void => {
    if (position === one.position || one.hasStarted) return;
    one.position = position;
    one.onProgress?.({ event: 'queued', position });
  };

  function judge(one: Pending, seen: SeenJob | undefined): void {
    if (!seen) one.end.reject(lost());
    else if (seen.hasEnded) void collect(one);
    else if (seen.position !== null) moveTo(one, seen.position);
  }

  async function lookOnce(): Promise<void> {
    const asked = [...pending.values()].filter(({ id }) => !isEntering.has(id));
    try {
      const seen = await lookAtJobs(database, instance, queueName);
      for (const one of asked) if (pending.has(one.id)) judge(one, seen.get(one.id));
      // No client waits for these rows: the database's answer to their insertion or removal was lost.
      mayForget = false;
      await remove([...seen.keys()].filter(id => !pending.has(id)));
      if (!mayForget) delivered.clear();
    } catch {
      suspect();
    }
  }

  /** Audits whose insertion is not confirmed yet. A worker may start one before the confirmation arrives here. */
  const isEntering = new Set<string>();

  const look = (): void => {
    lookedAt = performance.now();
    if (pending.size === 0 && !mayForget && delivered.size === 0) return;
    looking ??= lookOnce().finally(() => {
      looking = undefined;
    });
  };

  const giveUp = (reason: FleetGone, whose: Iterable<Pending> = pending.values()): void => {
    for (const one of whose) one.end.reject(reason);
  };

  /** Ends the audits whose access no machine can open. */
  const giveUpLocked = (now: number): void => {
    const { isReachable, accessKeys } = membership.view();
    if (!isReachable || (vault && accessKeys.includes(vault.keyId))) keysSeenAt = now;
    if (now - keysSeenAt <= workersMs) return;
    const locked = [...pending.values()].filter(({ isPrivate }) => isPrivate);
    giveUp(new NobodyAudits('No machine that runs audits has this ACCESS_KEY.'), locked);
  };

  const tick = (): void => {
    const now = performance.now();
    const { isReachable, slots } = membership.view();
    if (!isReachable || slots > 0) workersSeenAt = now;
    giveUpLocked(now);
    if (!isReachable && silentForMs() > databaseMs) giveUp(new FleetGone('The database cannot be reached.'));
    else if (now - workersSeenAt > workersMs) giveUp(new NobodyAudits('No machine that runs audits is available.'));
    else if (isReachable && now - lookedAt > lookMs) look();
  };

  const add = (one: Pending): void => {
    if (pending.size === 0) {
      whenIdle = Promise.withResolvers();
      workersSeenAt = performance.now();
      keysSeenAt = workersSeenAt;
      timer = setInterval(tick, tickMs);
    }
    pending.set(one.id, one);
  };

  /** @returns false if it was removed before */
  const drop = (one: Pending): boolean => {
    if (!pending.delete(one.id)) return false;
    if (pending.size > 0) return true;
    clearInterval(timer);
    whenIdle.resolve();
    return true;
  };

  /** Describes an audit for the queue, which stores it: an access is sealed. */
  function toJob({ id, trace }: Pending, { access, ...request }: AuditRequest, options: AuditOptions): AuditJob {
    const { client = '', keepArtifacts = false, onProgress } = options;
    const wantsProgress = onProgress !== undefined;
    const plain = { owner: instance, client, request, keepArtifacts, wantsProgress, trace };
    if (!access) return plain;
    if (!vault) throw new Error('an access would be stored in the clear');
    return { ...plain, sealed: { key: vault.keyId, access: vault.seal(JSON.stringify(access), id) } };
  }

  async function enterQueue(one: Pending, request: AuditRequest, options: AuditOptions): Promise<number> {
    const { id } = one;
    if (closedFor) throw closedFor;
    if (!membership.view().isReachable) throw new FleetGone('The database cannot be reached.');
    const data = toJob(one, request, options);
    isEntering.add(id);
    add(one);
    try {
      const waitingPerMachine = options.isAdmitted ? noLimit : settings.waitingPerMachine;
      const place = { name: queueName, waitingPerMachine };
      const { isBatch = false } = options;
      const entered = await askDatabase(() => enter(database, { id, data, isBatch }, place));
      if ('position' in entered) return entered.position;
      throw queueFull('All audit slots are busy and the queue is full', entered.retryAfterSeconds);
    } catch (error) {
      drop(one);
      if (!(error instanceof StoreFaultError)) throw error;
      // The audit may be in the queue despite the error.
      mayForget = true;
      suspect();
      throw new FleetGone(error.message, { cause: error });
    } finally {
      isEntering.delete(id);
    }
  }

  /** Retries up to twice, because a fault may be temporary, unless the database is known to be unavailable. */
  async function enterPatiently(one: Pending, request: AuditRequest, options: AuditOptions, signal: AbortSignal) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await entering.add(() => {
          signal.throwIfAborted();
          return enterQueue(one, request, options);
        });
      } catch (error) {
        if (tries === mostTries || !(error instanceof FleetGone) || error.cause === undefined) throw error;
      }
      await delay(enterRetryMs);
      one.id = randomUUID();
    }
  }

  return {
    async ask(request, options, signal) {
      signal.throwIfAborted();
      const one: Pending = {
        id: randomUUID(),
        trace: tracePath?.current(),
        onStart: options.onStart,
        onProgress: options.onProgress,
        position: 0,
        hasStarted: false,
        isCollecting: false,
        isPrivate: Boolean(request.access),
        end: Promise.withResolvers(),
      };
      // The audit may end before its insertion is confirmed.
      one.end.promise.catch(() => {});
      const position = await enterPatiently(one, request, options, signal);
      const onAbort = () => one.end.reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else if (position > 0) moveTo(one, position);
      try {
        return await one.end.promise;
      } catch (error) {
        if (pending.has(one.id)) void remove([one.id]);
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
        drop(one);
      }
    },
    get pending() {
      return pending.size;
    },
    onNotice(notice) {
      const one = 'job' in notice ? pending.get(notice.job) : undefined;
      if (!one) return;
      if (notice.event === 'done') return void collect(one);
      if (notice.event === 'started') {
        one.hasStarted = true;
        one.onStart?.();
        one.onProgress?.({ event: 'started' });
      }
      if (notice.event === 'progress') one.onProgress?.({ event: 'progress', stage: notice.stage });
    },
    look,
    whenIdle: () => whenIdle.promise,
    async close(reason) {
      closedFor = reason;
      for (const one of pending.values()) one.end.reject(reason);
      await looking;
      await remove();
    },
  };
}
