/**
 * Distributes jobs across any number of instances that share the tables. An instance claims a job by a conditional
 * update, increments a counter while it is alive, and loses the job when the counter stops. No clocks are compared.
 */
import type { SqlDatabase } from '../../storage/database/sql.ts';
import type { Job } from '../job.ts';
import type { Published } from '../job-policy.ts';
import { interruptedProblem } from '../problems.ts';
import { listOwned, listUnfinished, toBeat, toClaim, toRelease, toTakeUp } from '../statements.ts';
import { JobStop } from './job-stop.ts';
import type { JobWork } from './run-job.ts';

/**
 * Max number of lists and of single pages that one instance works on at the same time. Others wait in the table. Lists
 * for the PSI analyser are counted separately, because they may wait for its server for an hour.
 */
const mostBatches = 32;
const mostSingles = 64;

const isSingle = ({ total }: Job): boolean => total === 1;
const isLocalList = (job: Job): boolean => !isSingle(job) && job.request.kind !== 'psi';
const isPsiList = (job: Job): boolean => !isSingle(job) && job.request.kind === 'psi';

/** Selects the next jobs: the clients with the fewest running jobs first, and the oldest job of each client first. */
function choose(waiting: readonly Job[], running: readonly Job[], most: number): Job[] {
  const counts = new Map<string, number>();
  for (const { client } of running) counts.set(client, (counts.get(client) ?? 0) + 1);
  const ranked = waiting.map(job => {
    const turn = counts.get(job.client) ?? 0;
    counts.set(job.client, turn + 1);
    return { job, turn };
  });
  return ranked
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, Math.max(0, most - running.length))
    .map(({ job }) => job);
}

/** Selects the jobs to claim next. @param waiting the oldest first for each client */
export const chooseJobs = (waiting: readonly Job[], running: readonly Job[]): Job[] => [
  ...choose(waiting.filter(isSingle), running.filter(isSingle), mostSingles),
  ...choose(waiting.filter(isLocalList), running.filter(isLocalList), mostBatches),
  ...choose(waiting.filter(isPsiList), running.filter(isPsiList), mostBatches),
];

export type JobDispatcher = {
  /** Shows that this instance is alive, drops jobs that it has lost, and claims waiting ones. */
  tick(): Promise<void>;
  /** Stops the work on this job in this process. */
  cancel(jobId: string): void;
  /** Number of unfinished jobs that this instance accepts, at the last poll. */
  readonly unfinished: number;
  /** Claims no more jobs, and resolves when the running pages have ended. */
  drain(): Promise<void>;
  /** Stops all running work, which continues later or on another instance. */
  close(): Promise<void>;
};

/** Silence after which an owner counts as dead. With the polling interval, a takeover starts within 15 s. */
const usualTakeOverMs = 10_000;
const mostRead = 2000;

export type DispatcherParts = {
  database: SqlDatabase;
  /** Unique name of this instance. It is never reused. */
  owner: string;
  takes: Published;
  /** Works on the job until it ends. @throws JobStop */
  run: (work: JobWork) => Promise<void>;
  onFailure: (job: Job, error: unknown) => void;
  monotonicMs?: () => number;
  takeOverMs?: number | undefined;
};

type Active = { job: Job; stop: AbortController; ended: Promise<void> };

export function createDispatcher({
  database,
  owner,
  takes,
  run,
  onFailure,
  monotonicMs = () => performance.now(),
  takeOverMs = usualTakeOverMs,
}: DispatcherParts): JobDispatcher {
  const active = new Map<string, Active>();
  const draining = new AbortController();
  let seen = new Map<string, { owner: string | null; beat: number; sinceMs: number }>();

  const begin = (job: Job): void => {
    const stop = new AbortController();
    const ended = run({ job, owner, signal: stop.signal, draining: draining.signal })
      .catch(async error => {
        if (!(error instanceof JobStop)) onFailure(job, error);
        if (error instanceof JobStop && error.why !== 'stopped') return;
        // If this write fails, other instances notice that the counter has stopped.
        await database.write([toRelease(job.id, owner)]).catch(() => {});
      })
      .finally(() => active.delete(job.id));
    active.set(job.id, { job, stop, ended });
  };

  async function showLife(): Promise<void> {
    if (active.size === 0) return;
    const before = [...active.keys()];
    await database.write([toBeat(owner)]);
    const owned = new Set((await listOwned(database, owner)).map(({ id }) => id));
    for (const id of before) if (!owned.has(id)) active.get(id)?.stop.abort(new JobStop('lost'));
  }

  const isFree = (job: Job, nowMs: number): boolean => {
    if (active.has(job.id)) return false;
    // A job has the name of this instance if its release could not be written.
    if (job.owner === null || job.owner === owner) return true;
    const last = seen.get(job.id);
    return last?.owner === job.owner && last.beat === job.beat && nowMs - last.sinceMs >= takeOverMs;
  };

  const notice = (jobs: readonly Job[], nowMs: number): void => {
    seen = new Map(
      jobs.map(({ id, owner: holder, beat }) => {
        const last = seen.get(id);
        const isSame = last?.owner === holder && last.beat === beat;
        return [id, { owner: holder, beat, sinceMs: isSame ? last.sinceMs : nowMs }];
      }),
    );
  };

  async function takeUp(): Promise<void> {
    const jobs = await listUnfinished(database, takes, mostRead);
    const nowMs = monotonicMs();
    const free = jobs.filter(job => isFree(job, nowMs));
    notice(jobs, nowMs);
    const running = [...active.values()].map(({ job }) => job);
    for (const job of chooseJobs(free, running)) {
      if (draining.signal.aborted) return;
      const [claimed] = await database.write([toClaim(job, owner), ...toTakeUp(job.id, owner, interruptedProblem())]);
      const [own] = claimed === 1 ? (await listOwned(database, owner)).filter(({ id }) => id === job.id) : [];
      if (own && !draining.signal.aborted) begin(own);
      else if (own) await database.write([toRelease(job.id, owner)]);
    }
  }

  return {
    get unfinished() {
      return Math.max(active.size, seen.size);
    },
    async tick() {
      try {
        await showLife();
        if (!draining.signal.aborted) await takeUp();
      } catch (error) {
        // While the database was unavailable, no instance could show that it is alive.
        seen = new Map();
        throw error;
      }
    },
    cancel: jobId => active.get(jobId)?.stop.abort(new JobStop('cancelled')),
    async drain() {
      draining.abort(new JobStop('stopped'));
      await Promise.all([...active.values()].map(({ ended }) => ended));
    },
    async close() {
      draining.abort(new JobStop('stopped'));
      for (const { stop } of active.values()) stop.abort(new JobStop('stopped'));
      await Promise.all([...active.values()].map(({ ended }) => ended));
    },
  };
}
