/**
 * Measures and frees the space that jobs take in the database of results. The other queries for jobs are in src/jobs/.
 */
import { readNumber, readTexts, type SqlDatabase } from '../../database/sql.ts';

/** Overhead of a row in bytes, in addition to its texts and its answer. */
const rowBytes = 100;

const sizeOf = (columns: readonly string[]): string =>
  `coalesce(sum(${columns.map(column => `coalesce(octet_length(${column}), 0)`).join(' + ')} + ${rowBytes}), 0)`;

const tables = [
  { name: 'jobs', key: 'id', size: sizeOf(['request', 'error', 'callback']) },
  { name: 'job_pages', key: 'job_id', size: sizeOf(['url', 'outcome', 'answer']) },
  { name: 'job_events', key: 'job_id', size: sizeOf(['data']) },
  { name: 'deliveries', key: 'job_id', size: sizeOf(['url', 'body']) },
  { name: 'job_secrets', key: 'job_id', size: sizeOf(['content']) },
];

/** Returns the size of all jobs and schedules in bytes. */
export async function sizeOfJobs(database: SqlDatabase): Promise<number> {
  let bytes = await readNumber(database, `SELECT ${sizeOf(['urls', 'request'])} FROM schedules`);
  for (const { name, size } of tables) bytes += await readNumber(database, `SELECT ${size} FROM ${name}`);
  return bytes;
}

async function sizeOfJob(database: SqlDatabase, id: string): Promise<number> {
  let bytes = 0;
  for (const { name, key, size } of tables)
    bytes += await readNumber(database, `SELECT ${size} FROM ${name} WHERE ${key} = ?`, [id]);
  return bytes;
}

/** Rows per step. Freeing the answers of this many pages, some MB, takes a few milliseconds. */
const stepRows = 500;

/** Removes a job in small steps. Its own row is removed last, so that an interrupted removal can continue. */
export async function removeJob(database: SqlDatabase, id: string): Promise<void> {
  const longTables = [
    ['job_pages', 'position'],
    ['job_events', 'number'],
  ] as const;
  for (const [table, key] of longTables) {
    const sql = `DELETE FROM ${table} WHERE job_id = ? AND ${key} IN
      (SELECT ${key} FROM ${table} WHERE job_id = ? ORDER BY ${key} LIMIT ${stepRows})`;
    for (let removed = stepRows; removed === stepRows; )
      removed = (await database.write([{ sql, values: [id, id] }]))[0] ?? 0;
  }
  await database.write([
    { sql: 'DELETE FROM deliveries WHERE job_id = ?', values: [id] },
    { sql: 'DELETE FROM job_secrets WHERE job_id = ?', values: [id], erases: true },
    { sql: 'DELETE FROM jobs WHERE id = ?', values: [id] },
  ]);
}

/** Lists ended jobs, oldest first, except those that the next run of a schedule will be compared with. */
export function listEndedJobs(database: SqlDatabase, beforeMs: number, limit: number): Promise<string[]> {
  const sql = `SELECT id FROM jobs WHERE ended_at < ?
    AND NOT EXISTS (SELECT 1 FROM schedules WHERE schedules.previous_job_id = jobs.id) ORDER BY ended_at, id LIMIT ?`;
  return readTexts(database, sql, [beforeMs, limit]);
}

/**
 * Removes the oldest ended jobs until jobs take at most `keepBytes`. Unfinished jobs are not removed, nor are those
 * that the next run of a schedule will be compared with.
 * @returns the remaining bytes, and the number of removed jobs
 */
export async function removeExcessJobs(
  database: SqlDatabase,
  keepBytes: number,
): Promise<{ bytes: number; removed: number }> {
  let bytes = await sizeOfJobs(database);
  let removed = 0;
  while (bytes > keepBytes) {
    const [oldest] = await listEndedJobs(database, Number.MAX_SAFE_INTEGER, 1);
    if (oldest === undefined) break;
    bytes -= await sizeOfJob(database, oldest);
    await removeJob(database, oldest);
    removed += 1;
  }
  return { bytes, removed };
}
