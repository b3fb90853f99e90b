/** Everything that clients can do with jobs, and the parts that do the work. */
import { AnalysisError } from '../contract/errors.ts';
import type { ExperimentAnswer } from '../contract/experiments/answer.ts';
import type { Network } from '../measure/egress/dial.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';
import type { SqlDatabase } from '../storage/database/sql.ts';
import type { Schedule as Timer } from '../storage/results/recovery.ts';
import { createResultId, isResultId } from '../storage/results/result-id.ts';
import { removeJob } from '../storage/results/sql/job-room.ts';
import type { StoreClock } from '../storage/results/store-clock.ts';
import { createDeliveries, type OnTried } from './callbacks/deliver.ts';
import { createChanges } from './changes.ts';
import { toExperimentAnswer } from './experiments/to-answer.ts';
import { toLoadPages } from './experiments/to-arm.ts';
import { createLooks, type FollowedEvent, followJob, hasAllEvents } from './follow-job.ts';
import {
  exceededBound,
  type Idempotency,
  isEnded,
  type Job,
  type JobPage,
  jobBounds,
  type NewJob,
  sumOf,
  unpackAnswer,
} from './job.ts';
import {
  surelyTakes,
  type Takers,
  type Takes,
  type ToReason,
  toPolicy,
  toPublished,
  whyWaiting,
} from './job-policy.ts';
import { cancelledProblem, interruptedProblem, KeyReusedError } from './problems.ts';
import { bringNear, fireDue } from './schedules/fire.ts';
import { createSchedules, type Schedules } from './schedules/schedules.ts';
import type { CompareRuns } from './schedules/verdicts.ts';
import type { ListPlace } from './sql/columns.ts';
import { readDeliveryStates, readNextDelivery } from './sql/delivery-rows.ts';
import {
  countBefore,
  countUnfinishedGroups,
  findByIdempotencyKey,
  listJobs,
  readJob,
  readTakers,
  toEnd,
  toJobInsert,
  toTaker,
} from './sql/job-rows.ts';
import { listPages, readPage, toPageInserts, toPagesRemoval } from './sql/page-rows.ts';
import { countLate, readNextDue } from './sql/schedule-rows.ts';
import { toSecretInsert, toSecretRemoval } from './sql/secret-rows.ts';
import type { JobState } from './to-answer.ts';
import { type AskedPage, toPages } from './to-pages.ts';
import { createDispatcher } from './work/dispatcher.ts';
import { finishJob } from './work/finish-job.ts';
import type { PageSlots } from './work/page-slots.ts';
import { createPatientDatabase } from './work/patient-database.ts';
import { repeatTask } from './work/repeat-task.ts';
import { type JobWork, runJob } from './work/run-job.ts';
import type { RunPage } from './work/run-page.ts';
import { createJobSweeper } from './work/sweep-jobs.ts';

export type NewOrder = Pick<NewJob, 'client' | 'request' | 'callback' | 'idempotency'> & {
  /** Pages to measure; empty for an experiment, whose loads follow from its plan. */
  pages: readonly AskedPage[];
  /** Data that only the work on the job may read: the headers and texts of an experiment. */
  secret?: string | undefined;
};

/** Unfinished work in the tables, of all clients and instances. */
type Backlog = {
  /** Number of unfinished jobs. `pages` counts their unfinished pages. */
  jobs: number;
  pages: number;
  /** Number of jobs that no running instance accepts. */
  stalled: number;
  /** Number of schedules that should have started a run a few minutes ago. */
  lateSchedules: number;
};

