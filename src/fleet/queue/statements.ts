/**
 * Every statement of the queue. The turns implement start-time fair queueing, as `src/measure/fair-queue.ts` does in
 * memory: a client's turn follows its last one, but is never before the turn that is next now. The lowest turn is
 * served first. A claim belongs to one worker and one attempt, while the worker is alive: one that has lost its claim
 * can deliver no result.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AnalysisError } from '../../contract/errors.ts';
import { type FleetDatabase, prepare, type Query } from '../database.ts';
import { nowMs } from '../migrations.ts';
import { type AuditJob, type AuditOutcome, leaseMs, toJobsTopic } from './messages.ts';

type Database = Pick<FleetDatabase, 'query'>;

/* Adding an audit, if there is room. */

/** Estimate before any audit has ended: the duration of an audit of a small page. */
const firstGuessMs = 10_000;

/**
 * Max number of machines with a free slot that are notified of a new job. Only one gets it, and the others query for
 * nothing.
 */
const mostCalled = 4;

/**
 * Parameters: $1 id, $2 queue, $3 owner, $4 client, $5 whether it belongs to a batch, $6 max number of waiting audits
 * per machine, $7 topic of the machines, $8 the job, $9 the key of its access.
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
    INSERT INTO audits (id, queue, owner, client, is_batch, turn, queued_at, job, access_key)
    SELECT $1, $2, $3, $4, $5, turn, ${nowMs}, $8, $9 FROM mine
    RETURNING turn, pg_notify('rangelight:' || $7, (SELECT ids FROM called)::text)
  )
  SELECT room.*, entered.turn,
    (SELECT count(*) FROM audits WHERE queue = $2 AND worker IS NULL
      AND (is_batch < $5 OR (is_batch = $5 AND turn <= entered.turn))) AS before
  FROM room LEFT JOIN entered ON true`,
);

type QueueFacts = {
  slots: number;
  stay_ms: number;
  waiting: number;
  running: number;
  has_room: boolean;
  turn: number | null;
  before: number;
};

/** @property isBatch 1 for pages of a batch, which come after all single requests; else 0 */
type Claimant = { client: string; isBatch: number };
type Share = Claimant & { waiting: number };

const sharesSql = `
  SELECT client, is_batch AS "isBatch", count(*) AS waiting FROM audits WHERE queue = $1 AND worker IS NULL
  GROUP BY client, is_batch ORDER BY is_batch DESC, waiting DESC, client`;

const shareOf = (shares: readonly Share[], { client, isBatch }: Claimant): number =>
  shares.find(share => share.client === client && share.isBatch === isBatch)?.waiting ?? 0;

