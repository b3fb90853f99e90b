/**
 * Works on the jobs in the tables, in a loop: publishes what this instance accepts, claims jobs, starts due schedules,
 * sends callbacks, and removes what is old.
 */
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import type { CallbackFormat } from '../../contract/names.ts';
import type { DialNetwork } from '../../measure/egress/dial.ts';
import type { FairSlots } from '../../measure/fair-turns.ts';
import type { TargetPolicy } from '../../measure/targets/policy.ts';
import type { Vault } from '../../storage/access/vault.ts';
import type { SqlDatabase } from '../../storage/database/sql.ts';
import type { SetTimer as Timer } from '../../storage/results/recovery.ts';
import { createResultId } from '../../storage/results/result-id.ts';
import type { StoreClock } from '../../storage/results/store-clock.ts';
import { createDeliveries, type OnTried } from '../callbacks/deliver.ts';
import { type Job, sumOf } from '../job.ts';
import { surelyTakes, type Takers, type Takes, toPublished, whyWaiting } from '../job-policy.ts';
import { interruptedProblem } from '../problems.ts';
import type { ReadShown } from '../schedules/alerts.ts';
import { bringNear, fireDue } from '../schedules/fire.ts';
import type { CompareRuns } from '../schedules/run-changes.ts';
import { countLate, countUnfinishedGroups, readNextDelivery, readNextDue, readTakers, toTaker } from '../statements.ts';
import { readEndedExperiment } from '../to-experiment-answer.ts';
import { createDispatcher } from './dispatcher.ts';
import { finishJob } from './finish-job.ts';
import { createPatientDatabase } from './patient-database.ts';
import { repeatTask } from './repeat-task.ts';
import { type JobWork, runJob } from './run-job.ts';
import type { RunPage } from './run-page.ts';
import { createJobSweeper } from './sweep-jobs.ts';

/** Unfinished work in the tables, of all clients and instances. */
export type Backlog = {
  /** Number of unfinished jobs. `pages` counts their unfinished pages. */
  jobs: number;
  pages: number;
  /** Number of jobs that no running instance accepts. */
  stalled: number;
  /** Number of schedules that should have started a run a few minutes ago. */
  lateSchedules: number;
};

export type JobsOverrides = {
  now?: (() => number) | undefined;
  /** Timer for the pauses between two polls. */
  timer?: Timer | undefined;
  /** Silence in milliseconds after which an owner counts as dead. */
  takeOverMs?: number | undefined;
  /** Delay after the first try of a callback, in milliseconds. */
  callbackFirstMs?: number | undefined;
};

/** The clock that jobs use: see results/store-clock.ts. */
type JobsClock = Pick<StoreClock, 'now' | 'storedAtMs' | 'observe' | 'mayAct' | 'doubt'>;

export type JobsParts = {
  database: SqlDatabase;
  /** Clock of the store; undefined if the database ends with the process, and for tests with their own clock. */
  clock?: JobsClock | undefined;
  /** Whether the database outlives the process, so that jobs can continue after a restart. */
  isLasting: boolean;
  runPage: RunPage;
  laneOf: (job: Job) => FairSlots;
  network: DialNetwork;
  policy: TargetPolicy;
  /** Whether clients may be on other machines. */
  hidesInside: boolean;
  takes: Takes;
  callbackKey: Uint8Array | undefined;
  /** Seals the secrets of jobs; undefined without ACCESS_KEY. */
  vault?: Vault | undefined;
  compare: CompareRuns | undefined;
  /** Reads histories for messages; undefined if results are not stored. */
  readShown?: ReadShown | undefined;
  /** Stores the answer of a finished experiment. Never throws. */
  keepExperiment?: ((answer: ExperimentAnswer) => Promise<void>) | undefined;
  /** Replaces the dispatcher, which distributes jobs across instances. */
  createDispatcher?: typeof createDispatcher | undefined;
  onFailure: (job: Job, error: unknown) => void;
  onTried: OnTried;
  onRemoved?: ((count: number) => void) | undefined;
} & JobsOverrides;

/**
 * Interval at which an instance publishes which jobs it accepts, and the silence after which others stop relying on it.
 */
const publishMs = 60_000;
const silentMs = 5 * 60_000;
const lateMs = 5 * 60_000;
const busyMs = 2000;
/** Polling interval when idle, because other instances may have added work. */
const idleInFleetMs = 3000;
const idleMs = 60_000;
const leastMs = 200;
const nearEveryMs = 60_000;
/** Max number of attempts, after which the job is abandoned because no instance has finished it. */
const mostAttempts = 100;
const closeMs = 1500;

const toOwnClock = (now: () => number): JobsClock => ({
  now,
  storedAtMs: () => undefined,
  observe: async () => {},
  mayAct: () => true,
  doubt: undefined,
});

