/** Everything about jobs: what a client asks of them, and the parts that do the work. */
import type { Network } from '../egress/dial.ts';
import { AnalysisError } from '../errors.ts';
import type { Schedule as Timer } from '../results/recovery.ts';
import { createResultId } from '../results/result-id.ts';
import type { SqlDatabase } from '../results/sql/database.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { createDeliveries } from './callbacks/deliver.ts';
import type { Sent } from './callbacks/send.ts';
import { createChanges } from './changes.ts';
import { type FollowedEvent, followJob, hasAllEvents } from './follow-job.ts';
import { isEnded, type Job, type JobPage, type NewJob } from './job.ts';
import { unpackAnswer } from './packed-answer.ts';
import { cancelledProblem, interruptedProblem } from './problems.ts';
import { fireDue } from './schedules/fire.ts';
import { createSchedules, type Schedules } from './schedules/schedules.ts';
import type { CompareRuns } from './schedules/verdicts.ts';
import { type Delivery, readDeliveryState, readNextDelivery } from './sql/delivery-rows.ts';
import { countBefore, countUnfinished, listJobs, readJob, removeJob, toEnd, toJobInsert } from './sql/job-rows.ts';
import { listPages, readPage, toPageInserts } from './sql/page-rows.ts';
import { readNextDue } from './sql/schedule-rows.ts';
import type { JobState } from './to-answer.ts';
import { type AskedPage, toPages } from './to-pages.ts';
import { type Backlog, createDispatcher } from './work/dispatcher.ts';
import { finishJob } from './work/finish-job.ts';
import { createHeart } from './work/heart.ts';
import type { Lane } from './work/lane.ts';
import { createPatientDatabase } from './work/patient-database.ts';
import { type JobWork, runJob } from './work/run-job.ts';
import type { RunPage } from './work/run-page.ts';
import { createJobSweeper } from './work/sweep-jobs.ts';

export type NewOrder = Pick<NewJob, 'client' | 'request' | 'callback'> & { pages: readonly AskedPage[] };

