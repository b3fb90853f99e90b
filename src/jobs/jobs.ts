/** Everything that clients can do with jobs. */
import { AnalysisError } from '../contract/errors.ts';
import type { ExperimentAnswer } from '../contract/experiments/answer.ts';
import type { CallbackFormat } from '../contract/names.ts';
import { createResultId, isResultId } from '../storage/results/result-id.ts';
import { removeJob } from '../storage/results/sql/job-room.ts';
import { createLooks, type FollowedEvent, followJob, hasAllEvents } from './follow-job.ts';
import {
  exceededBound,
  type Idempotency,
  isEnded,
  type Job,
  jobBounds,
  type NewJob,
  type PageRow,
  unpackAnswer,
} from './job.ts';
import { surelyTakes, type Takers, type ToReason, toPolicy, whyWaiting } from './job-policy.ts';
import { hideAccess, isPrivate, type JobSecret, toContent } from './job-secret.ts';
import { cancelledProblem } from './problems.ts';
import { createSchedules, type Schedules } from './schedules/schedules.ts';
import {
  countBefore,
  countUnfinishedGroups,
  findRepeated,
  type ListPlace,
  listJobs,
  listPages,
  readDeliveryStates,
  readJob,
  readPage,
  toEnd,
  toJobInsert,
  toPageInserts,
  toPagesRemoval,
  toSecretInsert,
  toSecretRemoval,
} from './statements.ts';
import type { JobState } from './to-answer.ts';
import { toLoadPages } from './to-arm.ts';
import { readExperiment } from './to-experiment-answer.ts';
import { type AskedPage, toPages } from './to-pages.ts';
import { type Backlog, createJobWorker, type JobsParts } from './work/job-worker.ts';

const retryAfterSeconds = 60;

export type NewOrder = Pick<NewJob, 'client' | 'request' | 'callback' | 'idempotency'> & {
  /** Pages to measure; empty for an experiment, whose loads follow from its plan. */
  pages: readonly AskedPage[];
  /** Data that only the work on the job may read: the headers and texts of an experiment. */
  secret?: JobSecret | undefined;
};

/** Methods that read or change jobs throw a StoreFaultError if the database cannot be used. */
export type Jobs = {
  readonly schedules: Schedules;
  /** Whether callbacks can be signed. */
  readonly hasSecret: boolean;
  /** Sends a test message to a webhook. @returns null if it was accepted, otherwise the reason */
  testCallback(url: string, format: CallbackFormat, origin: string): Promise<string | null>;
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
  pages(id: string, place: { after: number; limit: number }): Promise<PageRow[]>;
  page(id: string, position: number): Promise<{ page: PageRow; answer: Buffer | null } | undefined>;
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

export function createJobs(parts: JobsParts): Jobs {
  const { database } = parts;
  const leaving = new AbortController();
  const changed = (id: string): void => looks.changed(id);
  const worker = createJobWorker(parts, changed);
  const { takes, now } = worker;

  /** Returns a function that reads the instances once, for all jobs of a list. */
  const createToReason = (): ToReason => {
    let takers: Promise<Takers> | undefined;
    return async owned => {
      if (surelyTakes(takes, owned)) return null;
      takers ??= worker.readTakers();
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

  async function submitted(client: string, idempotency: Idempotency): Promise<JobState | undefined> {
    const id = await findRepeated(database, 'jobs', client, idempotency);
    return id === undefined ? undefined : read(id);
  }

  async function assertRoom(client: string, pages: number): Promise<void> {
    const exceeded = exceededBound(jobBounds, await countUnfinishedGroups(database), client, pages);
    if (!exceeded) return;
    const details = {
      'own count': `This client has ${jobBounds.own.count} unfinished jobs, which is the limit.`,
      'own pages': `The unfinished jobs of one client can have ${jobBounds.own.pages} pages in total.`,
      all: 'The service has as many unfinished jobs as it can store.',
    };
    const detail = `${details[exceeded]} Retry in ${retryAfterSeconds} s.`;
    throw new AnalysisError('queue_full', detail, { retryAfterSeconds });
  }

  async function submit({ client, callback, idempotency, pages: asked, ...order }: NewOrder): Promise<JobState> {
    const earlier = idempotency && (await submitted(client, idempotency));
    if (earlier) return earlier;
    const createdAtMs = now();
    const id = createResultId(createdAtMs);
    const { request, secret } = hideAccess(order);
    const { pages, counts } = request.kind === 'experiment' ? toLoadPages(request.experiment, id) : toPages(asked);
    await assertRoom(client, counts.total - counts.done);
    const policy = toPolicy(parts.takes, request.kind, isPrivate(request, secret));
    const job: NewJob = { id, client, request, callback, scheduleId: null, policy, idempotency, createdAtMs };
    const [added] = await database.write([
      toJobInsert(job, counts),
      ...toPageInserts(id, pages),
      ...(secret === undefined ? [] : [toSecretInsert(id, toContent(secret, parts.vault, id))]),
      toPagesRemoval(id),
    ]);
    // Another instance received the same request at the same time.
    const state = added === 0 && idempotency ? await submitted(client, idempotency) : await read(id);
    worker.wake();
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
    schedules: createSchedules({ database, now, inTurn, createToReason, takes: parts.takes, onChange: worker.wake }),
    hasSecret: parts.callbackKey !== undefined,
    testCallback: worker.testCallback,
    backlog: worker.backlog,
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
    follow: (id, after, signal) => followJob(looks, id, after, AbortSignal.any([signal, leaving.signal])),
    hasAllEvents: (id, after) => hasAllEvents(looks, id, after),
    async end(id) {
      const state = await read(id);
      if (!state) return undefined;
      if (isEnded(state.job)) {
        await removeJob(database, id);
        return state;
      }
      const end = { state: 'cancelled', error: cancelledProblem(), endedAtMs: worker.nowForEnd() } as const;
      await database.write([toEnd(id, end), toSecretRemoval(id)]);
      worker.cancel(id);
      changed(id);
      return (await read(id)) ?? state;
    },
    start() {
      if (parts.isLasting) worker.wake();
    },
    async drain() {
      // Readers reconnect later, or to another instance, and continue after their last event.
      leaving.abort();
      await worker.drain();
    },
    close: worker.close,
  };
}
