/**
 * Every statement on the tables of jobs and schedules. An update that another instance may also attempt is conditional,
 * so only one of them succeeds.
 */
import { createHash } from 'node:crypto';
import type { Problem } from '../contract/problem.ts';
import {
  every,
  join,
  raw,
  readNumber,
  type SqlDatabase,
  type SqlRow,
  type Statement,
  sql,
} from '../storage/database/sql.ts';
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
import type { KnownFailures } from './schedules/run-changes.ts';

/** The newest entries, or those before an id. */
export type ListPlace = { limit: number; before?: string | null };

/** Builds the condition for a list. Ids sort by time. @param client null for all clients */
const whereListed = (client: string | null, { limit, before = null }: ListPlace): Statement =>
  sql`WHERE ${every(client !== null && sql`client = ${client}`, before !== null && sql`id < ${before}`)}
    ORDER BY id DESC LIMIT ${limit}`;

/** Returns the names of columns, for `pick`. */
const namesOf = <Of extends object>(columns: Of) => Object.keys(columns) as (keyof Of & string)[];

/* Rules of the instances as rows. Instances with the same rules share a row. */

/**
 * Records that an instance is present, or has stopped. Others with the same rules soon record again that they are
 * present.
 */
export function toTaker(takes: Published, seenAtMs: number): Statement {
  const text = JSON.stringify(takes);
  const id = createHash('sha256').update(text).digest('base64url');
  return sql`INSERT INTO job_takers (id, targets, takes, seen_at) VALUES (${id}, ${takes.targets}, ${text}, ${seenAtMs})
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`;
}

/** @param silentMs time after which a silent instance counts as stopped, or if its clock is this far ahead */
export async function readTakers(
  database: SqlDatabase,
  { own, nowMs, silentMs }: { own: Published; nowMs: number; silentMs: number },
): Promise<Takers> {
  const takers = await jobTakers.all.read(database);
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

const selectJobs = (database: SqlDatabase, rest: Statement) => jobRow.read(database, rest) as Promise<Job[]>;

export const readJob = async (database: SqlDatabase, id: string): Promise<Job | undefined> =>
  (await selectJobs(database, sql`WHERE id = ${id}`))[0];

/** @param client null for all clients */
export const listJobs = (database: SqlDatabase, client: string | null, place: ListPlace): Promise<Job[]> =>
  selectJobs(database, whereListed(client, place));

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
  const [row] = await database.rows(
    sql`SELECT id, order_digest FROM ${raw(table)} WHERE client = ${client} AND idempotency_key = ${key}`,
  );
  if (row && row[1] !== digest) throw new KeyReusedError();
  return row && String(row[0]);
}

/**
 * Lists unfinished jobs that this instance accepts: the oldest first for each client, and clients in turn. Therefore
 * thousands of jobs of one client do not hide those of others.
 */
export const listUnfinished = (database: SqlDatabase, takes: Published, limit: number): Promise<Job[]> =>
  selectJobs(
    database,
    sql`JOIN (
      SELECT id AS open_id, row_number() OVER (PARTITION BY client ORDER BY created_at, id) AS turn
      FROM jobs WHERE ended_at IS NULL AND ${whereTaken(takes, 'jobs')}
    ) AS unfinished ON open_id = id ORDER BY turn, created_at, id LIMIT ${limit}`,
  );

export type UnfinishedGroup = Group & { policy: string | null };

const toGroup = ([client, count, pages]: SqlRow): Group => ({
  client: String(client),
  count: Number(count),
  pages: Number(pages),
});

/** Counts unfinished jobs and their unfinished pages by policy and client, across all instances. */
export async function countUnfinishedGroups(database: SqlDatabase): Promise<UnfinishedGroup[]> {
  const rows = await database.rows(sql`SELECT policy, client, count(*), sum(total - done) FROM jobs
    WHERE ended_at IS NULL GROUP BY policy, client`);
  return rows.map(([policy, ...group]) => ({ policy: policy as string | null, ...toGroup(group) }));
}

