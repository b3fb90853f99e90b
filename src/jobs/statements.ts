/**
 * Every statement on the tables of jobs and schedules. An update that another instance may also attempt is conditional,
 * so only one of them succeeds.
 */
import { createHash } from 'node:crypto';
import type { Problem } from '../contract/problem.ts';
import { placeholders, type SqlDatabase, type SqlRow, type SqlValue, type Statement } from '../storage/database/sql.ts';
import { deliveries, jobEvents, jobPages, jobSecrets, jobs, jobTakers, schedules } from '../storage/database/tables.ts';
import {
  type Group,
  type Idempotency,
  type Job,
  type JobEvent,
  type JobState,
  mostTries,
  type NewJob,
  type NewPage,
  type PageOutcome,
  type PageRow,
  type PageState,
} from './job.ts';
import { type Published, type Takers, whereTaken } from './job-policy.ts';
import { KeyReusedError } from './problems.ts';
import type { Alerts } from './schedules/alerts.ts';
import type { NewSchedule, Schedule } from './schedules/next-time.ts';

/** The newest entries, or those before an id. */
export type ListPlace = { limit: number; before?: string | null };

/** Builds the condition for a list. Ids sort by time. @param client null for all clients */
function whereListed(client: string | null, { limit, before = null }: ListPlace): Statement {
  const conditions = [...(client === null ? [] : ['client = ?']), ...(before === null ? [] : ['id < ?'])];
  return {
    sql: `${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY id DESC LIMIT ?`,
    values: [...(client === null ? [] : [client]), ...(before === null ? [] : [before]), limit],
  };
}

/** Returns the names of columns, for `pick`. */
const namesOf = <Of extends object>(columns: Of) => Object.keys(columns) as (keyof Of & string)[];

/* Rules of the instances as rows. Instances with the same rules share a row. */

const toTakerId = (takes: Published): string => createHash('sha256').update(JSON.stringify(takes)).digest('base64url');

/**
 * Records that an instance is present, or has stopped. Others with the same rules soon record again that they are
 * present.
 */
