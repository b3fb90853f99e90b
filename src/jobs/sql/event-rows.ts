/** What was told of a job, numbered from 1: a reader goes on after the last number that it has. */
import type { SqlDatabase, Statement } from '../../storage/database/sql.ts';
import type { JobEvent } from '../job.ts';

/**
 * Under the next number; only the owner of a job tells.
 * @param condition the event is told only where it holds
 */
export const toEventInsert = (
  { jobId, owner, event, data }: { jobId: string; owner: string; event: string; data: unknown },
  condition?: Statement,
): Statement => ({
  sql: `INSERT INTO job_events (job_id, number, event, data)
    SELECT CAST(? AS TEXT),
      coalesce((SELECT number FROM job_events WHERE job_id = ? ORDER BY number DESC LIMIT 1), 0) + 1,
      CAST(? AS TEXT), CAST(? AS TEXT)
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ? AND owner = ?) AND ${condition?.sql ?? '1 = 1'}
    ON CONFLICT (job_id, number) DO NOTHING`,
  values: [jobId, jobId, event, JSON.stringify(data), jobId, owner, ...(condition?.values ?? [])],
});

export async function listEvents(
  database: SqlDatabase,
  jobId: string,
  { after, limit }: { after: number; limit: number },
): Promise<JobEvent[]> {
  const sql = 'SELECT number, event, data FROM job_events WHERE job_id = ? AND number > ? ORDER BY number LIMIT ?';
  const rows = await database.rows({ sql, values: [jobId, after, limit] });
  return rows.map(([number, event, data]) => ({ number: Number(number), event: String(event), data: String(data) }));
}