export const listOwned = (database: SqlDatabase, owner: string): Promise<Job[]> =>
  selectJobs(database, sql`WHERE ended_at IS NULL AND owner = ${owner}`);

/** Counts the waiting jobs that were created before each of these, by its id. */
export async function countBefore(
  database: SqlDatabase,
  jobs: readonly Pick<Job, 'id' | 'state'>[],
): Promise<ReadonlyMap<string, number>> {
  const ids = jobs.flatMap(({ id, state }) => (state === 'queued' ? [id] : []));
  if (ids.length === 0) return new Map();
  const rows = await database.rows(sql`SELECT id, place FROM (
      SELECT id, row_number() OVER (ORDER BY created_at, id) AS place
      FROM jobs WHERE ended_at IS NULL AND state = 'queued'
    ) AS waiting WHERE id IN (${ids})`);
  return new Map(rows.map(([id, place]) => [String(id), Number(place) - 1]));
}

/** Claims a job that has no owner, or whose owner has not incremented its counter since the job was read. */
export const toClaim = ({ id, owner, beat }: Job, newOwner: string): Statement =>
  sql`UPDATE jobs SET owner = ${newOwner}, beat = beat + 1, attempt = attempt + 1 WHERE id = ${id}
    AND ${owner === null ? raw('owner IS NULL') : sql`owner = ${owner} AND beat = ${beat}`} AND ended_at IS NULL`;

export const toBeat = (owner: string): Statement =>
  sql`UPDATE jobs SET beat = beat + 1 WHERE owner = ${owner} AND ended_at IS NULL`;

/** Condition that a job has not ended and is owned by an instance. */
const isOwned = (id: string, owner: string) => sql`id = ${id} AND owner = ${owner} AND ended_at IS NULL`;

/** Releases a job, so that it continues later or on another instance. */
export const toRelease = (id: string, owner: string): Statement =>
  sql`UPDATE jobs SET owner = NULL WHERE ${isOwned(id, owner)}`;

export const toStart = (id: string, owner: string, nowMs: number): Statement =>
  sql`UPDATE jobs SET state = 'running', started_at = coalesce(started_at, ${nowMs}) WHERE ${isOwned(id, owner)}`;

export type JobEnd = { state: JobState; error: Problem | null; endedAtMs: number };

/** @param owner undefined for any owner */
export const toEnd = (id: string, { state, error, endedAtMs }: JobEnd, owner?: string): Statement =>
  sql`UPDATE jobs SET state = ${state}, error = ${error && JSON.stringify(error)}, ended_at = ${endedAtMs}, owner = NULL
    WHERE ${owner === undefined ? sql`id = ${id} AND ended_at IS NULL` : isOwned(id, owner)}`;

/**
 * Sets end times in the future, from other clocks, to the current time, because these jobs would be stored too long.
 */
export const toEndedBy = (nowMs: number, mostAheadMs: number): Statement =>
  sql`UPDATE jobs SET ended_at = ${nowMs} WHERE ended_at > ${nowMs + mostAheadMs}`;

/*
 * Data that the work on a job needs and that no reader may see: the headers and texts of an experiment. A row is
 * written with its job, and removed when the job ends.
 */

/** Inserts the secret if the job was added. Use it after the statement that adds the job. */
export const toSecretInsert = (jobId: string, content: string): Statement =>
  jobSecrets.insert({ jobId, content }, sql`EXISTS (SELECT 1 FROM jobs WHERE id = ${jobId})`);

/**
 * Removes the secret of an ended job. Use it after the statement that ends the job. A former owner ends no job, and
 * therefore removes no secret.
 */
export const toSecretRemoval = (jobId: string): Statement => ({
  ...sql`DELETE FROM job_secrets WHERE job_id = ${jobId}
    AND EXISTS (SELECT 1 FROM jobs WHERE id = ${jobId} AND ended_at IS NOT NULL)`,
  erases: true,
});

