/**
 * Adds audits to the queue: checks whether there is room, and assigns the turn. The turns implement start-time fair
 * queueing: a client's turn follows its last one, but is never before the turn that is next now. The lowest turn is
 * served first.
 */

import { AnalysisError } from '../../../contract/errors.ts';
import { type FleetDatabase, prepare, type Query } from '../../database.ts';
import { nowMs } from '../../migrations.ts';
import { type AuditJob, leaseMs, toJobsTopic } from '../messages.ts';

export type Entry = { id: string; data: AuditJob; isBatch: boolean };

export type Entered = { hasRoom: true; position: number } | { hasRoom: false; retryAfterSeconds: number };

/** Estimate before any audit has ended: the duration of an audit of a small page. */
const firstGuessMs = 10_000;

/**
 * Max number of machines with a free slot that are notified of a new job. Only one gets it, and the others query for
 * nothing.
 */
const mostCalled = 4;

/**
 * Parameters: $1 id, $2 queue, $3 owner, $4 client, $5 whether it belongs to a batch, $6 max number of waiting audits
 * per machine, $7 topic of the machines, $8 the job.
 */
const enterSql = prepare(
  'enter',
  `
  WITH fleet AS (
    SELECT count(*) AS machines, coalesce(sum(slots), 0) AS slots, avg(stay_ms) AS stay_ms
    FROM instances WHERE queue = $2 AND slots > 0 AND seen_at > ${nowMs} - ${leaseMs}
  ), busy AS (
    SELECT worker, count(*) AS audits FROM audits
    WHERE queue = $2 AND worker IS NOT NULL AND outcome IS NULL GROUP BY worker
  ), called AS (
    SELECT coalesce(json_agg(id), '[]') AS ids FROM (
      SELECT id FROM instances LEFT JOIN busy ON worker = id
      WHERE queue = $2 AND slots > coalesce(audits, 0) AND seen_at > ${nowMs} - ${leaseMs}
      ORDER BY random() LIMIT ${mostCalled}
    ) AS free
  ), facts AS (
    SELECT slots, coalesce(stay_ms, ${firstGuessMs}) AS stay_ms,
      (SELECT count(*) FROM audits WHERE queue = $2 AND worker IS NULL) AS waiting,
      (SELECT coalesce(sum(audits), 0) FROM busy) AS running,
      $6::bigint * greatest(machines, 1) AS most
    FROM fleet
  ), room AS (
    SELECT *, waiting < most OR (waiting = 0 AND running < slots) AS has_room FROM facts
  ), clock AS (
    SELECT coalesce(
      (SELECT min(turn) FROM audits WHERE queue = $2 AND is_batch = $5 AND worker IS NULL),
      (SELECT max(turn) FROM audits WHERE queue = $2 AND is_batch = $5),
      (SELECT max(next) FROM turns WHERE queue = $2 AND is_batch = $5),
      0) AS turn
  ), mine AS (
    INSERT INTO turns (queue, is_batch, client, next)
    SELECT $2, $5, $4, clock.turn + 1 FROM clock, room WHERE has_room
    ON CONFLICT (queue, is_batch, client) DO UPDATE SET next = greatest(turns.next, excluded.next - 1) + 1
    RETURNING next - 1 AS turn
  ), entered AS (
    INSERT INTO audits (id, queue, owner, client, is_batch, turn, queued_at, job)
    SELECT $1, $2, $3, $4, $5, turn, ${nowMs}, $8 FROM mine
    RETURNING turn, pg_notify('rangelight:' || $7, (SELECT ids FROM called)::text)
  )
  SELECT room.*, entered.turn,
    (SELECT count(*) FROM audits WHERE queue = $2 AND worker IS NULL
      AND (is_batch < $5 OR (is_batch = $5 AND turn <= entered.turn))) AS before
  FROM room LEFT JOIN entered ON true`,
);

type Facts = {
  slots: number;
  stay_ms: number;
  waiting: number;
  running: number;
  has_room: boolean;
  turn: number | null;
  before: number;
};

/** Number of waiting audits of a client. */
type Share = { client: string; waiting: number };

