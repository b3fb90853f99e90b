/** Jobs as rows, with their owner and progress. Every update that another instance may also attempt is conditional. */

import { createHash } from 'node:crypto';
import type { Problem } from '../../contract/problem.ts';
import { placeholders, type Row, type SqlDatabase, type SqlValue, type Statement } from '../../storage/database/sql.ts';
import type { Job, JobState, NewJob } from '../job.ts';
import { type Published, type Takers, whereTaken } from '../job-policy.ts';
import { fromJson, type ListPlace, toReader, whereListed } from './columns.ts';

/* Rules of the instances as rows. Instances with the same rules share a row. */

const toId = (takes: Published): string => createHash('sha256').update(JSON.stringify(takes)).digest('base64url');

/**
 * Records that an instance is present, or has stopped. Others with the same rules soon record again that they are
 * present.
 */
export const toTaker = (takes: Published, seenAtMs: number): Statement => ({
  sql: `INSERT INTO job_takers (id, targets, takes, seen_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
  values: [toId(takes), takes.targets, JSON.stringify(takes), seenAtMs],
});

/** @param silentMs time after which a silent instance counts as stopped, or if its clock is this far ahead */
export async function readTakers(
  database: SqlDatabase,
  { own, nowMs, silentMs }: { own: Published; nowMs: number; silentMs: number },
): Promise<Takers> {
  const rows = await database.rows({ sql: 'SELECT targets, takes, seen_at FROM job_takers', values: [] });
  const running = rows.filter(([, , seenAtMs]) => Math.abs(Number(seenAtMs) - nowMs) <= silentMs);
  return {
    running: [own, ...running.map(([, takes]) => JSON.parse(String(takes)) as Published)],
    targets: rows.map(([targets]) => String(targets)),
  };
}

const names = [
  ...['id', 'client', 'request', 'state', 'total', 'done', 'failed', 'attempt', 'owner', 'beat'],
  ...['created_at', 'started_at', 'ended_at', 'error', 'callback', 'schedule_id', 'policy'],
];
const jobColumns = names.join(', ');
const readerOf = toReader(names);

const toJob = (row: Row): Job => {
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
    policy: at('policy'),
  };
};

/** Columns with their types, which PostgreSQL cannot infer for a selected value. */
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
  ['policy', 'TEXT'],
  ['idempotency_key', 'TEXT'],
  ['order_digest', 'TEXT'],
];
const insertStart = `INSERT INTO jobs (${insertColumns.map(([name]) => name).join(', ')})
  SELECT ${insertColumns.map(([, type]) => `CAST(? AS ${type})`).join(', ')}`;

export type JobCounts = { total: number; done: number; failed: number };

/**
 * Adds a job, unless the client has one with the same idempotency key.
 * @param condition the job is added only if it is true
 */
export const toJobInsert = (job: NewJob, { total, done, failed }: JobCounts, condition?: Statement): Statement => ({
  sql: `${insertStart} WHERE ${condition?.sql ?? '1 = 1'} ON CONFLICT DO NOTHING`,
  values: [
    ...[job.id, job.client, JSON.stringify(job.request), 'queued', total, done, failed, 0, 0, job.createdAtMs],
    ...[job.callback, job.scheduleId, job.policy, job.idempotency?.key ?? null, job.idempotency?.digest ?? null],
    ...(condition?.values ?? []),
  ],
});

const select = async (database: SqlDatabase, rest: string, values: readonly SqlValue[]): Promise<Job[]> =>
  (await database.rows({ sql: `SELECT ${jobColumns} FROM jobs ${rest}`, values })).map(toJob);

export const readJob = async (database: SqlDatabase, id: string): Promise<Job | undefined> =>
  (await select(database, 'WHERE id = ?', [id]))[0];

/** @param client null for all clients */
export const listJobs = (database: SqlDatabase, client: string | null, place: ListPlace): Promise<Job[]> => {
  const { sql, values } = whereListed(client, place);
  return select(database, sql, values);
};

/** Returns the job or schedule that a client created with an idempotency key. */
export async function findByIdempotencyKey(
  database: SqlDatabase,
  table: 'jobs' | 'schedules',
  client: string,
  key: string,
): Promise<{ id: string; digest: string } | undefined> {
  const sql = `SELECT id, order_digest FROM ${table} WHERE client = ? AND idempotency_key = ?`;
  const [row] = await database.rows({ sql, values: [client, key] });
  return row && { id: String(row[0]), digest: String(row[1]) };
}

/**
 * Lists unfinished jobs that this instance accepts: the oldest first for each client, and clients in turn. Therefore
 * thousands of jobs of one client do not hide those of others.
 */
export const listUnfinished = (database: SqlDatabase, takes: Published, limit: number): Promise<Job[]> => {
  const taken = whereTaken(takes, 'jobs');
  return select(
    database,
    `JOIN (
      SELECT id AS open_id, row_number() OVER (PARTITION BY client ORDER BY created_at, id) AS turn
      FROM jobs WHERE ended_at IS NULL AND ${taken.sql}
    ) AS unfinished ON open_id = id ORDER BY turn, created_at, id LIMIT ?`,
    [...taken.values, limit],
  );
};

export type UnfinishedGroup = { policy: string | null; client: string; jobs: number; pages: number };

/** Counts unfinished jobs and their unfinished pages by policy and client, across all instances. */
export async function countUnfinishedGroups(database: SqlDatabase): Promise<UnfinishedGroup[]> {
  const sql = `SELECT policy, client, count(*), sum(total - done) FROM jobs WHERE ended_at IS NULL
    GROUP BY policy, client`;
  const rows = await database.rows({ sql, values: [] });
  return rows.map(([policy, client, jobs, pages]) => ({
    policy: policy === null ? null : String(policy),
    client: String(client),
    jobs: Number(jobs),
    pages: Number(pages),
  }));
}

export const listOwned = (database: SqlDatabase, owner: string): Promise<Job[]> =>
  select(database, 'WHERE ended_at IS NULL AND owner = ?', [owner]);

/** Counts the waiting jobs that were created before each of these, by its id. */
export async function countBefore(
  database: SqlDatabase,
  jobs: readonly Pick<Job, 'id' | 'state'>[],
): Promise<ReadonlyMap<string, number>> {
  const ids = jobs.flatMap(({ id, state }) => (state === 'queued' ? [id] : []));
  if (ids.length === 0) return new Map();
  const sql = `SELECT id, place FROM (
      SELECT id, row_number() OVER (ORDER BY created_at, id) AS place
      FROM jobs WHERE ended_at IS NULL AND state = 'queued'
    ) AS waiting WHERE id IN (${placeholders(ids.length)})`;
  const rows = await database.rows({ sql, values: ids });
  return new Map(rows.map(([id, place]) => [String(id), Number(place) - 1]));
}

/** Claims a job that has no owner, or whose owner has not incremented its counter since the job was read. */
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

/** Releases a job, so that it continues later or on another instance. */
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

/** @param owner undefined for any owner */
export const toEnd = (id: string, { state, error, endedAtMs }: JobEnd, owner?: string): Statement => ({
  sql: `UPDATE jobs SET state = ?, error = ?, ended_at = ?, owner = NULL WHERE id = ? AND ended_at IS NULL
    ${owner === undefined ? '' : 'AND owner = ?'}`,
  values: [state, error && JSON.stringify(error), endedAtMs, id, ...(owner === undefined ? [] : [owner])],
});

/**
 * Sets end times in the future, from other clocks, to the current time, because these jobs would be stored too long.
 */
export const toEndedBy = (nowMs: number, mostAheadMs: number): Statement => ({
  sql: 'UPDATE jobs SET ended_at = ? WHERE ended_at > ?',
  values: [nowMs, nowMs + mostAheadMs],
});