export async function readSecret(database: SqlDatabase, jobId: string): Promise<string | undefined> {
  const [row] = await database.rows(sql`SELECT content FROM job_secrets WHERE job_id = ${jobId}`);
  return row && String(row[0]);
}

/* Events of a job, numbered from 1, so that a reader can continue after the last number it has. */

/**
 * Inserts an event with the next number. Only the owner of a job writes events.
 * @param condition the event is inserted only if it is true
 */
export const toEventInsert = (
  { jobId, owner, event, data }: { jobId: string; owner: string; event: string; data: unknown },
  condition = raw('1 = 1'),
): Statement =>
  sql`INSERT INTO job_events (job_id, number, event, data)
    SELECT CAST(${jobId} AS TEXT),
      coalesce((SELECT number FROM job_events WHERE job_id = ${jobId} ORDER BY number DESC LIMIT 1), 0) + 1,
      CAST(${event} AS TEXT), CAST(${JSON.stringify(data)} AS TEXT)
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ${jobId} AND owner = ${owner}) AND ${condition}
    ON CONFLICT (job_id, number) DO NOTHING`;

type JobPlace = { after: number; limit: number };
const eventRow = jobEvents.pick('number', 'event', 'data');

export const listEvents = (database: SqlDatabase, jobId: string, { after, limit }: JobPlace): Promise<JobEvent[]> =>
  eventRow.read(database, sql`WHERE job_id = ${jobId} AND number > ${after} ORDER BY number LIMIT ${limit}`);

/* Pages of a job. A duplicate URL is measured at its first position. */

const { job_id: _jobId, answer: _answer, ...pageColumns } = jobPages.columns;
const pageRow = jobPages.pick(...namesOf(pageColumns));

/** Sizes of a batch of rows. There are only a few, because each size is a separate prepared statement. */
const chunkSizes = [250, 25, 1];

function* toChunks<T>(items: readonly T[]): Generator<readonly T[]> {
  let at = 0;
  for (const size of chunkSizes) for (; items.length - at >= size; at += size) yield items.slice(at, at + size);
}

export const toPageInserts = (jobId: string, pages: readonly NewPage[]): Statement[] =>
  [...toChunks(pages)].map(chunk => {
    const rows = chunk.map(({ position, url, sameAs, copies, outcome }) => {
      const state = outcome ? 'failed' : 'waiting';
      return sql`(${[jobId, position, url, state, 0, sameAs, copies, outcome && JSON.stringify(outcome)]})`;
    });
    return sql`INSERT INTO job_pages (job_id, position, url, state, tries, same_as, copies, outcome)
      VALUES ${join(rows, ', ')}`;
  });

/** Lists pages in order, after a position. @param rest further condition */
export const listPages = (
  database: SqlDatabase,
  jobId: string,
  { after, limit }: JobPlace,
  rest = raw(''),
): Promise<PageRow[]> =>
  pageRow.read(
    database,
    sql`WHERE job_id = ${jobId} AND position > ${after} ${rest} ORDER BY position LIMIT ${limit}`,
  ) as Promise<PageRow[]>;

export const listWaiting = (database: SqlDatabase, jobId: string, place: JobPlace): Promise<PageRow[]> =>
  listPages(database, jobId, place, raw("AND state = 'waiting' AND same_as IS NULL"));

export async function readPage(
  database: SqlDatabase,
  jobId: string,
  position: number,
): Promise<{ page: PageRow; answer: Uint8Array | null } | undefined> {
  const [row] = await database.rows(
    sql`SELECT ${raw(pageRow.list)}, answer FROM job_pages WHERE job_id = ${jobId} AND position = ${position}`,
  );
  return row && { page: pageRow.from(row) as PageRow, answer: row.at(-1) as Uint8Array | null };
}

/** A try of a page. It may change the page only while it is the current try and its owner owns the job. */
export type PageTry = { jobId: string; owner: string; position: number; tries: number };