/** Methods that read or change jobs throw a StoreFaultError if the database cannot be used. */
export type Jobs = {
  readonly schedules: Schedules;
  /** Whether callbacks can be signed. */
  readonly hasSecret: boolean;
  /** Returns the unfinished work of all instances, as of a few seconds ago. */
  backlog(): Backlog;
  /**
   * Submits a job. An order that repeats an idempotency key of the client returns the first job.
   * @throws AnalysisError `queue_full` if there are too many jobs; KeyReusedError
   */
  submit(order: NewOrder): Promise<JobState>;
  /** Returns the job that the client submitted with this idempotency key. @throws KeyReusedError */
  submitted(client: string, idempotency: Idempotency): Promise<JobState | undefined>;
  read(id: string): Promise<JobState | undefined>;
  /** @param client null for all clients */
  list(client: string | null, place: ListPlace): Promise<JobState[]>;
  pages(id: string, place: { after: number; limit: number }): Promise<JobPage[]>;
  page(id: string, position: number): Promise<{ page: JobPage; answer: Buffer | null } | undefined>;
  /** Returns undefined if there is no such job, or if it is not an experiment. */
  experiment(id: string): Promise<ExperimentAnswer | undefined>;
  follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<FollowedEvent>;
  /** Returns whether a reader that has this event has all of them. */
  hasAllEvents(id: string, after: number): Promise<boolean>;
  /** Cancels an unfinished job, or removes a finished one. @returns its state afterwards, or before its removal */
  end(id: string): Promise<JobState | undefined>;
  /** Resumes jobs that an earlier process left unfinished. A temporary database has no such jobs. */
  start(): void;
  /** Starts no more pages, and resolves when the running ones have ended. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

/** Replacements for tests. */
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
  laneOf: (job: Job) => PageSlots;
  network: Network;
  policy: TargetPolicy;
  /** Whether clients may be on other machines. */
  hidesInside: boolean;
  takes: Takes;
  callbackKey: Uint8Array | undefined;
  compare: CompareRuns | undefined;
  /** Stores the answer of a finished experiment. Never throws. */
  keepExperiment?: ((answer: ExperimentAnswer) => Promise<void>) | undefined;
  /** Replaces the dispatcher, which distributes jobs across instances. */
  createDispatcher?: typeof createDispatcher | undefined;
  onFailure: (job: Job, error: unknown) => void;
  onTried: OnTried;
  /** Called when retention has removed jobs. */
  onRemoved?: ((count: number) => void) | undefined;
} & JobsOverrides;

/**
 * Interval at which an instance publishes which jobs it accepts, and the silence after which others stop relying on it.
 */
const publishMs = 60_000;
const silentMs = 5 * 60_000;
const lateMs = 5 * 60_000;
const retryAfterSeconds = 60;
const busyMs = 2000;
/** Polling interval when idle, because other instances may have added work. */
const idleInFleetMs = 3000;
const idleMs = 60_000;
const leastMs = 200;
const nearEveryMs = 60_000;
/** Max number of attempts, after which the job is abandoned because no instance has finished it. */
const mostAttempts = 100;

async function readExperiment(database: SqlDatabase, id: string): Promise<ExperimentAnswer | undefined> {
  const job = await readJob(database, id);
  if (job?.request.kind !== 'experiment') return undefined;
  return toExperimentAnswer(job, await listPages(database, id, { after: -1, limit: job.total }));
}

/** Reads the answer of an experiment whose loads have ended, with the end that its job is about to get. */
async function readEndedExperiment(
  database: SqlDatabase,
  id: string,
  endedAtMs: number,
): Promise<ExperimentAnswer | undefined> {
  const answer = await readExperiment(database, id);
  if (!answer) return undefined;
  const ended = { ...answer, ended_at: new Date(endedAtMs).toISOString() };
  if (answer.progress.failed < answer.progress.loads) return { ...ended, state: 'succeeded' };
  const [first] = await listPages(database, id, { after: -1, limit: 1 });
  return { ...ended, state: 'failed', error: first?.outcome?.error ?? null };
}

const toOwnClock = (now: () => number): JobsClock => ({
  now,
  storedAtMs: () => undefined,
  observe: async () => {},
  mayAct: () => true,
  doubt: undefined,
});

