/** Takes jobs of the fleet as slots come free, and runs them in the pool of this machine. */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Stage } from '../contract/progress.ts';
import { AnalysisError } from '../errors.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import type { ReadPage } from '../lighthouse/read-page.ts';
import type { HostConditions } from '../result/to-result.ts';
import type { Bytes } from '../threads/tasks.ts';
import { type Job, type JobQueue, ownLeaseMs, touchMs } from './boss.ts';
import type { FleetDatabase } from './database.ts';
import { type AuditJob, type AuditOutcome, type Notice, toTopic } from './job.ts';
import type { Notices } from './notices.ts';

export type Taker = {
  readonly running: number;
  /** The median of the last audits here; undefined before the first one. */
  stayMs(): number | undefined;
  /** There may be something to take: looks at once. */
  wake(): void;
  /** Ends a job that nobody wants any more. */
  cancel(id: string): void;
  /** Takes nothing new. */
  stop(): void;
  /** Settles when nothing runs. */
  whenIdle(): Promise<void>;
};

export type TakerSettings = {
  instance: string;
  slots: number;
  database: Pick<FleetDatabase, 'transaction'>;
  notices: Pick<Notices, 'publish'>;
  /** Undefined until the database was there for the first time. */
  queue: () => JobQueue<AuditJob> | undefined;
  pool: Pick<LocalAnalyser, 'audit' | 'release'>;
  /** Finds a page that failed in what Lighthouse gave, so that it is tried again here. */
  checkPage: (job: AuditJob) => ReadPage<object>;
  /** Tells where artifacts are needed, until they are released. */
  holdArtifacts: (artifacts: string, owner: string) => string;
  suspect: () => void;
  log: (event: string, facts: Record<string, unknown>) => void;
};

type Raw = { bytes: Bytes; conditions: HostConditions };
type Running = { job: Job<AuditJob>; control: AbortController; touchedAt: number };
type Ended = { outcome: AuditOutcome; bytes: Bytes | undefined; artifacts: string | undefined };

/** Where a notice of a new job was lost. Not all machines at the same instant. */
const pollMs = () => 1_500 + Math.random() * 1_000;
const leaseCheckMs = 500;
const deliverRetryMs = 500;
const remembered = 20;
const pack = promisify(gzip);

const toFailure = (error: unknown): AnalysisError =>
  error instanceof AnalysisError
    ? error
    : new AnalysisError('internal', 'The audit failed on its machine.', { source: 'lighthouse', cause: error });

/** Ends work without a word to whoever asked: somebody else has the job, or nobody wants it. */
class NotOurs extends Error {}

const markSql = `
  WITH marked AS (
    UPDATE audits SET worker = $1, attempt = given.attempt
    FROM unnest($2::uuid[], $3::int[]) AS given (id, attempt)
    WHERE audits.id = given.id AND audits.outcome IS NULL
    RETURNING audits.id, audits.owner, audits.attempt
  )
  SELECT id, pg_notify('rangelight:instance.' || owner,
    json_build_object('job', id, 'event', 'started', 'attempt', attempt)::text) FROM marked`;

const deliverSql = `
  WITH ended AS (
    UPDATE audits SET outcome = $2, content = $3 WHERE id = $1 RETURNING id, owner
  )
  SELECT pg_notify('rangelight:instance.' || owner, json_build_object('job', id, 'event', 'done')::text) FROM ended`;