const ownsJob = ({ jobId, owner }: Pick<PageTry, 'jobId' | 'owner'>) =>
  sql`EXISTS (SELECT 1 FROM jobs WHERE ${isOwned(jobId, owner)})`;
/** Condition on a row of `job_pages`, or on one of an alias. */
const isThisTry = ({ jobId, position, tries }: PageTry, of = 'job_pages') =>
  sql`${raw(of)}.job_id = ${jobId} AND ${raw(of)}.position = ${position} AND ${raw(of)}.state = 'running'
    AND ${raw(of)}.tries = ${tries}`;

export const toPageStart = (one: PageTry): Statement =>
  sql`UPDATE job_pages SET state = 'running', tries = ${one.tries}
    WHERE job_id = ${one.jobId} AND position = ${one.position} AND state = 'waiting' AND ${ownsJob(one)}`;

/** Returns a page to the waiting ones, because its try did not count or it gets another try. */
export const toPageReturn = (one: PageTry, isCounted: boolean): Statement =>
  sql`UPDATE job_pages SET state = 'waiting', tries = ${isCounted ? one.tries : one.tries - 1}
    WHERE ${isThisTry(one)} AND ${ownsJob(one)}`;

/**
 * SQL condition that is true if the try has not ended. Use it before the statements that end the try, in the same
 * transaction.
 */
export const isUnderWay = (one: PageTry): Statement =>
  sql`EXISTS (SELECT 1 FROM job_pages AS first WHERE ${isThisTry(one, 'first')})`;

/**
 * Returns the statements that end a page, for one transaction. The update of the counts comes first, because it locks
 * the job.
 */
export function toPageEnd(
  one: PageTry,
  { copies, outcome, answer }: { copies: number; outcome: PageOutcome; answer: Uint8Array | null },
): { counts: Statement; ends: Statement[] } {
  const { jobId, owner, position } = one;
  const state: PageState = outcome.error ? 'failed' : 'succeeded';
  const text = JSON.stringify(outcome);
  return {
    counts: sql`UPDATE jobs SET done = done + ${copies}, failed = failed + ${outcome.error ? copies : 0}
      WHERE ${isOwned(jobId, owner)} AND ${isUnderWay(one)}`,
    ends: [
      sql`UPDATE job_pages SET state = ${state}, outcome = ${text}
        WHERE job_id = ${jobId} AND same_as = ${position} AND ${ownsJob(one)} AND ${isUnderWay(one)}`,
      sql`UPDATE job_pages SET state = ${state}, outcome = ${text}, answer = ${answer}
        WHERE ${isThisTry(one)} AND ${ownsJob(one)}`,
    ],
  };
}

/** Cleans up after a previous owner: pages that were running get another try, or fail after their last one. */
export function toTakeUp(jobId: string, owner: string, interrupted: Problem): Statement[] {
  const outcome = JSON.stringify({ parts: [], comparisonId: null, error: interrupted } satisfies PageOutcome);
  const ours = sql`job_id = ${jobId} AND ${ownsJob({ jobId, owner })}`;
  const failed = (of: string) => raw(`${of}.state = 'running' AND ${of}.tries >= ${mostTries}`);
  const countOf = (states: string) =>
    raw(`(SELECT count(*) FROM job_pages WHERE job_pages.job_id = jobs.id AND job_pages.state IN (${states}))`);
  return [
    // `IS TRUE` keeps PostgreSQL from joining the table with itself row by row, if its statistics are from few pages.
    sql`UPDATE job_pages SET state = 'failed', outcome = ${outcome} WHERE ${ours} AND (same_as IN
      (SELECT first.position FROM job_pages AS first WHERE first.job_id = ${jobId} AND ${failed('first')})) IS TRUE`,
    sql`UPDATE job_pages SET state = 'failed', outcome = ${outcome} WHERE ${ours} AND ${failed('job_pages')}`,
    sql`UPDATE job_pages SET state = 'waiting' WHERE ${ours} AND state = 'running'`,
    sql`UPDATE jobs SET done = ${countOf("'succeeded', 'failed'")}, failed = ${countOf("'failed'")}
      WHERE id = ${jobId} AND owner = ${owner} AND attempt > 1`,
  ];
}

