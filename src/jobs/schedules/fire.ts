/**
 * Creates a job for every schedule that is due. Only one instance creates it, and several missed times lead to only one
 * job.
 */

import type { SqlDatabase } from '../../storage/database/sql.ts';
import { createResultId } from '../../storage/results/result-id.ts';
import { exceededBound, jobBounds, scheduleBounds } from '../job.ts';
import type { Published } from '../job-policy.ts';
import {
  countUnfinishedGroups,
  listDue,
  listWaitingSchedules,
  readScheduleUrls,
  toFire,
  toJobInsert,
  toNextAt,
  toPageInserts,
  toPagesRemoval,
  wasFiredFor,
} from '../statements.ts';
import { toPages } from '../to-pages.ts';
import { nextTimeAfter } from './next-time.ts';

const mostAtOnce = 20;

/**
 * Creates the due jobs. Schedules of a client that has reached its limits run later.
 * @returns the number of jobs created
 */
export async function fireDue(database: SqlDatabase, takes: Published, nowMs: number): Promise<number> {
  let made = 0;
  const due = await listDue(database, takes, nowMs, scheduleBounds.all.count);
  const unfinished = due.length > 0 ? await countUnfinishedGroups(database) : [];
  for (const schedule of due) {
    if (made === mostAtOnce) break;
    if (exceededBound(jobBounds, unfinished, schedule.client, schedule.pages)) continue;
    const { id, client, request, rhythm, callback, createdAtMs, policy } = schedule;
    const urls = await readScheduleUrls(database, id);
    const { pages, counts } = toPages(urls.map(url => ({ url, error: null })));
    const jobId = createResultId(nowMs);
    const job = { id: jobId, client, request, callback, scheduleId: id, createdAtMs: nowMs, policy };
    const fired = { jobId, nowMs, nextAtMs: nextTimeAfter(rhythm, createdAtMs, nowMs) };
    const [taken] = await database.write([
      toFire(schedule, fired),
      toJobInsert(job, counts, wasFiredFor(id, jobId)),
      ...toPageInserts(jobId, pages),
      toPagesRemoval(jobId),
    ]);
    if (taken !== 1) continue;
    made += 1;
    unfinished.push({ policy, client, count: 1, pages: counts.total - counts.done });
  }
  return made;
}

/**
 * Moves schedules to the first of their times after now, because a process with a wrong clock may have postponed them
 * by a year.
 */
export async function bringNear(database: SqlDatabase, nowMs: number): Promise<void> {
  for (const schedule of await listWaitingSchedules(database, nowMs)) {
    const nextAtMs = nextTimeAfter(schedule.rhythm, schedule.createdAtMs, nowMs);
    if (nextAtMs !== null && nextAtMs < (schedule.nextAtMs ?? Number.POSITIVE_INFINITY))
      await database.write([toNextAt(schedule, nextAtMs)]);
  }
}
