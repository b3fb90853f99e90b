/** Jobs as rows: who works on them, and how far they are. Every change that another instance may want, too, is conditional. */
import type { Problem } from '../../contract/problem.ts';
import type { Row, SqlDatabase, SqlValue, Statement } from '../../results/sql/database.ts';
import type { Job, JobState, NewJob } from '../job.ts';
import { fromJson, toReader } from './columns.ts';

const names = [
  ...['id', 'client', 'request', 'state', 'total', 'done', 'failed', 'attempt', 'owner', 'beat'],
  ...['created_at', 'started_at', 'ended_at', 'error', 'callback', 'schedule_id'],
];
export const jobColumns = names.join(', ');
const readerOf = toReader(names);

export const toJob = (row: Row): Job => {
  const at = readerOf(row);
  return {
    id: at('id'),
    client: at('client'),
    request: JSON.parse(at('request')),
    state: at<JobState>('state'),
    total: at('total'),
    done: at('done'),
    failed: at('failed'),
    attempt: at('attempt'),
    owner: at('owner'),
    beat: at('beat'),
    createdAtMs: at('created_at'),
    startedAtMs: at('started_at'),
    endedAtMs: at('ended_at'),
    error: fromJson<Problem>(at('error')),
    callback: at('callback'),
    scheduleId: at('schedule_id'),
  };
};

/** The types of the columns, which PostgreSQL does not see where a value is selected. */
const insertColumns: readonly [name: string, type: 'TEXT' | 'BIGINT'][] = [
  ['id', 'TEXT'],
  ['client', 'TEXT'],
  ['request', 'TEXT'],
  ['state', 'TEXT'],
  ['total', 'BIGINT'],
  ['done', 'BIGINT'],
  ['failed', 'BIGINT'],
  ['attempt', 'BIGINT'],
  ['beat', 'BIGINT'],
  ['created_at', 'BIGINT'],
  ['callback', 'TEXT'],
  ['schedule_id', 'TEXT'],
];
const insertStart = `INSERT INTO jobs (${insertColumns.map(([name]) => name).join(', ')})
  SELECT ${insertColumns.map(([, type]) => `CAST(? AS ${type})`).join(', ')}`;

export type JobCounts = { total: number; done: number; failed: number };

/** @param condition the job is added only where it holds */
export const toJobInsert = (job: NewJob, { total, done, failed }: JobCounts, condition?: Statement): Statement => ({
  sql: condition ? `${insertStart} WHERE ${condition.sql}` : insertStart,
  values: [
    ...[job.id, job.client, JSON.stringify(job.request), 'queued', total, done, failed, 0, 0, job.createdAtMs],
    ...[job.callback, job.scheduleId],
    ...(condition?.values ?? []),
  ],
});

const select = async (database: SqlDatabase, rest: string, values: readonly SqlValue[]): Promise<Job[]> =>
  (await database.rows({ sql: `SELECT ${jobColumns} FROM jobs ${rest}`, values })).map(toJob);

export const readJob = async (database: SqlDatabase, id: string): Promise<Job | undefined> =>
  (await select(database, 'WHERE id = ?', [id]))[0];

export const listJobs = (database: SqlDatabase, client: string, limit: number): Promise<Job[]> =>
  select(database, 'WHERE client = ? ORDER BY created_at DESC, id DESC LIMIT ?', [client, limit]);

/** Of each client the oldest first, and clients in turn: one with thousands does not hide those of others. */
export const listUnfinished = (database: SqlDatabase, limit: number): Promise<Job[]> =>
  select(
    database,
    `JOIN (
      SELECT id AS open_id, row_number() OVER (PARTITION BY client ORDER BY created_at, id) AS turn
      FROM jobs WHERE ended_at IS NULL
    ) AS unfinished ON open_id = id ORDER BY turn, created_at, id LIMIT ?`,
    [limit],
  );

export const listOwned = (database: SqlDatabase, owner: string): Promise<Job[]> =>
  select(database, 'WHERE ended_at IS NULL AND owner = ?', [owner]);

const countOf = async (database: SqlDatabase, statement: Statement): Promise<number> =>
  Number((await database.rows(statement))[0]?.[0]);

export const countUnfinished = (database: SqlDatabase, client: string): Promise<number> =>
  countOf(database, { sql: 'SELECT count(*) FROM jobs WHERE client = ? AND ended_at IS NULL', values: [client] });

/** How many began to wait before this one. */
export const countBefore = (database: SqlDatabase, { createdAtMs, id }: Pick<Job, 'createdAtMs' | 'id'>) =>
  countOf(database, {
    sql: "SELECT count(*) FROM jobs WHERE ended_at IS NULL AND state = 'queued' AND (created_at, id) < (?, ?)",
    values: [createdAtMs, id],
  });

/** Another owner of one that has none, or whose owner is as it was seen. */
export const toClaim = ({ id, owner, beat }: Job, newOwner: string): Statement =>
  owner === null
    ? {
        sql: `UPDATE jobs SET owner = ?, beat = beat + 1, attempt = attempt + 1
          WHERE id = ? AND owner IS NULL AND ended_at IS NULL`,
        values: [newOwner, id],
      }
    : {
        sql: `UPDATE jobs SET owner = ?, beat = beat + 1, attempt = attempt + 1
          WHERE id = ? AND owner = ? AND beat = ? AND ended_at IS NULL`,
        values: [newOwner, id, owner, beat],
      };

export const toBeat = (owner: string): Statement => ({
  sql: 'UPDATE jobs SET beat = beat + 1 WHERE owner = ? AND ended_at IS NULL',
  values: [owner],
});

/** A job goes on elsewhere, or later. */
export const toRelease = (id: string, owner: string): Statement => ({
  sql: 'UPDATE jobs SET owner = NULL WHERE id = ? AND owner = ? AND ended_at IS NULL',
  values: [id, owner],
});

export const toStart = (id: string, owner: string, nowMs: number): Statement => ({
  sql: `UPDATE jobs SET state = 'running', started_at = coalesce(started_at, ?) WHERE id = ? AND owner = ?
    AND ended_at IS NULL`,
  values: [nowMs, id, owner],
});

export type JobEnd = { state: JobState; error: Problem | null; endedAtMs: number };

/** @param owner undefined: whoever has it */
export const toEnd = (id: string, { state, error, endedAtMs }: JobEnd, owner?: string): Statement => ({
  sql: `UPDATE jobs SET state = ?, error = ?, ended_at = ?, owner = NULL WHERE id = ? AND ended_at IS NULL
    ${owner === undefined ? '' : 'AND owner = ?'}`,
  values: [state, error && JSON.stringify(error), endedAtMs, id, ...(owner === undefined ? [] : [owner])],
});

/** The answers of so many pages are some MB to free: a few milliseconds. */
const stepRows = 500;

/** In small steps; the job itself goes last, so that what was interrupted is found again. */
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
    { sql: 'DELETE FROM jobs WHERE id = ?', values: [id] },
  ]);
}

/** Ended before a time; the one that the next run of a schedule is held against stays. */
export async function listExpired(database: SqlDatabase, beforeMs: number, limit: number): Promise<string[]> {
  const sql = `SELECT id FROM jobs WHERE ended_at < ?
    AND NOT EXISTS (SELECT 1 FROM schedules WHERE schedules.previous_job_id = jobs.id) ORDER BY ended_at LIMIT ?`;
  return (await database.rows({ sql, values: [beforeMs, limit] })).map(([id]) => String(id));
}
