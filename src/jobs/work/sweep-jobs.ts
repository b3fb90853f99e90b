/** Removes jobs a day after their end, a few rows at a time and beside all else. */
import type { SqlDatabase } from '../../results/sql/database.ts';
import { keepMs } from '../job.ts';
import { listExpired, removeJob } from '../sql/job-rows.ts';

const everyMs = 10 * 60_000;
const atOnce = 50;

export type JobSweeper = {
  /** Begins a sweep where the last one is long ago. */
  tick(): void;
  close(): Promise<void>;
};

export function createJobSweeper({ database, now }: { database: SqlDatabase; now: () => number }): JobSweeper {
  let sweptAtMs = 0;
  let sweeping: Promise<void> | undefined;
  let isClosed = false;

  const sweep = async (): Promise<void> => {
    const next = () => listExpired(database, now() - keepMs, atOnce);
    for (let ids = await next(); ids.length > 0; ids = await next())
      for (const id of ids) {
        if (isClosed) return;
        await removeJob(database, id);
      }
  };

  return {
    tick() {
      if (sweeping || Math.abs(now() - sweptAtMs) < everyMs) return;
      sweptAtMs = now();
      sweeping = sweep()
        // The next one goes on from there.
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