/** Removes the pages that have not started when a job ends early, and corrects the counts. */
export const toPagesCut = (jobId: string, owner: string): Statement[] => [
  sql`DELETE FROM job_pages WHERE job_id = ${jobId} AND state = 'waiting' AND ${ownsJob({ jobId, owner })}`,
  sql`UPDATE jobs SET total = done WHERE ${isOwned(jobId, owner)}`,
];

/** Removes the pages of a job that was not added. It runs in the same transaction, so that no page is left behind. */
export const toPagesRemoval = (jobId: string): Statement =>
  sql`DELETE FROM job_pages WHERE job_id = ${jobId} AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = ${jobId})`;

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
  state: JobState,
): Statement =>
  deliveries.insert(
    { ...delivery, kind: 'ended', state: 'waiting', tries: 0, nextAtMs: delivery.createdAtMs },
    endedAs({ jobId: delivery.jobId, state }),
  );

/** Condition that a job has ended in this state. */
const endedAs = ({ jobId, state }: { jobId: string; state: JobState }) =>
  sql`EXISTS (SELECT 1 FROM jobs WHERE id = ${jobId} AND state = ${state})`;

/**
 * Lists due deliveries, including those that wait longer than the max delay, because a wrong clock has postponed them.
 * Clients take turns, so unresponsive receivers of one client do not delay deliveries of others.
 * @param mostWaitMs max delay between two tries
 * @param running ids of deliveries that are being sent, which count as turns of their clients
 */
export const listDueDeliveries = (
  database: SqlDatabase,
  takes: Published,
  { nowMs, mostWaitMs, running = [] }: { nowMs: number; mostWaitMs: number; running?: readonly string[] },
  limit: number,
) =>
  deliveries.all.read(
    database,
    sql`JOIN (
      SELECT deliveries.id AS due_id,
        row_number() OVER (PARTITION BY jobs.client ORDER BY deliveries.next_at, deliveries.id) + (
          SELECT count(*) FROM deliveries AS sent JOIN jobs AS owner ON owner.id = sent.job_id
          WHERE sent.id IN (${['', ...running]}) AND owner.client = jobs.client
        ) AS turn
      FROM deliveries JOIN jobs ON jobs.id = deliveries.job_id
      WHERE deliveries.id NOT IN (${['', ...running]}) AND deliveries.state = 'waiting' AND (deliveries.next_at <= ${nowMs} OR deliveries.next_at > ${nowMs + mostWaitMs})
        AND ${whereTaken(takes, 'jobs')}
    ) AS due ON due_id = id ORDER BY turn, next_at, id LIMIT ${limit}`,
  ) as Promise<Delivery[]>;

/** Returns the earliest time; undefined if there is none. */
async function readEarliest(database: SqlDatabase, statement: Statement): Promise<number | undefined> {
  const [row] = await database.rows(statement);
  return typeof row?.[0] === 'number' ? row[0] : undefined;
}

export const readNextDelivery = (database: SqlDatabase, takes: Published): Promise<number | undefined> =>
  readEarliest(
    database,
    sql`SELECT min(next_at) FROM deliveries JOIN jobs ON jobs.id = deliveries.job_id
      WHERE deliveries.state = 'waiting' AND ${whereTaken(takes, 'jobs')}`,
  );