export const toTaker = (takes: Published, seenAtMs: number): Statement => ({
  sql: `INSERT INTO job_takers (id, targets, takes, seen_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
  values: [toTakerId(takes), takes.targets, JSON.stringify(takes), seenAtMs],
});

/** @param silentMs time after which a silent instance counts as stopped, or if its clock is this far ahead */
export async function readTakers(
  database: SqlDatabase,
  { own, nowMs, silentMs }: { own: Published; nowMs: number; silentMs: number },
): Promise<Takers> {
  const rows = await database.rows({ sql: `SELECT ${jobTakers.all.list} FROM job_takers`, values: [] });
  const takers = rows.map(jobTakers.all.from);
  const running = takers.filter(({ seenAtMs }) => Math.abs(seenAtMs - nowMs) <= silentMs);
  return {
    running: [own, ...running.map(({ takes }) => takes as Published)],
    targets: takers.map(({ targets }) => targets),
  };
}

/* Jobs, with their owner and progress. */

export type JobCounts = { total: number; done: number; failed: number };

/**
 * Adds a job, unless the client has one with the same idempotency key.
 * @param condition the job is added only if it is true
 */
export const toJobInsert = ({ idempotency, ...job }: NewJob, counts: JobCounts, condition?: Statement): Statement =>
  jobs.insert(
    {
      ...job,
      ...counts,
      state: 'queued',
      attempt: 0,
      beat: 0,
      idempotencyKey: idempotency?.key ?? null,
      orderDigest: idempotency?.digest ?? null,
    },
    condition,
  );

const { idempotency_key: _jobKey, order_digest: _jobDigest, ...jobColumns } = jobs.columns;
const jobRow = jobs.pick(...namesOf(jobColumns));

async function selectJobs(database: SqlDatabase, rest: string, values: readonly SqlValue[]): Promise<Job[]> {
  const rows = await database.rows({ sql: `SELECT ${jobRow.list} FROM jobs ${rest}`, values });
  return rows.map(row => jobRow.from(row) as Job);
}

export const readJob = async (database: SqlDatabase, id: string): Promise<Job | undefined> =>
  (await selectJobs(database, 'WHERE id = ?', [id]))[0];

/** @param client null for all clients */
export const listJobs = (database: SqlDatabase, client: string | null, place: ListPlace): Promise<Job[]> => {
  const { sql, values } = whereListed(client, place);
  return selectJobs(database, sql, values);
};

/**
 * Returns the id of the job or schedule that a client created with an idempotency key.
 * @throws KeyReusedError if the key came with another request
 */
export async function findRepeated(
  database: SqlDatabase,
  table: 'jobs' | 'schedules',
  client: string,
  { key, digest }: Idempotency,
): Promise<string | undefined> {
  const sql = `SELECT id, order_digest FROM ${table} WHERE client = ? AND idempotency_key = ?`;
  const [row] = await database.rows({ sql, values: [client, key] });
  if (row && row[1] !== digest) throw new KeyReusedError();
  return row && String(row[0]);
}

/**
 * Lists unfinished jobs that this instance accepts: the oldest first for each client, and clients in turn. Therefore
 * thousands of jobs of one client do not hide those of others.
 */
export const listUnfinished = (database: SqlDatabase, takes: Published, limit: number): Promise<Job[]> => {
  const taken = whereTaken(takes, 'jobs');
  return selectJobs(
    database,
    `JOIN (
      SELECT id AS open_id, row_number() OVER (PARTITION BY client ORDER BY created_at, id) AS turn
      FROM jobs WHERE ended_at IS NULL AND ${taken.sql}
    ) AS unfinished ON open_id = id ORDER BY turn, created_at, id LIMIT ?`,
    [...taken.values, limit],
  );
};

export type UnfinishedGroup = Group & { policy: string | null };

/** Counts unfinished jobs and their unfinished pages by policy and client, across all instances. */
export async function countUnfinishedGroups(database: SqlDatabase): Promise<UnfinishedGroup[]> {
  const sql = `SELECT policy, client, count(*), sum(total - done) FROM jobs WHERE ended_at IS NULL
    GROUP BY policy, client`;
  const rows = await database.rows({ sql, values: [] });
  return rows.map(([policy, client, count, pages]) => ({
    policy: policy === null ? null : String(policy),
    client: String(client),
    count: Number(count),
    pages: Number(pages),
  }));
}

export const listOwned = (database: SqlDatabase, owner: string): Promise<Job[]> =>
  selectJobs(database, 'WHERE ended_at IS NULL AND owner = ?', [owner]);

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

/*
 * Data that the work on a job needs and that no reader may see: the headers and texts of an experiment. A row is
 * written with its job, and removed when the job ends.
 */

/** Inserts the secret if the job was added. Use it after the statement that adds the job. */
export const toSecretInsert = (jobId: string, content: string): Statement =>
  jobSecrets.insert({ jobId, content }, { sql: 'EXISTS (SELECT 1 FROM jobs WHERE id = ?)', values: [jobId] });

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

/* Events of a job, numbered from 1, so that a reader can continue after the last number it has. */

/**
 * Inserts an event with the next number. Only the owner of a job writes events.
 * @param condition the event is inserted only if it is true
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
  const { list, from } = jobEvents.pick('number', 'event', 'data');
  const sql = `SELECT ${list} FROM job_events WHERE job_id = ? AND number > ? ORDER BY number LIMIT ?`;
  return (await database.rows({ sql, values: [jobId, after, limit] })).map(from);
}

/* Pages of a job. A duplicate URL is measured at its first position. */

const { job_id: _jobId, answer: _answer, ...pageColumns } = jobPages.columns;
const pageRow = jobPages.pick(...namesOf(pageColumns));
const toPage = (row: SqlRow): PageRow => pageRow.from(row) as PageRow;

/** Sizes of a batch of rows. There are only a few, because each size is a separate prepared statement. */
const chunkSizes = [250, 25, 1];

function* toChunks<T>(items: readonly T[]): Generator<readonly T[]> {
  let at = 0;
  for (const size of chunkSizes) for (; items.length - at >= size; at += size) yield items.slice(at, at + size);
}

const pageInserts = ['job_id', 'position', 'url', 'state', 'tries', 'same_as', 'copies', 'outcome'];

export const toPageInserts = (jobId: string, pages: readonly NewPage[]): Statement[] =>
  [...toChunks(pages)].map(chunk => ({
    sql: `INSERT INTO job_pages (${pageInserts.join(', ')}) VALUES ${chunk.map(() => `(${placeholders(pageInserts.length)})`).join(', ')}`,
    values: chunk.flatMap(({ position, url, sameAs, copies, outcome }): SqlValue[] => [
      ...[jobId, position, url, outcome ? 'failed' : 'waiting', 0, sameAs, copies],
      outcome && JSON.stringify(outcome),
    ]),
  }));

/** Lists pages in order, after a position. */
export async function listPages(
  database: SqlDatabase,
  jobId: string,
  { after, limit }: { after: number; limit: number },
): Promise<PageRow[]> {
  const sql = `SELECT ${pageRow.list} FROM job_pages WHERE job_id = ? AND position > ? ORDER BY position LIMIT ?`;
  return (await database.rows({ sql, values: [jobId, after, limit] })).map(toPage);
}

/** Lists the pages to measure next. */
export async function listWaiting(
  database: SqlDatabase,
  jobId: string,
  { after, limit }: { after: number; limit: number },
): Promise<PageRow[]> {
  const sql = `SELECT ${pageRow.list} FROM job_pages WHERE job_id = ? AND position > ? AND state = 'waiting'
    AND same_as IS NULL ORDER BY position LIMIT ?`;
  return (await database.rows({ sql, values: [jobId, after, limit] })).map(toPage);
}

export async function readPage(
  database: SqlDatabase,
  jobId: string,
  position: number,
): Promise<{ page: PageRow; answer: Uint8Array | null } | undefined> {
  const sql = `SELECT ${pageRow.list}, answer FROM job_pages WHERE job_id = ? AND position = ?`;
  const [row] = await database.rows({ sql, values: [jobId, position] });
  return row && { page: toPage(row), answer: row.at(-1) as Uint8Array | null };
}

/** A try of a page. It may change the page only while it is the current try and its owner owns the job. */
export type PageTry = { jobId: string; owner: string; position: number; tries: number };

const ownsJob = 'EXISTS (SELECT 1 FROM jobs WHERE id = ? AND owner = ? AND ended_at IS NULL)';

export const toPageStart = ({ jobId, owner, position, tries }: PageTry): Statement => ({
  sql: `UPDATE job_pages SET state = 'running', tries = ? WHERE job_id = ? AND position = ? AND state = 'waiting'
    AND ${ownsJob}`,
  values: [tries, jobId, position, jobId, owner],
});

/** Returns a page to the waiting ones, because its try did not count or it gets another try. */
export const toPageReturn = ({ jobId, owner, position, tries }: PageTry, isCounted: boolean): Statement => ({
  sql: `UPDATE job_pages SET state = 'waiting', tries = ? WHERE job_id = ? AND position = ? AND state = 'running'
    AND tries = ? AND ${ownsJob}`,
  values: [isCounted ? tries : tries - 1, jobId, position, tries, jobId, owner],
});

const isThisTry = "job_id = ? AND position = ? AND state = 'running' AND tries = ?";

/**
 * SQL condition that is true if the try has not ended. Use it before the statements that end the try, in the same
 * transaction.
 */
export const isUnderWay = ({ jobId, position, tries }: PageTry): Statement => ({
  sql: `EXISTS (SELECT 1 FROM job_pages WHERE ${isThisTry})`,
  values: [jobId, position, tries],
});

/**
 * Returns the statements that end a page, for one transaction. The update of the counts comes first, because it locks
 * the job.
 */
export function toPageEnd(
  { jobId, owner, position, tries }: PageTry,
  { copies, outcome, answer }: { copies: number; outcome: PageOutcome; answer: Uint8Array | null },
): { counts: Statement; ends: Statement[] } {
  const state: PageState = outcome.error ? 'failed' : 'succeeded';
  const text = JSON.stringify(outcome);
  const counts: Statement = {
    sql: `UPDATE jobs SET done = done + ?, failed = failed + ? WHERE id = ? AND owner = ? AND ended_at IS NULL
        AND EXISTS (SELECT 1 FROM job_pages WHERE ${isThisTry})`,
    values: [copies, outcome.error ? copies : 0, jobId, owner, jobId, position, tries],
  };
  const ends: Statement[] = [
    {
      sql: `UPDATE job_pages SET state = ?, outcome = ? WHERE job_id = ? AND same_as = ? AND ${ownsJob}
        AND EXISTS (SELECT 1 FROM job_pages AS first WHERE first.job_id = ? AND first.position = ?
          AND first.state = 'running' AND first.tries = ?)`,
      values: [state, text, jobId, position, jobId, owner, jobId, position, tries],
    },
    {
      sql: `UPDATE job_pages SET state = ?, outcome = ?, answer = ? WHERE ${isThisTry} AND ${ownsJob}`,
      values: [state, text, answer, jobId, position, tries, jobId, owner],
    },
  ];
  return { counts, ends };
}

/** Cleans up after a previous owner: pages that were running get another try, or fail after their last one. */
export function toTakeUp(jobId: string, owner: string, interrupted: Problem): Statement[] {
  const outcome = JSON.stringify({ parts: [], comparisonId: null, error: interrupted } satisfies PageOutcome);
  const failed = (alias: string) => `${alias}.state = 'running' AND ${alias}.tries >= ${mostTries}`;
  const countOf = (states: string) =>
    `(SELECT count(*) FROM job_pages WHERE job_pages.job_id = jobs.id AND job_pages.state IN (${states}))`;
  return [
    {
      sql: `UPDATE job_pages SET state = 'failed', outcome = ? WHERE job_id = ? AND ${ownsJob} AND same_as IN
        (SELECT first.position FROM job_pages AS first WHERE first.job_id = ? AND ${failed('first')})`,
      values: [outcome, jobId, jobId, owner, jobId],
    },
    {
      sql: `UPDATE job_pages SET state = 'failed', outcome = ? WHERE job_id = ? AND ${ownsJob} AND ${failed('job_pages')}`,
      values: [outcome, jobId, jobId, owner],
    },
    {
      sql: `UPDATE job_pages SET state = 'waiting' WHERE job_id = ? AND state = 'running' AND ${ownsJob}`,
      values: [jobId, jobId, owner],
    },
    {
      sql: `UPDATE jobs SET done = ${countOf("'succeeded', 'failed'")}, failed = ${countOf("'failed'")}
        WHERE id = ? AND owner = ? AND attempt > 1`,
      values: [jobId, owner],
    },
  ];
}

/** Removes the pages that have not started when a job ends early, and corrects the counts. */
export const toPagesCut = (jobId: string, owner: string): Statement[] => [
  {
    sql: `DELETE FROM job_pages WHERE job_id = ? AND state = 'waiting' AND ${ownsJob}`,
    values: [jobId, jobId, owner],
  },
  { sql: 'UPDATE jobs SET total = done WHERE id = ? AND owner = ? AND ended_at IS NULL', values: [jobId, owner] },
];

/** Removes the pages of a job that was not added. It runs in the same transaction, so that no page is left behind. */
export const toPagesRemoval = (jobId: string): Statement => ({
  sql: 'DELETE FROM job_pages WHERE job_id = ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = ?)',
  values: [jobId, jobId],
});

/* Pending callbacks. */

export type DeliveryState = 'waiting' | 'delivered' | 'given_up';

export type Delivery = {
  /** Value of the `webhook-id` header, the same for every try. */
  id: string;
  jobId: string;
  url: string;
  body: string;
  state: DeliveryState;
  tries: number;
  createdAtMs: number;
  nextAtMs: number;
  lastError: string | null;
};

/**
 * Returns the id of a job's delivery. If the end of the job is reported twice, after a lost response or by a former
 * owner, no second delivery is added.
 */
export const toDeliveryId = (jobId: string): string => `msg_${jobId}`;

/** Inserts a delivery if the job has ended in this state. A job that was cancelled in the meantime gets no delivery. */
export const toDeliveryInsert = (
  delivery: Omit<Delivery, 'state' | 'tries' | 'lastError' | 'nextAtMs'>,
  jobState: JobState,
): Statement =>
  deliveries.insert(
    { ...delivery, kind: 'ended', state: 'waiting', tries: 0, nextAtMs: delivery.createdAtMs },
    { sql: 'EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = ?)', values: [delivery.jobId, jobState] },
  );

/**
 * Lists due deliveries, including those that wait longer than the max delay, because a wrong clock has postponed them.
 * Clients take turns, so unresponsive receivers of one client do not delay deliveries of others.
 * @param mostWaitMs max delay between two tries
 */
export const listDueDeliveries = async (
  database: SqlDatabase,
  takes: Published,
  { nowMs, mostWaitMs }: { nowMs: number; mostWaitMs: number },
  limit: number,
): Promise<Delivery[]> => {
  const taken = whereTaken(takes, 'jobs');
  const sql = `SELECT ${deliveries.all.list} FROM deliveries JOIN (
      SELECT deliveries.id AS due_id,
        row_number() OVER (PARTITION BY jobs.client ORDER BY deliveries.next_at, deliveries.id) AS turn
      FROM deliveries JOIN jobs ON jobs.id = deliveries.job_id
      WHERE deliveries.state = 'waiting' AND (deliveries.next_at <= ? OR deliveries.next_at > ?) AND ${taken.sql}
    ) AS due ON due_id = id ORDER BY turn, next_at, id LIMIT ?`;
  const values = [nowMs, nowMs + mostWaitMs, ...taken.values, limit];
  return (await database.rows({ sql, values })).map(row => deliveries.all.from(row) as Delivery);
};

export async function readNextDelivery(database: SqlDatabase, takes: Published): Promise<number | undefined> {
  const taken = whereTaken(takes, 'jobs');
  const sql = `SELECT min(next_at) FROM deliveries JOIN jobs ON jobs.id = deliveries.job_id
    WHERE deliveries.state = 'waiting' AND ${taken.sql}`;
  const [row] = await database.rows({ sql, values: taken.values });
  return typeof row?.[0] === 'number' ? row[0] : undefined;
}

/** Reads the states of the callbacks of these jobs, without their bodies, by the id of the job. */
export async function readDeliveryStates(
  database: SqlDatabase,
  jobs: readonly Pick<Job, 'id' | 'callback'>[],
): Promise<ReadonlyMap<string, Pick<Delivery, 'state' | 'tries' | 'lastError'>>> {
  const ids = jobs.flatMap(({ id, callback }) => (callback === null ? [] : [id]));
  if (ids.length === 0) return new Map();
  // The first delivery of a job is last, so it remains in the map.
  const sql = `SELECT job_id, state, tries, last_error FROM deliveries WHERE job_id IN (${placeholders(ids.length)})
    ORDER BY created_at DESC`;
  const rows = (await database.rows({ sql, values: ids })) as [string, DeliveryState, number, string | null][];
  return new Map(rows.map(([jobId, state, tries, lastError]) => [jobId, { state, tries, lastError }]));
}

/** Claims the next try, and sets the time of the try after it. Only one of several instances succeeds. */
export const toTry = ({ id, tries }: Pick<Delivery, 'id' | 'tries'>, nextAtMs: number): Statement => ({
  sql: "UPDATE deliveries SET tries = tries + 1, next_at = ? WHERE id = ? AND tries = ? AND state = 'waiting'",
  values: [nextAtMs, id, tries],
});

export const toTried = (id: string, state: DeliveryState, lastError: string | null): Statement => ({
  sql: "UPDATE deliveries SET state = ?, last_error = ? WHERE id = ? AND state = 'waiting'",
  values: [state, lastError, id],
});

/* Schedules. */

const {
  urls: _urls,
  alerts: _alerts,
  idempotency_key: _key,
  order_digest: _digest,
  ...scheduleColumns
} = schedules.columns;
const scheduleRow = schedules.pick(...namesOf(scheduleColumns));

async function selectSchedules(database: SqlDatabase, rest: string, values: readonly SqlValue[]): Promise<Schedule[]> {
  const rows = await database.rows({ sql: `SELECT ${scheduleRow.list} FROM schedules ${rest}`, values });
  return rows.map(scheduleRow.from).map(({ paused, ...schedule }) => ({ ...schedule, isPaused: paused }) as Schedule);
}

/** Adds a schedule, unless the client has one with the same idempotency key. */
export const toScheduleInsert = ({ idempotency, ...schedule }: NewSchedule): Statement =>
  schedules.insert({
    ...schedule,
    pages: schedule.urls.length,
    paused: false,
    idempotencyKey: idempotency?.key ?? null,
    orderDigest: idempotency?.digest ?? null,
  });

export const readSchedule = async (database: SqlDatabase, id: string): Promise<Schedule | undefined> =>
  (await selectSchedules(database, 'WHERE id = ?', [id]))[0];

export async function readScheduleUrls(database: SqlDatabase, id: string): Promise<string[]> {
  const [row] = await database.rows({ sql: 'SELECT urls FROM schedules WHERE id = ?', values: [id] });
  return row ? (JSON.parse(String(row[0])) as string[]) : [];
}

/** Lists schedules, newest first. @param client null for all clients */
export const listSchedules = (database: SqlDatabase, client: string | null, place: ListPlace): Promise<Schedule[]> => {
  const { sql, values } = whereListed(client, place);
  return selectSchedules(database, sql, values);
};

/** Counts schedules and their pages by client. */
export async function countSchedules(database: SqlDatabase): Promise<Group[]> {
  const sql = 'SELECT client, count(*), sum(pages) FROM schedules GROUP BY client';
  const rows = await database.rows({ sql, values: [] });
  return rows.map(([client, count, pages]) => ({
    client: String(client),
    count: Number(count),
    pages: Number(pages),
  }));
}

// A run under earlier rules does not count, because there may be no instance that accepts it.
const hasRun = `NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = schedules.last_job_id AND jobs.ended_at IS NULL
  AND jobs.policy IS NOT DISTINCT FROM schedules.policy)`;

/** Lists schedules that this instance accepts, that are due, and whose last job has ended. */
export const listDue = (database: SqlDatabase, takes: Published, nowMs: number, limit: number): Promise<Schedule[]> => {
  const taken = whereTaken(takes, 'schedules');
  return selectSchedules(
    database,
    `WHERE paused = 0 AND next_at <= ? AND ${hasRun} AND ${taken.sql} ORDER BY next_at LIMIT ?`,
    [nowMs, ...taken.values, limit],
  );
};

/** Lists schedules that are not paused and whose next time is in the future or absent. */
export const listWaitingSchedules = (database: SqlDatabase, nowMs: number): Promise<Schedule[]> =>
  selectSchedules(database, 'WHERE paused = 0 AND (next_at > ? OR next_at IS NULL)', [nowMs]);

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

/* Changes that messages have named. */

export async function readAlerts(database: SqlDatabase, id: string): Promise<Alerts> {
  const [row] = await database.rows({ sql: 'SELECT alerts FROM schedules WHERE id = ?', values: [id] });
  return typeof row?.[0] === 'string' ? (JSON.parse(row[0]) as Alerts) : {};
}

/** Replaces them when a job ends in this state, like its delivery. Only then has a message named them. */
export const toAlerts = (
  id: string,
  alerts: Alerts,
  { jobId, state }: { jobId: string; state: JobState },
): Statement => ({
  sql: `UPDATE schedules SET alerts = ? WHERE id = ? AND EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = ?)`,
  values: [JSON.stringify(alerts), id, jobId, state],
});
