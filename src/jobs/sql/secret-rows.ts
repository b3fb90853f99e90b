/**
 * Data that the work on a job needs and that no reader may see: the headers and texts of an experiment. A row is
 * written with its job, and removed when the job ends.
 */
import type { SqlDatabase, Statement } from '../../storage/database/sql.ts';

/** Inserts the secret if the job was added. Use it after the statement that adds the job. */
export const toSecretInsert = (jobId: string, content: string): Statement => ({
  sql: `INSERT INTO job_secrets (job_id, content) SELECT CAST(? AS TEXT), CAST(? AS TEXT)
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?) ON CONFLICT DO NOTHING`,
  values: [jobId, content, jobId],
});

/**
 * Removes the secret of an ended job. Use it after the statement that ends the job. A former owner ends no job, and
 * therefore removes no secret.
 */
export const toSecretRemoval = (jobId: string): Statement => ({
  sql: `DELETE FROM job_secrets WHERE job_id = ?
    AND EXISTS (SELECT 1 FROM jobs WHERE id = ? AND ended_at IS NOT NULL)`,
  values: [jobId, jobId],
  erases: true,
});

export async function readSecret(database: SqlDatabase, jobId: string): Promise<string | undefined> {
  const [row] = await database.rows({ sql: 'SELECT content FROM job_secrets WHERE job_id = ?', values: [jobId] });
  return row && String(row[0]);
}