/** @param changed called after each change of a job */
export function createJobWorker(
  { database, clock: storeClock, now: ownNow, ...parts }: JobsParts,
  changed: (jobId: string) => void,
) {
  const clock = ownNow || !storeClock ? toOwnClock(ownNow ?? Date.now) : storeClock;
  const { now } = clock;
  /**
   * Returns the newest known time, because a clock that is behind would make a finished job old enough to be removed
   * immediately.
   */
  const nowForEnd = (): number => Math.max(now(), clock.storedAtMs() ?? 0);
  const closing = new AbortController();
  const patient = createPatientDatabase(database, closing.signal);
  const owner = createResultId();
  const takes = toPublished(parts.takes);
  let isDraining = false;
  let backlog: Backlog = { jobs: 0, pages: 0, stalled: 0, lateSchedules: 0 };
  let publishedAtMs: number | undefined;

  const run = async (work: JobWork): Promise<void> => {
    const { job, signal } = work;
    const { runPage, laneOf, compare, readShown } = parts;
    const isAbandoned = job.attempt > mostAttempts;
    if (!isAbandoned) {
      await runJob({ database: patient, runPage, laneOf, changed, now }, work);
      // The answer is stored before the job ends. If the process ends in between, the job is claimed again.
      const answer = await patient.ask(rows => readEndedExperiment(rows, job.id, nowForEnd()));
      if (answer) await parts.keepExperiment?.(answer);
    }
    const detail = `The service started the job ${mostAttempts} times, and it never ended.`;
    const failure = isAbandoned ? { ...interruptedProblem(), detail } : undefined;
    await finishJob({ database: patient, compare, readShown, now: nowForEnd, failure }, job, owner, signal);
    changed(job.id);
    workLoop.wake();
  };

  const dispatcher = (parts.createDispatcher ?? createDispatcher)({
    database,
    owner,
    takes,
    run,
    onFailure: parts.onFailure,
    takeOverMs: parts.takeOverMs,
  });
  const deliveries = createDeliveries({
    database,
    takes,
    now,
    network: parts.network,
    policy: parts.policy,
    hidesInside: parts.hidesInside,
    key: parts.callbackKey,
    firstMs: parts.callbackFirstMs,
    onTried: (...tried) => {
      parts.onTried(...tried);
      workLoop.wake();
    },
  });

  const sweeper = createJobSweeper(database, {
    now,
    mayRemove: () => clock.doubt === undefined,
    onRemoved: parts.onRemoved ?? (() => {}),
  });

  let broughtNearAtMs = 0;
  const bringNearAtTimes = async (): Promise<void> => {
    // The absolute difference also covers a clock that was set back.
    if (Math.abs(now() - broughtNearAtMs) < nearEveryMs) return;
    await bringNear(database, now());
    broughtNearAtMs = now();
  };

  const readAllTakers = (): Promise<Takers> => readTakers(database, { own: takes, nowMs: now(), silentMs });

  async function publish(): Promise<void> {
    const nowMs = now();
    if (publishedAtMs !== undefined && Math.abs(nowMs - publishedAtMs) < publishMs) return;
    await database.write([toTaker(takes, nowMs)]);
    publishedAtMs = nowMs;
  }

  async function takeStock(): Promise<void> {
    const groups = await countUnfinishedGroups(database);
    const others = groups.filter(group => !surelyTakes(takes, group));
    const takers = others.length > 0 ? await readAllTakers() : undefined;
    const stalled = others.filter(group => takers && whyWaiting(takers, group) !== null);
    backlog = {
      jobs: sumOf(groups, 'count'),
      pages: sumOf(groups, 'pages'),
      stalled: sumOf(stalled, 'count'),
      lateSchedules: await countLate(database, now() - lateMs),
    };
  }

  /** @returns how long to wait until the next call, in milliseconds */
  const work = async (): Promise<number> => {
    try {
      // Jobs can be read even if the database is read-only.
      await publish().catch(() => {});
      await dispatcher.tick();
      if (isDraining) return busyMs;
      await clock.observe();
      const mayAct = clock.mayAct();
      const firedMs = now();
      if (mayAct) {
        await bringNearAtTimes();
        if ((await fireDue(database, takes, firedMs)) > 0) await dispatcher.tick();
        await deliveries.tick();
      }
      sweeper.tick();
      await takeStock();
      // Due work stays due while the clock is in doubt.
      if (dispatcher.unfinished > 0 || !mayAct) return busyMs;
      const longestMs = database.engine === 'postgres' ? idleInFleetMs : idleMs;
      const toSend = parts.callbackKey && (await readNextDelivery(database, takes));
      // A schedule that may not run yet, because its client has too many jobs, stays due.
      const due = [await readNextDue(database, takes, firedMs), toSend].filter(time => time !== undefined);
      return Math.max(leastMs, Math.min(longestMs, ...due.map(time => time - now())));
    } catch {
      // The database is unavailable, which the store reports.
      return busyMs;
    }
  };

  const workLoop = repeatTask(work, parts.timer);

  return {
    takes,
    now,
    nowForEnd,
    /** Reads the rules of all instances. */
    readTakers: readAllTakers,
    backlog: () => backlog,
    wake: workLoop.wake,
    testCallback: (url: string, format: CallbackFormat, origin: string) =>
      deliveries.test(createResultId(now()), url, format, origin),
    cancel: dispatcher.cancel,
    /** Starts no more pages, and resolves when the running ones have ended. */
    async drain() {
      isDraining = true;
      await dispatcher.drain();
    },
    async close() {
      await workLoop.stop();
      const ended = dispatcher.close();
      // Shutdown waits only briefly for operations on an unavailable database.
      setTimeout(() => closing.abort(new Error('the service stopped')), closeMs).unref();
      await Promise.all([ended, deliveries.close(), sweeper.close()]);
      // If this write fails, other instances notice that this one is silent.
      if (publishedAtMs !== undefined) await database.write([toTaker(takes, 0)]).catch(() => {});
    },
  };
}
