/**
 * What the work on a job needs and no reader may see: headers and texts of an experiment. A row is written with its job,
 * and removed with the end of the job.
 */
import type { SqlDatabase, Statement } from '../../storage/database/sql.ts';

/** After the statement that adds the job: if it was not added, its secret is not either. */
export const toSecretInsert = (jobId: string, content: string): Statement => ({
  sql: `INSERT INTO job_secrets (job_id, content) SELECT CAST(? AS TEXT), CAST(? AS TEXT)
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?) ON CONFLICT DO NOTHING`,
  values: [jobId, content, jobId],
});

/** After the statement that ends the job: a former owner, who ended nothing, removes nothing. */
export const toSecretRemoval = (jobId: string): Statement => ({
  sql: `DELETE FROM job_secrets WHERE job_id = ?
    AND EXISTS (SELECT 1 FROM jobs WHERE id = ? AND ended_at IS NOT NULL)`,
  values: [jobId, jobId],
});

export async function readSecret(database: SqlDatabase, jobId: string): Promise<string | undefined> {
  const [row] = await database.rows({ sql: 'SELECT content FROM job_secrets WHERE job_id = ?', values: [jobId] });
  return row && String(row[0]);
}