const sharesSql = `
  SELECT client, count(*) AS waiting FROM audits WHERE queue = $1 AND worker IS NULL
  GROUP BY client ORDER BY waiting DESC, client`;

const shareOf = (shares: readonly Share[], client: string): number =>
  shares.find(share => share.client === client)?.waiting ?? 0;

/** Estimates when another audit of a client would get a slot. Each audit moves up when one ends. */
function toRetryAfter({ slots, stay_ms }: Facts, shares: readonly Share[], client: string): number {
  const own = shareOf(shares, client);
  const before = shares.reduce(
    (sum, share) => sum + Math.min(share.waiting, share.client === client ? own : own + 1),
    0,
  );
  return Math.max(1, Math.ceil((stay_ms * (before + 1)) / Math.max(1, slots) / 1000));
}

export const queueFull = (state: string, retryAfterSeconds: number) =>
  new AnalysisError('queue_full', `${state}. Retry in ${retryAfterSeconds} s.`, {
    source: 'lighthouse',
    retryAfterSeconds,
  });

/** Ends the last audit of a client as if its worker had refused it, and notifies its owner. */
const displaceSql = `
  UPDATE audits SET worker = '', outcome = $3 WHERE id = (
    SELECT id FROM audits WHERE queue = $1 AND client = $2 AND worker IS NULL
    ORDER BY is_batch DESC, turn DESC, number DESC LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING id, pg_notify('rangelight:instance.' || owner, json_build_object('job', id, 'event', 'done')::text)`;

/** Displaces an audit of the client with the most audits, for a client below its fair share. */
async function makeRoom(query: Query, name: string, client: string, facts: Facts) {
  const shares = (await query(sharesSql, [name])).rows as Share[];
  const [most] = shares;
  const retryAfterSeconds = toRetryAfter(facts, shares, client);
  if (!most || shareOf(shares, client) + 1 >= most.waiting) return { isMade: false, retryAfterSeconds };
  const detail = 'The queue is full, and this audit was removed to make room for another client';
  const failure = queueFull(detail, toRetryAfter(facts, shares, most.client)).toPlain();
  const { rows } = await query(displaceSql, [name, most.client, JSON.stringify({ failure })]);
  return { isMade: rows.length > 0, retryAfterSeconds };
}

const toEntered = ({ waiting, running, slots, before }: Facts): Entered => ({
  hasRoom: true,
  position: waiting === 0 && running < slots ? 0 : before + 1,
});

/** @throws StoreFaultError; it is then unknown whether the job is in the queue */
export async function enter(
  database: Pick<FleetDatabase, 'query' | 'transaction'>,
  { id, data, isBatch }: Entry,
  { name, waitingPerMachine }: { name: string; waitingPerMachine: number },
): Promise<Entered> {
  const { owner, client } = data;
  const job = JSON.stringify(data);
  const values = [id, name, owner, client, isBatch ? 1 : 0, waitingPerMachine, toJobsTopic(name), job];
  const tryIt = async (query: Query) => (await query(enterSql, values)).rows[0] as Facts;
  const facts = await tryIt(database.query);
  if (facts.turn !== null) return toEntered(facts);
  // The transaction prevents other clients from taking the freed place.
  return database.transaction(async (_rows, query) => {
    const { isMade, retryAfterSeconds } = await makeRoom(query, name, client, facts);
    const again = isMade ? await tryIt(query) : facts;
    return again.turn === null ? { hasRoom: false, retryAfterSeconds } : toEntered(again);
  });
}

/** The next turn of a queue is that of its lowest waiting audit. Lower ones have no effect. */
const forgetTurnsSql = `
  DELETE FROM turns USING (
    SELECT t.queue, t.is_batch, coalesce(min(a.turn), max(t.next)) AS turn
    FROM turns t LEFT JOIN audits a ON a.queue = t.queue AND a.is_batch = t.is_batch AND a.worker IS NULL
    GROUP BY t.queue, t.is_batch
  ) AS now
  WHERE turns.queue = now.queue AND turns.is_batch = now.is_batch AND turns.next <= now.turn`;

/** Removes past turns of all queues. */
export const forgetTurns = async (database: Pick<FleetDatabase, 'query'>): Promise<void> =>
  void (await database.query(forgetTurnsSql));
