import type { Job } from '../job.ts';

/** Lists that one instance works on at once, and single pages beside them: what is more waits in the table. */
const mostBatches = 32;
const mostSingles = 64;

const isSingle = ({ total }: Job): boolean => total === 1;

/** Clients take turns: the one with the fewest under way is next; of one client the oldest. */
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

/** What to take up next. @param waiting of each client the oldest first */
export const chooseJobs = (waiting: readonly Job[], running: readonly Job[]): Job[] => [
  ...choose(waiting.filter(isSingle), running.filter(isSingle), mostSingles),
  ...choose(
    waiting.filter(job => !isSingle(job)),
    running.filter(job => !isSingle(job)),
    mostBatches,
  ),
];
