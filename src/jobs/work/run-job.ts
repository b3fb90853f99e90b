/** Measures the pages of one job, a few at a time. Each outcome is written before the next page takes its slot. */
import type { Progress } from '../../contract/analysis/progress.ts';
import { type AnalysisError, errorTable, faultOf } from '../../contract/errors.ts';
import type { FairSlots } from '../../measure/fair-turns.ts';
import { isEnded, type Job, type JobRequest, mostTries, type PageRow, packAnswer } from '../job.ts';
import { hasSecret } from '../job-secret.ts';
import {
  isUnderWay,
  listPages,
  listWaiting,
  type PageTry,
  readSecret,
  toEventInsert,
  toPageEnd,
  toPageReturn,
  toPageStart,
  toPagesCut,
  toStart,
} from '../statements.ts';
import { isExperimentOver } from '../to-experiment-answer.ts';
import { JobStop } from './job-stop.ts';
import { createPageWaits, type Slot } from './page-waits.ts';
import type { PatientDatabase } from './patient-database.ts';
import type { MeasuredPage, PageOptions, RunPage } from './run-page.ts';

/**
 * Runs work with a derived signal, whose listeners are removed when the work ends. The signal of a job may exist for
 * hours, and would collect the listeners of ten thousand pages.
 */
async function withOwnSignal<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const onAbort = () => own.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await work(own.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const readAtOnce = 50;

export type JobWork = {
  job: Job;
  owner: string;
  /** Cancels running work. Its reason is a JobStop. */
  signal: AbortSignal;
  /** Prevents new pages from starting. Running ones may end. */
  draining: AbortSignal;
};

export type RunJobParts = {
  database: PatientDatabase;
  runPage: RunPage;
  laneOf: (job: Job) => FairSlots;
  /** Notifies the readers of a job that it has changed. */
  changed: (jobId: string) => void;
  now: () => number;
};

const toSource = ({ kind }: JobRequest) => (kind === 'lighthouse' || kind === 'experiment' ? 'lighthouse' : 'psi');

/** Returns whether this service stops. That of a PSI server is `psi_unavailable`. */
const isStopping = (errors: readonly AnalysisError[]) => errors.some(({ code }) => code === 'shutting_down');

/**
 * Returns whether a page gets a second try, after the other pages: all errors are retryable, and the page was not at
 * fault. A load of an experiment gets no second try, because it would run later than the rest of its block.
 */
const deservesRetry = ({ kind }: JobRequest, { errors, outcome }: MeasuredPage): boolean =>
  kind !== 'experiment' &&
  outcome.error !== null &&
  errors.every(({ code }) => errorTable[code].retryable && faultOf(code) !== 'page');

/** Returns the place of a page in a job with secrets, such as that of a load in its experiment. */
async function readLoadPlace(database: PatientDatabase, { id: jobId, request }: Job, { position }: PageRow) {
  if (!hasSecret(request)) return undefined;
  return { jobId, position, secret: await database.ask(rows => readSecret(rows, jobId)) };
}

type Looking = {
  database: PatientDatabase;
  owner: string;
  /** Waits for the running pages. @throws JobStop */
  settle: () => Promise<void>;
};

/**
 * Waits for the previous loads of an experiment, and removes the remaining ones if they are not needed. @returns
 * whether the previous loads decide the experiment
 */
async function isDecidedAfter({ database, owner, settle }: Looking, job: Job, { position }: PageRow): Promise<boolean> {
  if (job.request.kind !== 'experiment') return false;
  await settle();
  const place = { after: -1, limit: position + 1 };
  const isOver = await database.ask(async rows => isExperimentOver(job, await listPages(rows, job.id, place)));
  if (isOver) await database.write(toPagesCut(job.id, owner));
  return isOver;
}

/** Resolves when every page has ended, or an experiment is decided. @throws JobStop */
export async function runJob(
  { database, runPage, laneOf, changed, now }: RunJobParts,
  { job, owner, signal, draining }: JobWork,
): Promise<void> {
  const { id: jobId, client, request, total } = job;
  const isBatch = total > 1;
  const lane = laneOf(job);
  const stop = AbortSignal.any([signal, draining]);
  const inFlight = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let isStarted = job.state === 'running';
  let done = job.done;
  let told: Promise<unknown> = Promise.resolve();
  const enter = () => lane.enter({ client, rank: job.createdAtMs, isBatch }, stop);
  const waits = createPageWaits({ job, now, enter, signal: stop });

  /** Writes progress in the order of the events, without delaying the page. */
  const tell = ({ event, ...data }: Progress): void => {
    if (isBatch) return;
    told = told
      .then(() => database.write([toEventInsert({ jobId, owner, event, data })]))
      .then(() => changed(jobId))
      .catch(() => {});
  };

  const end = async (page: PageRow, pageTry: PageTry, { outcome, answer }: MeasuredPage): Promise<void> => {
    const packed = await packAnswer(answer);
    await told;
    done += page.copies;
    const source = toSource(request);
    const data = { source, stage: 'finished', index: page.position, url: page.url, done, total };
    const { counts, ends } = toPageEnd(pageTry, { copies: page.copies, outcome, answer: packed });
    // The update of the counts locks the job, so event numbers are unique. If the event is written again after a lost
    // reply, the try has already ended, and no event is inserted.
    const event = toEventInsert({ jobId, owner, event: 'progress', data }, isUnderWay(pageTry));
    await database.write([counts, ...(isBatch ? [event] : []), ...ends]);
    changed(jobId);
  };

  /** Repeats the measurement until it has an outcome. */
  const measure = async (page: PageRow, slot: Slot): Promise<MeasuredPage> => {
    const load = await readLoadPlace(database, job, page);
    const found: PageOptions['found'] = new Map();
    for (;;) {
      const measured = await withOwnSignal(signal, own =>
        runPage(request, page.url, { client, isBatch, signal: own, onProgress: tell, load, found }),
      );
      if (isStopping(measured.errors)) throw new JobStop('stopped');
      if (!(await waits.afterTry(measured, slot))) return measured;
    }
  };

  const work = async (page: PageRow, slot: Slot): Promise<void> => {
    const pageTry = { jobId, owner, position: page.position, tries: page.tries + 1 };
    const statements = isStarted ? [] : [toStart(jobId, owner, now())];
    const [began] = await database.write([toPageStart(pageTry), ...statements]);
    isStarted = true;
    // The job was cancelled, or claimed by another instance. Without this error, the next query would find the same
    // page again.
    if (began === 0) throw new JobStop('lost');
    changed(jobId);
    try {
      const measured = await measure(page, slot);
      if (isBatch && pageTry.tries < mostTries && deservesRetry(request, measured))
        await database.write([toPageReturn(pageTry, true)]);
      else await end(page, pageTry, measured);
    } catch (error) {
      const why = (stop.aborted ? stop.reason : error) as unknown;
      if (why instanceof JobStop && why.why === 'stopped') await database.write([toPageReturn(pageTry, false)]);
      throw why;
    }
  };

  const start = (page: PageRow, release: () => void): void => {
    const slot = { release };
    const running = work(page, slot)
      .catch(error => {
        failure ??= { error };
      })
      .finally(() => {
        slot.release();
        inFlight.delete(running);
      });
    inFlight.add(running);
  };

  const throwIfStopped = (): void => {
    stop.throwIfAborted();
    if (failure) throw failure.error;
  };

  const settle = async (): Promise<void> => {
    await Promise.all(inFlight);
    throwIfStopped();
  };

  if (isEnded(job)) return;
  try {
    // The pages are measured in rounds: a page that needs another try waits for all others.
    for (let isDone = false; !isDone; ) {
      isDone = true;
      let after = -1;
      for (;;) {
        const pages = await database.ask(rows => listWaiting(rows, jobId, { after, limit: readAtOnce }));
        for (const page of pages) {
          start(page, await waits.beforeStart(inFlight));
          throwIfStopped();
          if (await isDecidedAfter({ database, owner, settle }, job, page)) return;
        }
        const last = pages.at(-1);
        if (!last) break;
        after = last.position;
        isDone = false;
      }
      await settle();
    }
  } finally {
    await Promise.all(inFlight);
    await told;
  }
}
