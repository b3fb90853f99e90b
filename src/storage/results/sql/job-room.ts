/**
 * Measures and frees the space that jobs take in the database of results. The other queries for jobs are in src/jobs/.
 */
import { raw, readNumber, readTexts, type SqlDatabase, type Statement, sql } from '../../database/sql.ts';

/** Overhead of a row in bytes, in addition to its texts and its answer. */
const rowBytes = 100;

const sizeOf = (table: string, ...columns: readonly string[]): Statement =>
  raw(
    `SELECT coalesce(sum(${columns.map(column => `coalesce(octet_length(${column}), 0)`).join(' + ')} + ${rowBytes}), 0)
    FROM ${table}`,
  );

const sizes = [
  { size: sizeOf('jobs', 'request', 'error', 'callback'), key: raw('id') },
  { size: sizeOf('job_pages', 'url', 'outcome', 'answer'), key: raw('job_id') },
  { size: sizeOf('job_events', 'data'), key: raw('job_id') },
  { size: sizeOf('deliveries', 'url', 'body'), key: raw('job_id') },
  { size: sizeOf('job_secrets', 'content'), key: raw('job_id') },
];

export async function sizeOfJobs(database: SqlDatabase): Promise<number> {
  let bytes = await readNumber(database, sizeOf('schedules', 'urls', 'request'));
  for (const { size } of sizes) bytes += await readNumber(database, size);
  return bytes;
}

async function sizeOfJob(database: SqlDatabase, id: string): Promise<number> {
  let bytes = 0;
  for (const { key, size } of sizes) bytes += await readNumber(database, sql`${size} WHERE ${key} = ${id}`);
  return bytes;
}

/** Rows per step. Freeing the answers of this many pages, some MB, takes a few milliseconds. */
const stepRows = 500;

/** Removes a job in small steps. Its own row is removed last, so that an interrupted removal can continue. */
export async function removeJob(database: SqlDatabase, id: string): Promise<void> {
  for (const [table, key] of [
    [raw('job_pages'), raw('position')],
    [raw('job_events'), raw('number')],
  ] as const) {
    const removal = sql`DELETE FROM ${table} WHERE job_id = ${id} AND ${key} IN
      (SELECT ${key} FROM ${table} WHERE job_id = ${id} ORDER BY ${key} LIMIT ${stepRows})`;
    for (let removed = stepRows; removed === stepRows; ) removed = (await database.write([removal]))[0] ?? 0;
  }
  await database.write([
    sql`DELETE FROM deliveries WHERE job_id = ${id}`,
    { ...sql`DELETE FROM job_secrets WHERE job_id = ${id}`, erases: true },
    sql`DELETE FROM jobs WHERE id = ${id}`,
  ]);
}

/** Lists ended jobs, oldest first, except those that the next run of a schedule will be compared with. */
export const listEndedJobs = (database: SqlDatabase, beforeMs: number, limit: number): Promise<string[]> =>
  readTexts(
    database,
    sql`SELECT id FROM jobs WHERE ended_at < ${beforeMs}
      AND NOT EXISTS (SELECT 1 FROM schedules WHERE schedules.previous_job_id = jobs.id)
      ORDER BY ended_at, id LIMIT ${limit}`,
  );

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