/** Reads the states of the callbacks of these jobs, without their bodies, by the id of the job. */
export async function readDeliveryStates(
  database: SqlDatabase,
  jobs: readonly Pick<Job, 'id' | 'callback'>[],
): Promise<ReadonlyMap<string, Pick<Delivery, 'state' | 'tries' | 'lastError'>>> {
  const ids = jobs.flatMap(({ id, callback }) => (callback === null ? [] : [id]));
  if (ids.length === 0) return new Map();
  // The first delivery of a job is last, so it remains in the map.
  const rows = await stateRow.read(database, sql`WHERE job_id IN (${ids}) ORDER BY created_at DESC`);
  return new Map(rows.map(({ jobId, ...row }) => [jobId, row as Pick<Delivery, 'state' | 'tries' | 'lastError'>]));
}

const stateRow = deliveries.pick('job_id', 'state', 'tries', 'last_error');

/** Claims the next try until a time. Only one of several instances succeeds. */
export const toTry = ({ id, tries }: Pick<Delivery, 'id' | 'tries'>, untilMs: number): Statement =>
  sql`UPDATE deliveries SET tries = tries + 1, next_at = ${untilMs}
    WHERE id = ${id} AND tries = ${tries} AND state = 'waiting'`;

export const toTried = (id: string, tried: Pick<Delivery, 'state' | 'lastError' | 'nextAtMs'>): Statement =>
  sql`UPDATE deliveries SET state = ${tried.state}, last_error = ${tried.lastError}, next_at = ${tried.nextAtMs}
    WHERE id = ${id} AND state = 'waiting'`;

/* Schedules. */

const {
  urls: _urls,
  alerts: _alerts,
  idempotency_key: _key,
  order_digest: _digest,
  ...scheduleColumns
} = schedules.columns;
const scheduleRow = schedules.pick(...namesOf(scheduleColumns));

const selectSchedules = async (database: SqlDatabase, rest: Statement): Promise<Schedule[]> =>
  (await scheduleRow.read(database, rest)).map(
    ({ paused, ...schedule }) => ({ ...schedule, isPaused: paused }) as Schedule,
  );

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
  (await selectSchedules(database, sql`WHERE id = ${id}`))[0];

const urlsRow = schedules.pick('urls');

export const readScheduleUrls = async (database: SqlDatabase, id: string): Promise<string[]> =>
  ((await urlsRow.read(database, sql`WHERE id = ${id}`))[0]?.urls as string[] | undefined) ?? [];

/** Lists schedules, newest first. @param client null for all clients */
export const listSchedules = (database: SqlDatabase, client: string | null, place: ListPlace): Promise<Schedule[]> =>
  selectSchedules(database, whereListed(client, place));

export const countSchedules = async (database: SqlDatabase): Promise<Group[]> =>
  (await database.rows(sql`SELECT client, count(*), sum(pages) FROM schedules GROUP BY client`)).map(toGroup);

// A run under earlier rules does not count, because there may be no instance that accepts it.
const hasRun = raw(`NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = schedules.last_job_id AND jobs.ended_at IS NULL
  AND jobs.policy IS NOT DISTINCT FROM schedules.policy)`);

/** Lists schedules that this instance accepts, that are due, and whose last job has ended. */
export const listDue = (database: SqlDatabase, takes: Published, nowMs: number, limit: number): Promise<Schedule[]> =>
  selectSchedules(
    database,
    sql`WHERE paused = 0 AND next_at <= ${nowMs} AND ${hasRun} AND ${whereTaken(takes, 'schedules')}
      ORDER BY next_at LIMIT ${limit}`,
  );

/** Lists schedules that are not paused and whose next time is in the future or absent. */
export const listWaitingSchedules = (database: SqlDatabase, nowMs: number): Promise<Schedule[]> =>
  selectSchedules(database, sql`WHERE paused = 0 AND (next_at > ${nowMs} OR next_at IS NULL)`);

/** Replaces the next time, if it is still the one that was read. */
export const toNextAt = ({ id, nextAtMs }: Pick<Schedule, 'id' | 'nextAtMs'>, timeMs: number): Statement =>
  sql`UPDATE schedules SET next_at = ${timeMs} WHERE id = ${id} AND paused = 0
    AND ${nextAtMs === null ? raw('next_at IS NULL') : sql`next_at = ${nextAtMs}`}`;

