/**
 * Measures and frees the space that jobs take in the database of results. The other queries for jobs are in src/jobs/.
 */
import { every, raw, readNumber, readTexts, type SqlDatabase, sql } from '../../database/sql.ts';

/** Overhead of a row in bytes, in addition to its texts and its answer. */
const rowBytes = 100;

const toSize = (...columns: readonly string[]): string =>
  `coalesce(sum(${columns.map(column => `coalesce(octet_length(part.${column}), 0)`).join(' + ')} + ${rowBytes}), 0)`;

const parts = [
  { table: 'jobs', key: 'id', size: toSize('request', 'error', 'callback') },
  { table: 'job_pages', key: 'job_id', size: toSize('url', 'outcome', 'answer') },
  { table: 'job_events', key: 'job_id', size: toSize('data') },
  { table: 'deliveries', key: 'job_id', size: toSize('url', 'body') },
  { table: 'job_secrets', key: 'job_id', size: toSize('content') },
];

/** Returns the bytes of all jobs of each client. */
async function sizesOfClients(database: SqlDatabase): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const { table, key, size } of parts) {
    const rows = await database.rows(
      raw(`SELECT jobs.client, ${size} FROM ${table} AS part JOIN jobs ON jobs.id = part.${key} GROUP BY jobs.client`),
    );
    for (const [client, bytes] of rows) sizes.set(`${client}`, (sizes.get(`${client}`) ?? 0) + Number(bytes));
  }
  return sizes;
}

const sizeOfSchedules = (database: SqlDatabase): Promise<number> =>
  readNumber(database, raw(`SELECT ${toSize('urls', 'request')} FROM schedules AS part`));

export async function sizeOfJobs(database: SqlDatabase): Promise<number> {
  const sizes = await sizesOfClients(database);
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, await sizeOfSchedules(database));
}

async function sizeOfJob(database: SqlDatabase, id: string): Promise<number> {
  let bytes = 0;
  for (const { table, key, size } of parts)
    bytes += await readNumber(database, sql`${raw(`SELECT ${size} FROM ${table} AS part WHERE ${key} =`)} ${id}`);
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

/**
 * Lists ended jobs, oldest first, except those that the next run of a schedule will be compared with. Jobs whose
 * callback is still to be delivered are last.
 * @param client lists only those of one client
 */
export const listEndedJobs = (
  database: SqlDatabase,
  beforeMs: number,
  limit: number,
  client?: string,
): Promise<string[]> =>
  readTexts(
    database,
    sql`SELECT id FROM jobs WHERE ${every(
      sql`ended_at < ${beforeMs}`,
      raw('NOT EXISTS (SELECT 1 FROM schedules WHERE schedules.previous_job_id = jobs.id)'),
      client !== undefined && sql`client = ${client}`,
    )} ORDER BY EXISTS (SELECT 1 FROM deliveries WHERE deliveries.job_id = jobs.id AND deliveries.state = 'waiting'),
      ended_at, id LIMIT ${limit}`,
  );

/**
 * Removes ended jobs until all take at most `keepBytes`: the oldest of the client whose jobs take most. Unfinished jobs
 * are not removed, nor are those that the next run of a schedule will be compared with.
 * @returns the remaining bytes, and the number of removed jobs
 */
export async function removeExcessJobs(
  database: SqlDatabase,
  keepBytes: number,
): Promise<{ bytes: number; removed: number }> {
  const sizes = await sizesOfClients(database);
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, await sizeOfSchedules(database));
  let removed = 0;
  while (bytes > keepBytes && sizes.size > 0) {
    const [[client, size]] = [...sizes].toSorted(([, one], [, other]) => other - one) as [[string, number]];
    const [oldest] = await listEndedJobs(database, Number.MAX_SAFE_INTEGER, 1, client);
    if (oldest === undefined) {
      sizes.delete(client);
      continue;
    }
    const freed = await sizeOfJob(database, oldest);
    await removeJob(database, oldest);
    sizes.set(client, size - freed);
    bytes -= freed;
    removed += 1;
  }
  return { bytes, removed };
}