export function createTaker(settings: TakerSettings): Taker {
  const { instance, slots, database, notices, pool, checkPage, holdArtifacts, suspect, log } = settings;
  const active = new Map<string, Running>();
  const stays: number[] = [];
  let isStopped = false;
  let taking: Promise<void> | undefined;
  let isAskedAgain = false;
  let pollTimer: NodeJS.Timeout | undefined;
  let leaseTimer: NodeJS.Timeout | undefined;
  let touchedAt = 0;
  let isTouching = false;
  let whenIdle = Promise.withResolvers<void>();
  whenIdle.resolve();

  const freeSlots = (): number => {
    const isHeld = [...active.values()].some(({ job }) => job.data.isExclusive);
    return isHeld ? 0 : slots - active.size;
  };

  const isHeld = ({ control, touchedAt }: Running): boolean =>
    !control.signal.aborted && performance.now() - touchedAt < ownLeaseMs;

  async function touch(queue: JobQueue<AuditJob>): Promise<void> {
    const sentAt = performance.now();
    touchedAt = sentAt;
    const touched = [...active.values()];
    try {
      const ours = await queue.touch(touched.map(({ job }) => job));
      for (const running of touched) {
        if (ours.has(running.job.id)) running.touchedAt = sentAt;
        else running.control.abort(new NotOurs('The job was cancelled, or another worker has it.'));
      }
    } catch {
      suspect();
    }
  }

  /** A process that was stopped for a while comes here first, and ends what it has lost meanwhile. */
  const checkLeases = (): void => {
    for (const running of active.values())
      if (!isHeld(running)) running.control.abort(new NotOurs('No sign of life has arrived for too long.'));
    const queue = settings.queue();
    if (!queue || isTouching || performance.now() - touchedAt < touchMs) return;
    isTouching = true;
    void touch(queue).finally(() => {
      isTouching = false;
    });
  };

  const readRaw =
    (job: AuditJob): ReadPage<Raw> =>
    async (bytes, conditions) => {
      const page = await checkPage(job)(bytes, conditions);
      return 'failure' in page ? (page as never) : { bytes, conditions };
    };

  async function measure({ job, control }: Running): Promise<Ended> {
    const { owner, client, request, isExclusive, keepArtifacts, wantsProgress } = job.data;
    const tell = (stage: Stage) =>
      void notices.publish(toTopic(owner), { job: job.id, event: 'progress', stage } satisfies Notice);
    const attempt = job.retryCount + 1;
    try {
      const { value, artifacts } = await pool.audit(request, readRaw(job.data), control.signal, {
        ...{ keepArtifacts, isExclusive, client },
        ...(wantsProgress ? { onProgress: progress => progress.event === 'progress' && tell(progress.stage) } : {}),
      });
      const held = artifacts === undefined ? undefined : holdArtifacts(artifacts, owner);
      return { outcome: { conditions: value.conditions, attempt, artifacts: held }, bytes: value.bytes, artifacts };
    } catch (error) {
      control.signal.throwIfAborted();
      if (!(error instanceof AnalysisError)) log('an audit of the fleet failed', { err: error });
      return { outcome: { failure: toFailure(error).toPlain() }, bytes: undefined, artifacts: undefined };
    }
  }

  /** The result and the end of the job are one: both are there, or neither. @returns false where it is not ours */
  const deliver = (queue: JobQueue<AuditJob>, { job }: Running, outcome: AuditOutcome, content: Buffer | null) =>
    database.transaction(async (_rows, query) => {
      const isOurs = await queue.complete(query, job);
      if (isOurs) await query(deliverSql, [job.id, JSON.stringify(outcome), content]);
      return isOurs;
    });

  /** Again and again while the database is gone, for as long as the job is ours. */
  async function deliverInTime(queue: JobQueue<AuditJob>, running: Running, { outcome, bytes }: Ended): Promise<void> {
    const content = bytes ? await pack(bytes, { level: 1 }) : null;
    while (isHeld(running)) {
      try {
        if (await deliver(queue, running, outcome, content)) return;
        break;
      } catch (error) {
        log('a result waits for the database', { err: error });
        suspect();
        await delay(deliverRetryMs);
      }
    }
    throw new NotOurs('The job was lost before its result was delivered.');
  }

  const isShutdown = ({ outcome }: Ended): boolean => 'failure' in outcome && outcome.failure.code === 'shutting_down';

  async function run(queue: JobQueue<AuditJob>, running: Running): Promise<void> {
    const since = performance.now();
    let artifacts: string | undefined;
    try {
      const ended = await measure(running);
      artifacts = ended.artifacts;
      // Another machine has the time that is over here.
      if (isShutdown(ended)) return await queue.fail(running.job, 'The worker shuts down.');
      await deliverInTime(queue, running, ended);
      if ('conditions' in ended.outcome) stays.push(Math.round(performance.now() - since));
      if (stays.length > remembered) stays.shift();
    } catch (error) {
      log('an audit of the fleet was given up', { err: error, job: running.job.id });
      if (artifacts !== undefined) await pool.release(artifacts);
    }
  }

  function start(queue: JobQueue<AuditJob>, running: Running): void {
    void run(queue, running).finally(() => {
      active.delete(running.job.id);
      if (active.size > 0) return wake();
      clearInterval(leaseTimer);
      leaseTimer = undefined;
      whenIdle.resolve();
      wake();
    });
  }

  async function take(queue: JobQueue<AuditJob>): Promise<void> {
    const free = freeSlots();
    if (isStopped || free <= 0) return;
    const sentAt = performance.now();
    const { jobs, wanted } = await database.transaction(async (_rows, query) => {
      const jobs = await queue.fetch(query, free);
      if (jobs.length === 0) return { jobs, wanted: new Set() };
      const { rows } = await query(markSql, [
        instance,
        jobs.map(({ id }) => id),
        jobs.map(({ retryCount }) => retryCount + 1),
      ]);
      const wanted = new Set(rows.map(({ id }) => id));
      const unwanted = jobs.filter(({ id }) => !wanted.has(id)).map(({ id }) => id);
      if (unwanted.length > 0) await queue.cancel(query, unwanted);
      return { jobs, wanted };
    });
    for (const job of jobs.filter(({ id }) => wanted.has(id))) {
      const running = { job, control: new AbortController(), touchedAt: sentAt };
      if (active.size === 0) whenIdle = Promise.withResolvers();
      active.set(job.id, running);
      leaseTimer ??= setInterval(checkLeases, leaseCheckMs);
      start(queue, running);
    }
  }

  async function takeAll(): Promise<void> {
    do {
      isAskedAgain = false;
      const queue = settings.queue();
      if (queue) await take(queue).catch(suspect);
    } while (isAskedAgain && !isStopped);
  }

  function wake(): void {
    clearTimeout(pollTimer);
    if (isStopped) return;
    pollTimer = setTimeout(wake, pollMs()).unref();
    if (taking) {
      isAskedAgain = true;
      return;
    }
    if (freeSlots() <= 0) return;
    taking = takeAll().finally(() => {
      taking = undefined;
    });
  }

  return {
    get running() {
      return active.size;
    },
    stayMs: () => stays.toSorted((a, b) => a - b)[Math.floor(stays.length / 2)],
    wake,
    cancel: id => active.get(id)?.control.abort(new NotOurs('Nobody wants the result any more.')),
    stop() {
      isStopped = true;
      clearTimeout(pollTimer);
    },
    async whenIdle() {
      await taking;
      await whenIdle.promise;
    },
  };
}
