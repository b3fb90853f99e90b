/** Removes jobs a day after their end, a few rows at a time, so that other queries are not delayed. */
import type { SqlDatabase } from '../../storage/database/sql.ts';
import { listEndedJobs, removeJob } from '../../storage/results/sql/job-room.ts';
import { keepMs } from '../job.ts';
import { toEndedBy } from '../statements.ts';

const everyMs = 10 * 60_000;
const atOnce = 50;
/** Tolerance for end times in the future, from clocks that are slightly ahead. */
const mostAheadMs = 60 * 60_000;

/**
 * Creates the sweep of a worker.
 * @param mayRemove whether the clock is trusted
 */
export function createJobSweeper(
  database: SqlDatabase,
  { now, mayRemove, onRemoved }: { now: () => number; mayRemove: () => boolean; onRemoved: (count: number) => void },
) {
  let sweptAtMs = 0;
  let sweeping: Promise<void> | undefined;
  let isClosed = false;

  const sweep = async (): Promise<void> => {
    let removed = 0;
    try {
      await database.write([toEndedBy(now(), mostAheadMs)]);
      const next = () => listEndedJobs(database, now() - keepMs, atOnce);
      for (let ids = await next(); ids.length > 0; ids = await next())
        for (const id of ids) {
          if (isClosed || !mayRemove()) return;
          await removeJob(database, id);
          removed += 1;
        }
    } catch {
      // The next sweep continues from there.
    } finally {
      sweeping = undefined;
      if (removed > 0) onRemoved(removed);
    }
  };

  return {
    /** Starts a sweep if the last one was long enough ago. */
    tick() {
      if (sweeping || !mayRemove() || Math.abs(now() - sweptAtMs) < everyMs) return;
      sweptAtMs = now();
      sweeping = sweep();
    },
    async close() {
      isClosed = true;
      await sweeping;
    },
  };
}
