import type { Row, SqlDatabase, SqlValue, Statement } from '../../storage/database/sql.ts';
import { placeholders } from '../../storage/database/sql.ts';
import type { ScheduledRequest } from '../job.ts';
import { type Published, whereTaken } from '../job-policy.ts';
import type { CallbackWhen, NewSchedule, Rhythm, Schedule } from '../schedules/next-time.ts';
import { type ListPlace, toReader, whereListed } from './columns.ts';

const names = [
  ...['id', 'client', 'request', 'pages', 'rhythm', 'paused', 'callback', 'callback_when', 'created_at'],
  ...['next_at', 'last_at', 'last_job_id', 'previous_job_id', 'policy'],
];
const readerOf = toReader(names);

const toSchedule = (row: Row): Schedule => {
  const at = readerOf(row);
  return {
    id: at('id'),
    client: at('client'),
    request: JSON.parse(at('request')) as ScheduledRequest,
    pages: at('pages'),
    rhythm: JSON.parse(at('rhythm')) as Rhythm,
    isPaused: at<number>('paused') === 1,
    callback: at('callback'),
    callbackWhen: at<CallbackWhen>('callback_when'),
    createdAtMs: at('created_at'),
    nextAtMs: at('next_at'),
    lastAtMs: at('last_at'),
    lastJobId: at('last_job_id'),
    previousJobId: at('previous_job_id'),
    policy: at('policy'),
  };
};

const select = async (database: SqlDatabase, rest: string, values: readonly SqlValue[]): Promise<Schedule[]> =>
  (await database.rows({ sql: `SELECT ${names.join(', ')} FROM schedules ${rest}`, values })).map(toSchedule);

const insertNames = [
  ...['id', 'client', 'request', 'urls', 'pages', 'rhythm', 'paused', 'callback', 'callback_when', 'created_at'],
  ...['next_at', 'policy', 'idempotency_key', 'order_digest'],
];

/** Adds a schedule, unless the client has one with the same idempotency key. */
export const toScheduleInsert = (schedule: NewSchedule): Statement => ({
  sql: `INSERT INTO schedules (${insertNames.join(', ')}) VALUES (${placeholders(insertNames.length)}) ON CONFLICT DO NOTHING`,
  values: [
    ...[schedule.id, schedule.client, JSON.stringify(schedule.request), JSON.stringify(schedule.urls)],
    ...[schedule.urls.length, JSON.stringify(schedule.rhythm), 0, schedule.callback, schedule.callbackWhen],
    ...[schedule.createdAtMs, schedule.nextAtMs, schedule.policy],
    ...[schedule.idempotency?.key ?? null, schedule.idempotency?.digest ?? null],
  ],
});

export const readSchedule = async (database: SqlDatabase, id: string): Promise<Schedule | undefined> =>
  (await select(database, 'WHERE id = ?', [id]))[0];

export async function readScheduleUrls(database: SqlDatabase, id: string): Promise<string[]> {
  const [row] = await database.rows({ sql: 'SELECT urls FROM schedules WHERE id = ?', values: [id] });
  return row ? (JSON.parse(String(row[0])) as string[]) : [];
}

/** Lists schedules, newest first. @param client null for all clients */
export const listSchedules = (database: SqlDatabase, client: string | null, place: ListPlace): Promise<Schedule[]> => {
  const { sql, values } = whereListed(client, place);
  return select(database, sql, values);
};

export type ScheduleGroup = { client: string; schedules: number; pages: number };

/** Counts schedules and their pages by client. */
export async function countSchedules(database: SqlDatabase): Promise<ScheduleGroup[]> {
  const sql = 'SELECT client, count(*), sum(pages) FROM schedules GROUP BY client';
  const rows = await database.rows({ sql, values: [] });
  return rows.map(([client, schedules, pages]) => ({
    client: String(client),
    schedules: Number(schedules),
    pages: Number(pages),
  }));
}

// A run under earlier rules does not count, because there may be no instance that accepts it.
const hasRun = `NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = schedules.last_job_id AND jobs.ended_at IS NULL
  AND jobs.policy IS NOT DISTINCT FROM schedules.policy)`;