export function createJobs({ database, clock: storeClock, now: ownNow, ...parts }: JobsParts): Jobs {
  const clock = ownNow || !storeClock ? toOwnClock(ownNow ?? Date.now) : storeClock;
  const { now } = clock;
  /**
   * Returns the newest known time, because a clock that is behind would make a finished job old enough to be removed
   * immediately.
   */
  const nowForEnd = (): number => Math.max(now(), clock.storedAtMs() ?? 0);
  const closing = new AbortController();
  const leaving = new AbortController();
  const patient = createPatientDatabase(database, closing.signal);
  const changes = createChanges();
  const owner = createResultId();
  const takes = toPublished(parts.takes);
  let isDraining = false;
  let backlog: Backlog = { jobs: 0, pages: 0, stalled: 0, lateSchedules: 0 };
  let publishedAtMs: number | undefined;

  const run = async (work: JobWork): Promise<void> => {
    const { job, signal } = work;
    const { runPage, laneOf, compare } = parts;
    if (job.attempt > mostAttempts) {
      const error = {
        ...interruptedProblem(),
        detail: `The service ended ${mostAttempts} times while it worked on the job.`,
      };
      await patient.write([
        toEnd(job.id, { state: 'failed', error, endedAtMs: nowForEnd() }, owner),
        toSecretRemoval(job.id),
      ]);
    } else {
      await runJob({ database: patient, runPage, laneOf, changed, now }, work);
      // The answer is stored before the job ends. If the process ends in between, the job is claimed again.
      const answer = await patient.ask(rows => readEndedExperiment(rows, job.id, nowForEnd()));
      if (answer) await parts.keepExperiment?.(answer);
      await finishJob({ database: patient, compare, now: nowForEnd }, job, owner, signal);
    }
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

  const sweeper = createJobSweeper({
    database,
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
      jobs: sumOf(groups, 'jobs'),
      pages: sumOf(groups, 'pages'),
      stalled: sumOf(stalled, 'jobs'),
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
      if (mayAct) {
        await bringNearAtTimes();
        if ((await fireDue(database, takes, now())) > 0) await dispatcher.tick();
        await deliveries.tick();
      }
      sweeper.tick();
      await takeStock();
      // Due work stays due while the clock is in doubt.
      if (dispatcher.unfinished > 0 || !mayAct) return busyMs;
      const longestMs = database.engine === 'postgres' ? idleInFleetMs : idleMs;
      const toSend = parts.callbackKey && (await readNextDelivery(database, takes));
      const due = [await readNextDue(database, takes), toSend].filter(time => time !== undefined);
      return Math.max(leastMs, Math.min(longestMs, ...due.map(time => time - now())));
    } catch {
      // The database is unavailable, which the store reports.
      return busyMs;
    }
  };

  const workLoop = repeatTask(work, parts.timer);

  /** Returns a function that reads the instances once, for all jobs of a list. */
  const createToReason = (): ToReason => {
    let takers: Promise<Takers> | undefined;
    return async owned => {
      if (surelyTakes(takes, owned)) return null;
      takers ??= readAllTakers();
      return whyWaiting(await takers, owned);
    };
  };

  const toStates = async (jobs: readonly Job[]): Promise<JobState[]> => {
    const toReason = createToReason();
    const [before, deliveries] = await Promise.all([countBefore(database, jobs), readDeliveryStates(database, jobs)]);
    return Promise.all(
      jobs.map(async job => ({
        job,
        before: before.get(job.id) ?? 0,
        delivery: deliveries.get(job.id),
        reason: isEnded(job) ? null : await toReason(job),
      })),
    );
  };

  const read = async (id: string): Promise<JobState | undefined> => {
    const job = isResultId(id) ? await readJob(database, id) : undefined;
    return job && (await toStates([job]))[0];
  };

  const looks = createLooks(database, read);
  const changed = (id: string): void => {
    looks.forget(id);
    changes.changed(id);
  };

  async function submitted(client: string, { key, digest }: Idempotency): Promise<JobState | undefined> {
    const found = await findByIdempotencyKey(database, 'jobs', client, key);
    if (found && found.digest !== digest) throw new KeyReusedError();
    return found && read(found.id);
  }

  async function assertRoom(client: string, pages: number): Promise<void> {
    const exceeded = exceededBound(await countUnfinishedGroups(database), client, pages);
    if (!exceeded) return;
    const details = {
      'own jobs': `This client has ${jobBounds.own.jobs} unfinished jobs, which is the limit.`,
      'own pages': `The unfinished jobs of one client can have ${jobBounds.own.pages} pages in total.`,
      all: 'The service has as many unfinished jobs as it can store.',
    };
    const detail = `${details[exceeded]} Retry in ${retryAfterSeconds} s.`;
    throw new AnalysisError('queue_full', detail, { retryAfterSeconds });
  }

  async function submit({ client, request, callback, idempotency, secret, pages: asked }: NewOrder): Promise<JobState> {
    const earlier = idempotency && (await submitted(client, idempotency));
    if (earlier) return earlier;
    const createdAtMs = now();
    const id = createResultId(createdAtMs);
    const { pages, counts } = request.kind === 'experiment' ? toLoadPages(request.experiment, id) : toPages(asked);
    await assertRoom(client, counts.total - counts.done);
    const policy = toPolicy(parts.takes, request.kind);
    const job: NewJob = { id, client, request, callback, scheduleId: null, policy, idempotency, createdAtMs };
    const [added] = await database.write([
      toJobInsert(job, counts),
      ...toPageInserts(id, pages),
      ...(secret === undefined ? [] : [toSecretInsert(id, secret)]),
      toPagesRemoval(id),
    ]);
    // Another instance received the same request at the same time.
    const state = added === 0 && idempotency ? await submitted(client, idempotency) : await read(id);
    workLoop.wake();
    if (!state) throw new Error('a job that was just added is gone');
    return state;
  }

  /**
   * Queue of submissions by client. They run one after the other, so that each counts the jobs of the previous ones.
   */
  const turns = new Map<string, Promise<unknown>>();
  const inTurn = <T>(client: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(client) ?? Promise.resolve()).then(work);
    const ended = turn
      .catch(() => {})
      .then(() => {
        if (turns.get(client) === ended) turns.delete(client);
      });
    turns.set(client, ended);
    return turn;
  };

  return {
    schedules: createSchedules({ database, now, inTurn, createToReason, takes: parts.takes, onChange: workLoop.wake }),
    hasSecret: parts.callbackKey !== undefined,
    backlog: () => backlog,
    submit: order => inTurn(order.client, () => submit(order)),
    submitted,
    read,
    list: async (client, place) => toStates(await listJobs(database, client, place)),
    pages: (id, place) => listPages(database, id, place),
    async page(id, position) {
      const found = isResultId(id) ? await readPage(database, id, position) : undefined;
      return found && { page: found.page, answer: await unpackAnswer(found.answer) };
    },
    experiment: async id => (isResultId(id) ? readExperiment(database, id) : undefined),
    follow: (id, after, signal) => followJob({ looks, changes }, id, after, AbortSignal.any([signal, leaving.signal])),
    hasAllEvents: (id, after) => hasAllEvents(looks, id, after),
    async end(id) {
      const state = await read(id);
      if (!state) return undefined;
      if (isEnded(state.job)) {
        await removeJob(database, id);
        return state;
      }
      const end = { state: 'cancelled', error: cancelledProblem(), endedAtMs: nowForEnd() } as const;
      await database.write([toEnd(id, end), toSecretRemoval(id)]);
      dispatcher.cancel(id);
      changed(id);
      return (await read(id)) ?? state;
    },
    start() {
      if (parts.isLasting) workLoop.wake();
    },
    async drain() {
      isDraining = true;
      // Readers reconnect later, or to another instance, and continue after their last event.
      leaving.abort();
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

const closeMs = 1500;
