import { type AskOptions, askForPage } from '../api-client/ask-service.ts';
import { advance, isSameLane, type LaneState, startLane } from '../api-client/progress.ts';
import { type Job, type Measured, toMeasured } from './jobs.ts';

export type RunOptions = Omit<AskOptions, 'fetch'> & {
  /** Base of the service, with a slash at its end. */
  readonly baseUrl: string;
  readonly atOnce: number;
  onProgress(job: Job, lanes: readonly LaneState[]): void;
  onDone(measured: Measured): void;
};

async function runJob(job: Job, { baseUrl, onProgress, ...options }: RunOptions): Promise<Measured> {
  let lanes = job.call.lanes.map(startLane);
  const change = (toNext: (lane: LaneState) => LaneState) => {
    lanes = lanes.map(toNext);
    onProgress(job, lanes);
  };
  onProgress(job, lanes);
  const reply = await askForPage(
    job.call,
    update => change(lane => (isSameLane(lane, update) ? advance(lane, update) : lane)),
    { ...options, fetch: (path, init) => fetch(new URL(String(path), baseUrl), init) },
  );
  return toMeasured(job, reply);
}

/**
 * Runs all jobs, some at once; one that fails is its own failure.
 * @returns in the order of the jobs; those that were done when the signal came
 */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<Measured[]> {
  const waiting = jobs.values();
  const done: Measured[] = [];
  const runNext = async (): Promise<void> => {
    for (const job of waiting) {
      const measured = await runJob(job, options);
      done[job.index] = measured;
      options.onDone(measured);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.atOnce }, runNext));
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
  // Without gaps for the others.
  return Object.values(done);
}