/** Lists schedules that this instance accepts, that are due, and whose last job has ended. */
export const listDue = (database: SqlDatabase, takes: Published, nowMs: number, limit: number): Promise<Schedule[]> => {
  const taken = whereTaken(takes, 'schedules');
  return select(database, `WHERE paused = 0 AND next_at <= ? AND ${hasRun} AND ${taken.sql} ORDER BY next_at LIMIT ?`, [
    nowMs,
    ...taken.values,
    limit,
  ]);
};

/** Lists schedules that are not paused and whose next time is in the future or absent. */
export const listWaitingSchedules = (database: SqlDatabase, nowMs: number): Promise<Schedule[]> =>
  select(database, 'WHERE paused = 0 AND (next_at > ? OR next_at IS NULL)', [nowMs]);

/** Replaces the next time, if it is still the one that was read. */
export const toNextAt = ({ id, nextAtMs }: Pick<Schedule, 'id' | 'nextAtMs'>, timeMs: number): Statement => ({
  sql: `UPDATE schedules SET next_at = ? WHERE id = ? AND paused = 0 AND ${nextAtMs === null ? 'next_at IS NULL' : 'next_at = ?'}`,
  values: [timeMs, id, ...(nextAtMs === null ? [] : [nextAtMs])],
});

/**
 * Returns the time of the next due schedule, including those whose last job is still running; undefined if there is
 * none.
 */
export async function readNextDue(database: SqlDatabase, takes: Published): Promise<number | undefined> {
  const taken = whereTaken(takes, 'schedules');
  const sql = `SELECT min(next_at) FROM schedules WHERE paused = 0 AND ${taken.sql}`;
  const [row] = await database.rows({ sql, values: taken.values });
  return typeof row?.[0] === 'number' ? row[0] : undefined;
}

/** Counts schedules that are overdue although their last run has ended. */
export async function countLate(database: SqlDatabase, dueBeforeMs: number): Promise<number> {
  const sql = `SELECT count(*) FROM schedules WHERE paused = 0 AND next_at < ? AND ${hasRun}`;
  const [row] = await database.rows({ sql, values: [dueBeforeMs] });
  return Number(row?.[0]);
}

/** Claims one time of a schedule. Only one of several instances succeeds. */
export const toFire = (
  { id, nextAtMs }: Pick<Schedule, 'id' | 'nextAtMs'>,
  fired: { jobId: string; nowMs: number; nextAtMs: number | null },
): Statement => ({
  sql: `UPDATE schedules SET next_at = ?, last_at = ?, last_job_id = ? WHERE id = ? AND next_at = ? AND paused = 0`,
  values: [fired.nextAtMs, fired.nowMs, fired.jobId, id, nextAtMs],
});

/**
 * SQL condition that is true if the time was claimed for this job. Use it in the statement that adds the job, in the
 * same transaction.
 */
export const wasFiredFor = (id: string, jobId: string): Statement => ({
  sql: 'EXISTS (SELECT 1 FROM schedules WHERE id = ? AND last_job_id = ?)',
  values: [id, jobId],
});

export const toPause = (id: string): Statement => ({
  sql: 'UPDATE schedules SET paused = 1 WHERE id = ?',
  values: [id],
});

/** Resumes a schedule. Its next time is computed from now, with the rules of the instance that received the request. */
export const toResume = (id: string, policy: string, nextAtMs: number | null): Statement => ({
  sql: `UPDATE schedules SET paused = 0, next_at = ?, policy = ?
    WHERE id = ? AND (paused = 1 OR policy IS NULL OR policy <> ?)`,
  values: [nextAtMs, policy, id, policy],
});

/** Sets the job that the next run will be compared with. A cancelled job is not used. */
export const toPrevious = (id: string, jobId: string): Statement => ({
  sql: `UPDATE schedules SET previous_job_id = ? WHERE id = ?
    AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = ? AND jobs.state IN ('succeeded', 'failed'))`,
  values: [jobId, id, jobId],
});

/** Suppresses the callback of a running job, because its verdict changes can no longer be determined. */
const toSilence = (id: string): Statement => ({
  sql: `UPDATE jobs SET callback = NULL WHERE ended_at IS NULL AND id =
    (SELECT last_job_id FROM schedules WHERE id = ? AND callback_when = 'verdict_changes')`,
  values: [id],
});

export async function removeSchedule(database: SqlDatabase, id: string): Promise<boolean> {
  const removal = { sql: 'DELETE FROM schedules WHERE id = ?', values: [id] };
  const [, removed] = await database.write([toSilence(id), removal]);
  return removed === 1;
}
