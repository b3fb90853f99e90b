/** An instance of the service that does jobs only: the test measures its pages and ends its pauses. */
import { AnalysisError, type ErrorCode, type ErrorFacts } from '../../src/contract/errors.ts';
import { toProblem } from '../../src/contract/problem.ts';
import type { JobRequest } from '../../src/jobs/job.ts';
import { createJobs, type Jobs } from '../../src/jobs/jobs.ts';
import type { JobsParts } from '../../src/jobs/work/job-worker.ts';
import type { MeasuredPage, PageOptions } from '../../src/jobs/work/run-page.ts';
import type { Queued } from '../../src/measure/fair-queue.ts';
import { createFairSlots } from '../../src/measure/fair-turns.ts';
import { createPolicy } from '../../src/measure/targets/policy.ts';
import { StoreFaultError } from '../../src/storage/database/fault.ts';
import type { SqlDatabase, Statement } from '../../src/storage/database/sql.ts';
import { createArrivals } from '../support/arrivals.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';
import { createOwnSchedule } from '../support/surroundings/own-schedule.ts';
import { until } from '../support/until.ts';

export type Measuring = {
  request: JobRequest;
  url: string;
  options: PageOptions;
  end(measured?: MeasuredPage): void;
};

/** The outcome of a page that failed wholly or in part. */
export const failed = (
  code: ErrorCode,
  parts: MeasuredPage['outcome']['parts'] = [],
  facts: Pick<ErrorFacts, 'isBlocked' | 'retryAfterSeconds'> = {},
): MeasuredPage => {
  // So short that a retry after it needs no clock.
  const error = new AnalysisError(code, 'It failed.', { retryAfterSeconds: 0.001, ...facts });
  return {
    outcome: { parts, comparisonId: null, error: parts.length > 0 ? null : toProblem(error) },
    answer: null,
    errors: [error],
  };
};

export const succeeded = (id: string | null = null): MeasuredPage => ({
  outcome: {
    parts: [{ source: 'psi', strategy: 'mobile', id, scores: { performance: 90 }, error: null }],
    comparisonId: null,
    error: null,
  },
  answer: null,
  errors: [],
});

/** A database connection of a process that can die: afterwards every statement is rejected. */
const toMortal = (database: SqlDatabase) => {
  let isDead = false;
  const written: string[] = [];
  const mortal =
    <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      isDead ? Promise.reject(new StoreFaultError('closed', 'the process is dead')) : ask(...args);
  const write = mortal(database.write);
  return {
    written,
    database: {
      ...database,
      rows: mortal(database.rows),
      write: (statements: readonly Statement[]) => {
        written.push(...statements.map(({ sql }) => sql));
        return write(statements);
      },
    },
    die: () => {
      isDead = true;
    },
  };
};

export function openInstance(
  shared: SqlDatabase,
  clock: { nowMs: number },
  parts: Partial<JobsParts> & { endsAtOnce?: boolean } = {},
) {
  const { database, die, written } = toMortal(shared);
  const timer = createOwnSchedule();
  const measuring = createArrivals<Measuring>();
  const slots = createFairSlots(() => 3);
  const asking = createArrivals<Queued>();
  const admitted = createArrivals<Queued>();
  const lane: typeof slots = {
    ...slots,
    enter: async (wanted, signal) => {
      const turn = slots.enter(wanted, signal);
      asking.add(wanted);
      const release = await turn;
      admitted.add(wanted);
      return release;
    },
  };
  const jobs: Jobs = createJobs({
    database,
    isLasting: true,
    runPage: (asked, url, options) => {
      const { promise, resolve, reject } = Promise.withResolvers<MeasuredPage>();
      options.signal.addEventListener('abort', () => reject(options.signal.reason));
      measuring.add({ request: asked, url, options, end: (measured = succeeded()) => resolve(measured) });
      if (parts.endsAtOnce) resolve(succeeded());
      return promise;
    },
    laneOf: () => lane,
    network: createOwnNetwork({}),
    policy: createPolicy({ targets: 'any', ownPort: () => 1 }),
    hidesInside: false,
    takes: { targets: 'any', analyser: 'embedded', clients: null, audits: true },
    callbackKey: undefined,
    compare: undefined,
    onFailure: () => {},
    onTried: () => {},
    now: () => clock.nowMs,
    timer: timer.schedule,
    // Counts as silent as soon as it was seen twice.
    takeOverMs: 0,
    ...parts,
  });
  return {
    jobs,
    measuring,
    /** The pages that have asked for one of the three slots, and those that have got one. */
    asking,
    admitted,
    /** The database that it shares. */
    database: shared,
    die,
    /** The statements with which it has tried to change the database. */
    written,
    pauses: timer.pauses,
    /** Looks for work once and starts it. */
    async look() {
      jobs.start();
      const looks = timer.pauses.length;
      await timer.runNext();
      await until(() => timer.pauses.length > looks, { pauseMs: 0 });
    },
  };
}

export type Instance = ReturnType<typeof openInstance>;

/** Looks for work until the job has this state; `undefined` means that it is removed. */
export async function lookUntil(instance: Instance, id: string, state: string | undefined): Promise<void> {
  await lookUntilSo(instance, async () => (await instance.jobs.read(id))?.job.state === state);
}

/** Looks for work until the condition holds. */
export async function lookUntilSo(instance: Instance, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const check = async () => (await isSo()) || instance.look().then(() => false);
  await until(check, { pauseMs: 0, wanted: isSo });
}
