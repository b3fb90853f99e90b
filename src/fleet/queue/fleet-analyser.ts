/** Runs local audits on any machine of the fleet: a LocalAnalyser in front of the pool of this machine. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AnalysisError, fromPlainError } from '../../contract/errors.ts';
import type { TracePath } from '../../contract/trace.ts';
import type { Failed } from '../../measure/lhr/measured.ts';
import type { LocalAnalyser, LocalStatus } from '../../measure/lighthouse/pool.ts';
import type { ReadPage } from '../../measure/lighthouse/read-page.ts';
import type { Vault } from '../../storage/access/vault.ts';
import type { FleetDatabase } from '../database.ts';
import { createMembership, type FleetView, type Role } from '../membership.ts';
import type { Notices } from '../notices.ts';
import { createCalls, createHeldArtifacts } from './artifact-calls.ts';
import { createAsker } from './asker.ts';
import {
  type Asked,
  type AuditJob,
  FleetGone,
  NobodyAudits,
  type Notice,
  type Patience,
  toJobsTopic,
  toQueueName,
  toTopic,
} from './messages.ts';
import { forgetTurns, giveBackLost, removeDeadInstances } from './statements.ts';
import { createTaker } from './taker.ts';

export type FleetSettings = {
  /** Database and notices. They are not closed here, because other parts of the instance use them. */
  database: FleetDatabase;
  notices: Notices;
  role: Role;
  version: string;
  /** Target rules. Instances audit only for others with the same rules. */
  targets: string | readonly string[];
  /** Max number of parallel audits on this machine. */
  slots: number;
  /** Max number of waiting audits per machine that audits. */
  waitingPerMachine: number;
  /** Time limit of one audit. */
  timeoutMs: number;
  /** Pool of this machine; undefined if it does not audit. */
  pool: LocalAnalyser | undefined;
  /** Detects a failure of the page in Lighthouse's result. */
  checkPage: (job: AuditJob) => ReadPage<object>;
  /** Seals the accesses of audits in the queue, and opens them; undefined without ACCESS_KEY. */
  vault?: Vault | undefined;
  patience?: Patience | undefined;
  /** Links the spans of an audit to the trace of its request, on any machine; undefined if tracing is off. */
  tracePath?: TracePath | undefined;
  log: (event: string, facts: Record<string, unknown>) => void;
};

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

const elsewhere = () =>
  new AnalysisError('lighthouse_unavailable', 'The artifacts of this load are on another machine.');

const isFailed = (page: object): page is Failed => 'failure' in page;

/** @throws StoreFaultError of code `newer_database`; an unavailable database does not prevent the start */
export async function createFleetAnalyser(settings: FleetSettings): Promise<FleetAnalyser> {
  const { database, notices, role, version, slots, pool, log, checkPage, timeoutMs, waitingPerMachine } = settings;
  const { tracePath, vault } = settings;
  const instance = randomUUID();
  const queueName = toQueueName(settings.targets);
  let isClosing = false;

  const held = createHeldArtifacts(async artifacts => pool?.release(artifacts));
  const toOwn = (artifacts: string) => `${instance}/${artifacts}`;
  const find = (artifacts: string): { at: string; id: string; isHere: boolean } => {
    const [at = '', id = ''] = artifacts.split('/');
    return { at, id, isHere: at === instance };
  };

  const reAuditHere: LocalAnalyser['reAudit'] = (artifacts, changes, signal) => {
    if (pool) return pool.reAudit(artifacts, changes, signal);
    throw new AnalysisError('lighthouse_unavailable', 'This machine does not run audits.', { source: 'lighthouse' });
  };
  const calls = createCalls({ instance, database, notices, reAuditHere, releaseHere: held.release, tracePath, log });
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

  const membership = createMembership(database, {
    id: instance,
    name: hostname(),
    role,
    version,
    queue: queueName,
    slots: pool ? slots : 0,
    accessKeys: pool ? (vault?.keyIds ?? []) : [],
    stayMs: () => taker?.stayMs(),
    async removeDead(ids) {
      const cancelled = (id: string): Notice => ({ job: id, event: 'cancelled' });
      for (const { id, worker } of await removeDeadInstances(database, ids))
        if (worker !== null) void notices.publish(toTopic(worker), cancelled(id));
    },
    giveBackLost: () => giveBackLost(database, queueName),
    beforeBeat: () => taker?.beforeBeat() ?? (() => {}),
    onContact,
  });
  const asker = createAsker({
    instance,
    queueName,
    database,
    notices,
    membership,
    waitingPerMachine,
    patience: settings.patience,
    vault,
    releaseArtifacts: artifacts => void release(artifacts),
    tracePath,
  });
  const taker =
    pool &&
    createTaker({
      instance,
      queueName,
      slots,
      database,
      notices,
      pool,
      vault,
      checkPage,
      // The pool itself retries once. The last repeat of a disturbed load starts within the first time limit, and may
      // wait for another audit with its own limit. An audit that takes longer has hung.
      longestMs: 3 * timeoutMs + 60_000,
      suspect: database.availability.suspect,
      silentForMs: membership.silentForMs,
      log,
      releaseArtifacts: held.release,
      tracePath,
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
  if (taker) notices.subscribe(toJobsTopic(queueName), called => isCalled(instance, called) && taker.wake());
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
    async readFacts(artifacts, signal) {
      const { id, isHere } = find(artifacts);
      if (pool && isHere) return pool.readFacts(id, signal);
      throw elsewhere();
    },
    async whatIf(artifacts, order, signal) {
      const { id, isHere } = find(artifacts);
      if (pool && isHere) return pool.whatIf(id, order, signal);
      throw elsewhere();
    },
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
