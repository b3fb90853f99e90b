/** How much may wait in the tables: of one client, and of all clients together. */
import type { UnfinishedGroup } from './sql/job-rows.ts';

export const jobBounds = { own: { jobs: 200, pages: 100_000 }, all: { jobs: 5000, pages: 500_000 } };
export const scheduleBounds = { own: { schedules: 100, pages: 100_000 }, all: { schedules: 2000, pages: 500_000 } };

export const sumOf = <Name extends string>(groups: readonly Record<Name, number>[], name: Name): number =>
  groups.reduce((sum, group) => sum + group[name], 0);

/** Which bound another job of so many pages would exceed. */
export function exceededBound(
  groups: readonly UnfinishedGroup[],
  client: string,
  pages: number,
): 'own jobs' | 'own pages' | 'all' | undefined {
  const own = groups.filter(group => group.client === client);
  if (sumOf(own, 'jobs') >= jobBounds.own.jobs) return 'own jobs';
  if (sumOf(own, 'pages') + pages > jobBounds.own.pages) return 'own pages';
  const isFull = sumOf(groups, 'jobs') >= jobBounds.all.jobs || sumOf(groups, 'pages') + pages > jobBounds.all.pages;
  return isFull ? 'all' : undefined;
}
