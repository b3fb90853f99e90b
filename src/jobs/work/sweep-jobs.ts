/** Removes jobs a day after their end, a few rows at a time, so that other queries are not delayed. */
import type { SqlDatabase } from '../../storage/database/sql.ts';
import { listEndedJobs, removeJob } from '../../storage/results/sql/job-room.ts';
import { keepMs } from '../job.ts';
import { toEndedBy } from '../statements.ts';

const everyMs = 10 * 60_000;
const atOnce = 50;
/** Tolerance for end times in the future, from clocks that are slightly ahead. */
const mostAheadMs = 60 * 60_000;

export type JobSweeper = {
  /** Starts a sweep if the last one was long enough ago. */
  tick(): void;
  close(): Promise<void>;
};

export function createJobSweeper({
  database,
  now,
  mayRemove,
  onRemoved,
}: {
  database: SqlDatabase;
  now: () => number;
  /** Whether the clock is trusted. */
  mayRemove: () => boolean;
  onRemoved: (count: number) => void;
}): JobSweeper {
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
    } finally {
      if (removed > 0) onRemoved(removed);
    }
  };

  return {
    tick() {
      if (sweeping || !mayRemove() || Math.abs(now() - sweptAtMs) < everyMs) return;
      sweptAtMs = now();
      sweeping = sweep()
        // The next sweep continues from there.
        .catch(() => {})
        .finally(() => {
          sweeping = undefined;
        });
    },
    async close() {
      isClosed = true;
      await sweeping;
    },
  };
}