/** Estimates when another audit of a client would get a slot. Each audit moves up when one ends. */
function toRetryAfter({ slots, stay_ms }: QueueFacts, shares: readonly Share[], claimant: Claimant): number {
  const own = shareOf(shares, claimant);
  const countBefore = ({ client, isBatch, waiting }: Share): number => {
    if (isBatch !== claimant.isBatch) return isBatch < claimant.isBatch ? waiting : 0;
    return Math.min(waiting, client === claimant.client ? own : own + 1);
  };
  const before = shares.reduce((sum, share) => sum + countBefore(share), 0);
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
    SELECT id FROM audits WHERE queue = $1 AND client = $2 AND is_batch = $4 AND worker IS NULL
    ORDER BY turn DESC, number DESC LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING id, pg_notify('rangelight:instance.' || owner, json_build_object('job', id, 'event', 'done')::text)`;

/**
 * Displaces an audit of the client with the most audits, for a client below its fair share. An audit of a batch displaces
 * only those of batches.
 */
async function makeRoom(query: Query, name: string, claimant: Claimant, facts: QueueFacts) {
  const shares = (await query(sharesSql, [name])).rows as Share[];
  const isAbove = ({ isBatch, waiting }: Share): boolean =>
    isBatch >= claimant.isBatch && shareOf(shares, { ...claimant, isBatch }) + 1 < waiting;
  const most = shares.find(isAbove);
  const retryAfterSeconds = toRetryAfter(facts, shares, claimant);
  if (!most) return { isMade: false, retryAfterSeconds };
  const detail = 'The queue is full, and this audit was removed to make room for another client';
  const failure = queueFull(detail, toRetryAfter(facts, shares, most)).toPlain();
  const { rows } = await query(displaceSql, [name, most.client, JSON.stringify({ failure }), most.isBatch]);
  return { isMade: rows.length > 0, retryAfterSeconds };
}

const toPosition = ({ waiting, running, slots, before }: QueueFacts) => ({
  position: waiting === 0 && running < slots ? 0 : before + 1,
});

/**
 * @returns the position in the queue, 0 for a free slot; undefined with the time to wait if there is no room
 * @throws StoreFaultError; it is then unknown whether the job is in the queue
 */
export async function enter(
  database: Pick<FleetDatabase, 'query' | 'transaction'>,
  { id, data, ...asked }: { id: string; data: AuditJob; isBatch: boolean },
  { name, waitingPerMachine }: { name: string; waitingPerMachine: number },
): Promise<{ position: number } | { retryAfterSeconds: number }> {
  const { owner, client, sealed } = data;
  const isBatch = asked.isBatch ? 1 : 0;
  const job = JSON.stringify(data);
  const values = [id, name, owner, client, isBatch, waitingPerMachine, toJobsTopic(name), job, sealed?.key ?? null];
  const tryIt = async (query: Query) => (await query(enterSql, values)).rows[0] as QueueFacts;
  const facts = await tryIt(database.query);
  if (facts.turn !== null) return toPosition(facts);
  // The transaction prevents other clients from taking the freed place.
  return database.transaction(async query => {
    const { isMade, retryAfterSeconds } = await makeRoom(query, name, { client, isBatch }, facts);
    const again = isMade ? await tryIt(query) : facts;
    return again.turn === null ? { retryAfterSeconds } : toPosition(again);
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
export const forgetTurns = async (database: Database): Promise<void> => void (await database.query(forgetTurnsSql));

/* What an instance has requested. */

export type SeenJob = {
  id: string;
  hasEnded: boolean;
  /** Position in the queue, 1 being next; null if the audit has left the queue. */
  position: number | null;
};

export type RemovedJob = { id: string; worker: string | null; outcome: AuditOutcome | undefined };

const unpack = promisify(gunzip);

const toOutcome = (text: unknown): AuditOutcome | undefined =>
  typeof text === 'string' ? (JSON.parse(text) as AuditOutcome) : undefined;

/** Lists all jobs of one instance with their positions in the whole queue. */
const lookSql = `
  WITH places AS (
    SELECT id, row_number() OVER (ORDER BY is_batch, turn, number) AS position
    FROM audits WHERE queue = $2 AND worker IS NULL
  )
  SELECT audits.id, audits.outcome IS NOT NULL AS "hasEnded", places.position
  FROM audits LEFT JOIN places ON places.id = audits.id
  WHERE audits.owner = $1`;

export async function lookAtJobs(
  database: Database,
  owner: string,
  queueName: string,
): Promise<ReadonlyMap<string, SeenJob>> {
  const { rows } = await database.query(lookSql, [owner, queueName]);
  return new Map((rows as SeenJob[]).map(row => [row.id, row]));
}

const outcomeSql = prepare('outcome', 'SELECT outcome, content FROM audits WHERE id = $1');
const deleteSql = prepare('delete', 'DELETE FROM audits WHERE id = $1');

/** Reads an outcome without removing it, so that it can be read again if the answer gets lost. */
export async function readOutcome(
  database: Database,
  id: string,
): Promise<{ outcome: AuditOutcome; bytes: Buffer | undefined } | undefined> {
  const { rows } = await database.query(outcomeSql, [id]);
  const outcome = toOutcome(rows[0]?.outcome);
  const content = rows[0]?.content;
  return outcome && { outcome, bytes: Buffer.isBuffer(content) ? await unpack(content) : undefined };
}

export const deleteRow = async (database: Database, id: string): Promise<void> =>
  void (await database.query(deleteSql, [id]));

/** Removes jobs of an owner from the queue, whether waiting or running. @param ids undefined for all of them */
export async function removeJobs(
  database: Database,
  owner: string,
  ids?: readonly string[],
): Promise<readonly RemovedJob[]> {
  const which = ids ? 'AND id = ANY($2::uuid[])' : '';
  const sql = `DELETE FROM audits WHERE owner = $1 ${which} RETURNING id, worker, outcome`;
  const { rows } = await database.query(sql, ids ? [owner, ids] : [owner]);
  return rows.map(({ id, worker, outcome }) => ({
    id: String(id),
    worker: worker as string | null,
    outcome: toOutcome(outcome),
  }));
}

/* Audits that a worker has claimed. */

/** @property attempt 1 for the first worker that claims the job */
export type ClaimedJob = { id: string; attempt: number; data: AuditJob };

/**
 * Max number of attempts. A lost worker causes a second one but never a third, because the page itself may crash
 * workers.
 */
const maxAttempts = 2;

const toOwner = (event: string): string =>
  `pg_notify('rangelight:instance.' || owner, json_build_object('job', id, 'event', '${event}', 'attempt', attempt)::text)`;

const claimSql = prepare(
  'claim',
  `
  WITH next AS MATERIALIZED (
    SELECT id FROM audits WHERE queue = $1 AND worker IS NULL AND (access_key IS NULL OR access_key = ANY($4))
    ORDER BY is_batch, turn, number LIMIT $3 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE audits SET worker = $2, attempt = coalesce(attempt, 0) + 1, lease_until = NULL
    FROM next WHERE audits.id = next.id RETURNING audits.id, owner, attempt, job
  )
  SELECT id, attempt, job, ${toOwner('started')} FROM claimed`,
);

/** Claims the next audits, and notifies their owners. No other worker can claim them while this one is alive. */
export async function claimJobs(
  database: Database,
  { queueName, worker, atMost, keys }: { queueName: string; worker: string; atMost: number; keys: readonly string[] },
): Promise<readonly ClaimedJob[]> {
  const { rows } = await database.query(claimSql, [queueName, worker, atMost, keys]);
  return rows.map(({ id, attempt, job }) => ({
    id: String(id),
    attempt: Number(attempt),
    data: JSON.parse(String(job)),
  }));
}

/** Delivers an outcome. Repeating it has no effect, which matters if the database's answer was lost. */
const deliverSql = prepare(
  'deliver',
  `
  WITH ended AS (
    UPDATE audits SET outcome = $4, content = $5
    WHERE id = $1 AND worker = $2 AND attempt = $3 AND (outcome IS NULL OR outcome = $4)
    RETURNING id, owner, attempt
  )
  SELECT ${toOwner('done')} FROM ended`,
);

/** @returns false if this worker no longer owns the job */
export async function deliverOutcome(
  database: Database,
  worker: string,
  { id, attempt }: ClaimedJob,
  { outcome, content }: { outcome: AuditOutcome; content: Buffer | null },
): Promise<boolean> {
  const { rows } = await database.query(deliverSql, [id, worker, attempt, JSON.stringify(outcome), content]);
  return rows.length > 0;
}

const diedTwice = new AnalysisError(
  'lighthouse_unavailable',
  'Two workers stopped while they audited this page. Retry later.',
  { source: 'lighthouse', retryAfterSeconds: 10 },
);
const failure = JSON.stringify({ failure: diedTwice.toPlain() } satisfies AuditOutcome);

/** Returns audits to the queue. `$1` is the outcome of an audit without attempts left. */
const giveBackSql = (which: string): string => `
  WITH lost AS MATERIALIZED (
    SELECT id FROM audits WHERE ${which} AND outcome IS NULL FOR UPDATE SKIP LOCKED
  ), given_back AS (
    UPDATE audits SET worker = CASE WHEN attempt < ${maxAttempts} THEN NULL ELSE worker END,
      outcome = CASE WHEN attempt < ${maxAttempts} THEN NULL ELSE $1 END
    FROM lost WHERE audits.id = lost.id RETURNING audits.id, queue, owner, attempt, outcome
  )
  SELECT CASE WHEN outcome IS NULL THEN pg_notify('rangelight:jobs.' || queue, 'null') ELSE ${toOwner('done')} END
  FROM given_back`;

/** Returns an audit to the queue, so that another worker runs it if an attempt is left. */
export const giveBack = async (database: Database, worker: string, { id, attempt }: ClaimedJob): Promise<void> =>
  void (await database.query(giveBackSql('id = $2 AND worker = $3 AND attempt = $4'), [failure, id, worker, attempt]));

/** Condition that the worker of an audit is no instance that is alive. */
export const isOfDead = `worker IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM instances WHERE instances.id = worker AND seen_at > ${nowMs} - ${leaseMs})`;

/** Returns the audits of workers without a heartbeat during the lease. */
export const giveBackLost = async (database: Database, queueName: string): Promise<void> =>
  void (await database.query(giveBackSql(`queue = $2 AND ${isOfDead}`), [failure, queueName]));

/* Dead instances. */

/** Removes an instance only once, however many instances notice that it is dead. */
const removeDeadSql = `DELETE FROM instances WHERE id = ANY($1) AND seen_at <= ${nowMs} - ${leaseMs} RETURNING id`;

/**
 * Removes dead instances, including those of another version, with everything that they have requested: no client waits
 * for it. Their machines answer no calls.
 * @returns the audits that were removed
 */
export const removeDeadInstances = (
  database: Pick<FleetDatabase, 'transaction'>,
  ids: readonly string[],
): Promise<readonly { id: string; worker: string | null }[]> =>
  database.transaction(async query => {
    const dead = (await query(removeDeadSql, [ids])).rows.map(({ id }) => id);
    const { rows } = await query('DELETE FROM audits WHERE owner = ANY($1) RETURNING id, worker', [dead]);
    await query('DELETE FROM calls WHERE owner = ANY($1) OR callee = ANY($1)', [dead]);
    return rows as { id: string; worker: string | null }[];
  });