/**
 * Returns the time of the next schedule that is due later, including those whose last job is still running; undefined
 * if there is none.
 */
export const readNextDue = (database: SqlDatabase, takes: Published, afterMs: number): Promise<number | undefined> =>
  readEarliest(
    database,
    sql`SELECT min(next_at) FROM schedules
      WHERE paused = 0 AND next_at > ${afterMs} AND ${whereTaken(takes, 'schedules')}`,
  );

/** Counts schedules that are overdue although their last run has ended. */
export const countLate = (database: SqlDatabase, dueBeforeMs: number): Promise<number> =>
  readNumber(database, sql`SELECT count(*) FROM schedules WHERE paused = 0 AND next_at < ${dueBeforeMs} AND ${hasRun}`);

/** Claims one time of a schedule. Only one of several instances succeeds. */
export const toFire = (
  { id, nextAtMs }: Pick<Schedule, 'id' | 'nextAtMs'>,
  fired: { jobId: string; nowMs: number; nextAtMs: number | null },
): Statement =>
  sql`UPDATE schedules SET next_at = ${fired.nextAtMs}, last_at = ${fired.nowMs}, last_job_id = ${fired.jobId}
    WHERE id = ${id} AND next_at = ${nextAtMs} AND paused = 0`;

/**
 * SQL condition that is true if the time was claimed for this job. Use it in the statement that adds the job, in the
 * same transaction.
 */
export const wasFiredFor = (id: string, jobId: string): Statement =>
  sql`EXISTS (SELECT 1 FROM schedules WHERE id = ${id} AND last_job_id = ${jobId})`;

export const toPause = (id: string): Statement => sql`UPDATE schedules SET paused = 1 WHERE id = ${id}`;

/** Resumes a schedule. Its next time is computed from now, with the rules of the instance that received the request. */
export const toResume = (id: string, policy: string, nextAtMs: number | null): Statement =>
  sql`UPDATE schedules SET paused = 0, next_at = ${nextAtMs}, policy = ${policy}
    WHERE id = ${id} AND (paused = 1 OR policy IS NULL OR policy <> ${policy})`;

/** Sets the job that the next run will be compared with. A cancelled job is not used. */
export const toPrevious = (id: string, jobId: string): Statement =>
  sql`UPDATE schedules SET previous_job_id = ${jobId} WHERE id = ${id}
    AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = ${jobId} AND jobs.state IN ('succeeded', 'failed'))`;

/** Removes a schedule, and the callback of its running job if its verdict changes can no longer be determined. */
export async function removeSchedule(database: SqlDatabase, id: string): Promise<boolean> {
  const [, removed] = await database.write([
    sql`UPDATE jobs SET callback = NULL WHERE ended_at IS NULL AND id =
      (SELECT last_job_id FROM schedules WHERE id = ${id} AND callback_when = 'verdict_changes')`,
    sql`DELETE FROM schedules WHERE id = ${id}`,
  ]);
  return removed === 1;
}

/** Changes that callbacks of a schedule have named. Both are one JSON: the key of an alert begins with a device. */
export type Named = { alerts: Alerts; failures: KnownFailures };

const alertsRow = schedules.pick('alerts');

export async function readNamed(database: SqlDatabase, id: string): Promise<Named> {
  const [row] = await alertsRow.read(database, sql`WHERE id = ${id}`);
  const { failures = {}, ...alerts } = (row?.alerts ?? {}) as Record<string, object>;
  return { failures: failures as KnownFailures, alerts: alerts as Alerts };
}

/** Replaces them when a job ends in this state, like its delivery. Only then has a callback named them. */
export const toNamed = (id: string, { alerts, failures }: Named, ended: { jobId: string; state: JobState }) =>
  sql`UPDATE schedules SET alerts = ${JSON.stringify({ ...alerts, failures })} WHERE id = ${id} AND ${endedAs(ended)}`;
