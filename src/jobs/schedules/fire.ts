/** Makes a job of every schedule whose time has come: of several instances one does, and of missed times one is caught up. */
import { createResultId } from '../../results/result-id.ts';
import type { SqlDatabase } from '../../results/sql/database.ts';
import { toJobInsert } from '../sql/job-rows.ts';
import { toPageInserts, toPagesRemoval } from '../sql/page-rows.ts';
import { listDue, readScheduleUrls, toFire, wasFiredFor } from '../sql/schedule-rows.ts';
import { toPages } from '../to-pages.ts';
import { nextTimeAfter } from './next-time.ts';

const mostAtOnce = 20;

/** @returns how many jobs it made */
export async function fireDue(database: SqlDatabase, nowMs: number): Promise<number> {
  let made = 0;
  for (const schedule of await listDue(database, nowMs, mostAtOnce)) {
    const { id, client, request, rhythm, callback, createdAtMs } = schedule;
    const urls = await readScheduleUrls(database, id);
    const { pages, counts } = toPages(urls.map(url => ({ url, error: null })));
    const jobId = createResultId(nowMs);
    const job = { id: jobId, client, request, callback, scheduleId: id, createdAtMs: nowMs };
    const fired = { jobId, nowMs, nextAtMs: nextTimeAfter(rhythm, createdAtMs, nowMs) };
    const [taken] = await database.write([
      toFire(schedule, fired),
      toJobInsert(job, counts, wasFiredFor(id, jobId)),
      ...toPageInserts(jobId, pages),
    ]);
    if (taken === 1) made += 1;
    else await database.write([toPagesRemoval(jobId)]);
  }
  return made;
}