/** Reading and changing throw a StoreFaultError where the database cannot be used. */
export type Jobs = {
  readonly schedules: Schedules;
  /** Whether callbacks can be signed. */
  readonly hasSecret: boolean;
  /** Of all instances, some seconds old. */
  backlog(): Backlog;
  /** @throws AnalysisError `queue_full` where the client has too many already */
  submit(order: NewOrder): Promise<JobState>;
  read(id: string): Promise<JobState | undefined>;
  list(client: string, limit: number): Promise<JobState[]>;
  pages(id: string, place: { after: number; limit: number }): Promise<JobPage[]>;
  page(id: string, position: number): Promise<{ page: JobPage; answer: Buffer | null } | undefined>;
  follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<FollowedEvent>;
  /** Whether a reader that has this event has them all. */
  hasAllEvents(id: string, after: number): Promise<boolean>;
  /** Cancels a job that has not ended, and removes one that has. @returns how it stands then, or stood */
  end(id: string): Promise<JobState | undefined>;
  /** Goes on with what an earlier process left. */
  start(): void;
  /** Begins no further page, and resolves when those that run have ended. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

/** What a test has otherwise. */
export type JobsOverrides = {
  now?: (() => number) | undefined;
  /** The pauses between two looks at what is to be done. */
  timer?: Timer | undefined;
  /** How long an owner is silent that is gone. */
  takeOverMs?: number | undefined;
  /** The pause after the first try of a callback. */
  callbackFirstMs?: number | undefined;
};

export type JobsParts = {
  database: SqlDatabase;
  /** Whether it is gone with the process: then there is nothing to go on with. */
  isLasting: boolean;
  runPage: RunPage;
  laneOf: (job: Job) => Lane;
  network: Network;
  policy: TargetPolicy;
  callbackKey: Uint8Array | undefined;
  compare: CompareRuns | undefined;
  /** Another way to spread jobs over instances. */
  createDispatcher?: typeof createDispatcher | undefined;
  onFailure: (job: Job, error: unknown) => void;
  onTried: (delivery: Delivery, sent: Sent) => void;
} & JobsOverrides;

const mostUnfinished = 200;
const retryAfterSeconds = 60;
const busyMs = 2000;
/** Other instances may have begun something. */
const idleInFleetMs = 3000;
const idleMs = 60_000;
const leastMs = 200;
/** A job that ends its process each time it is taken up is given up. */
const mostAttempts = 100;

export function createJobs({ database, now = Date.now, ...parts }: JobsParts): Jobs {
  const closing = new AbortController();
  const leaving = new AbortController();
  const patient = createPatientDatabase(database, closing.signal);
  const changes = createChanges();
  const owner = createResultId();
  let isDraining = false;

  const run = async (work: JobWork): Promise<void> => {
    const { job, signal } = work;
    const { runPage, laneOf, compare } = parts;
    if (job.attempt > mostAttempts) {
      const error = {
        ...interruptedProblem(),
        detail: `The service ended ${mostAttempts} times while it worked on the job.`,
      };
      await patient.write([toEnd(job.id, { state: 'failed', error, endedAtMs: now() }, owner)]);
    } else {
      await runJob({ database: patient, runPage, laneOf, changed: changes.changed, now }, work);
      await finishJob({ database: patient, compare, now }, job, owner, signal);
    }
    changes.changed(job.id);
    heart.wake();
  };

  const dispatcher = (parts.createDispatcher ?? createDispatcher)({
    ...{ database, owner, run },
    onFailure: parts.onFailure,
    takeOverMs: parts.takeOverMs,
  });
  const deliveries = createDeliveries({
    ...{ database, now, network: parts.network, policy: parts.policy },
    key: parts.callbackKey,
    firstMs: parts.callbackFirstMs,
    onTried: (delivery, sent) => {
      parts.onTried(delivery, sent);
      heart.wake();
    },
  });

  const sweeper = createJobSweeper({ database, now });

  /** @returns how long nothing is to be done */
  const work = async (): Promise<number> => {
    try {
      // First: others wait for a sign of life.
      await dispatcher.tick();
      if (isDraining) return busyMs;
      if ((await fireDue(database, now())) > 0) await dispatcher.tick();
      await deliveries.tick();
      sweeper.tick();
      if (dispatcher.unfinished > 0) return busyMs;
      const longestMs = database.engine === 'postgres' ? idleInFleetMs : idleMs;
      const toSend = parts.callbackKey && (await readNextDelivery(database));
      const due = [await readNextDue(database), toSend].filter(time => time !== undefined);
      return Math.max(leastMs, Math.min(longestMs, ...due.map(time => time - now())));
    } catch {
      // The database is away: the store says so.
      return busyMs;
    }
  };

  const heart = createHeart(work, parts.timer);

  const toState = async (job: Job): Promise<JobState> => ({
    job,
    before: job.state === 'queued' ? await countBefore(database, job) : 0,
    delivery: job.callback === null ? undefined : await readDeliveryState(database, job.id),
  });

  const read = async (id: string): Promise<JobState | undefined> => {
    const job = await readJob(database, id);
    return job && toState(job);
  };

  return {
    schedules: createSchedules({ database, now, onChange: heart.wake }),
    hasSecret: parts.callbackKey !== undefined,
    backlog: () => dispatcher.backlog,
    async submit({ client, request, callback, pages: asked }) {
      if ((await countUnfinished(database, client)) >= mostUnfinished) {
        const detail = `This client has ${mostUnfinished} jobs that have not ended. Retry in ${retryAfterSeconds} s.`;
        throw new AnalysisError('queue_full', detail, { retryAfterSeconds });
      }
      const { pages, counts } = toPages(asked);
      const id = createResultId(now());
      const job: NewJob = { id, client, request, callback, scheduleId: null, createdAtMs: now() };
      await database.write([toJobInsert(job, counts), ...toPageInserts(id, pages)]);
      const state = await read(id);
      heart.wake();
      if (!state) throw new Error('a job that was just added is gone');
      return state;
    },
    read,
    list: async (client, limit) => Promise.all((await listJobs(database, client, limit)).map(toState)),
    pages: (id, place) => listPages(database, id, place),
    async page(id, position) {
      const found = await readPage(database, id, position);
      return found && { page: found.page, answer: await unpackAnswer(found.answer) };
    },
    follow: (id, after, signal) =>
      followJob({ database, changes, readState: read }, id, after, AbortSignal.any([signal, leaving.signal])),
    hasAllEvents: (id, after) => hasAllEvents({ database, readState: read }, id, after),
    async end(id) {
      const state = await read(id);
      if (!state) return undefined;
      if (isEnded(state.job)) {
        await removeJob(database, id);
        return state;
      }
      await database.write([toEnd(id, { state: 'cancelled', error: cancelledProblem(), endedAtMs: now() })]);
      dispatcher.cancel(id);
      changes.changed(id);
      return (await read(id)) ?? state;
    },
    start() {
      if (parts.isLasting) heart.wake();
    },
    async drain() {
      isDraining = true;
      // Readers go on elsewhere, or later, after the last event that they have.
      leaving.abort();
      await dispatcher.drain();
    },
    async close() {
      await heart.stop();
      const ended = dispatcher.close();
      // What waits for a database that is away is not waited for.
      setTimeout(() => closing.abort(new Error('the service stopped')), closeMs).unref();
      await Promise.all([ended, deliveries.close(), sweeper.close()]);
    },
  };
}

const closeMs = 1500;
