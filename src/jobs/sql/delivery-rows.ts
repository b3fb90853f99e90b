/** Pending callbacks as rows. */
import { placeholders, type Row, type SqlDatabase, type Statement } from '../../storage/database/sql.ts';
import type { Job, JobState } from '../job.ts';
import { type Published, whereTaken } from '../job-policy.ts';
import { toReader } from './columns.ts';

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

const names = ['id', 'job_id', 'url', 'body', 'state', 'tries', 'created_at', 'next_at', 'last_error'];
const readerOf = toReader(names);

const toDelivery = (row: Row): Delivery => {
  const at = readerOf(row);
  return {
    id: at('id'),
    jobId: at('job_id'),
    url: at('url'),
    body: at('body'),
    state: at<DeliveryState>('state'),
    tries: at('tries'),
    createdAtMs: at('created_at'),
    nextAtMs: at('next_at'),
    lastError: at('last_error'),
  };
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
): Statement => ({
  sql: `INSERT INTO deliveries (id, job_id, url, body, state, tries, created_at, next_at)
    SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 'waiting', 0,
      CAST(? AS BIGINT), CAST(? AS BIGINT)
    WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = ?) ON CONFLICT DO NOTHING`,
  values: [
    ...[delivery.id, delivery.jobId, delivery.url, delivery.body, delivery.createdAtMs, delivery.createdAtMs],
    ...[delivery.jobId, jobState],
  ],
});

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
  const sql = `SELECT ${names.join(', ')} FROM deliveries JOIN (
      SELECT deliveries.id AS due_id,
        row_number() OVER (PARTITION BY jobs.client ORDER BY deliveries.next_at, deliveries.id) AS turn
      FROM deliveries JOIN jobs ON jobs.id = deliveries.job_id
      WHERE deliveries.state = 'waiting' AND (deliveries.next_at <= ? OR deliveries.next_at > ?) AND ${taken.sql}
    ) AS due ON due_id = id ORDER BY turn, next_at, id LIMIT ?`;
  const values = [nowMs, nowMs + mostWaitMs, ...taken.values, limit];
  return (await database.rows({ sql, values })).map(toDelivery);
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
