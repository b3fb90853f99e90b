/**
 * Statements of a worker: it claims audits, renews its claims, and ends them. A claim belongs to one worker and one
 * attempt: a worker that has lost its claim can neither renew it nor deliver a result.
 */
import { AnalysisError } from '../../../contract/errors.ts';
import { type FleetDatabase, prepare } from '../../database.ts';
import { nowMs } from '../../migrations.ts';
import { type AuditJob, type AuditOutcome, leaseMs } from '../messages.ts';

type Database = Pick<FleetDatabase, 'query'>;

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
    SELECT id FROM audits WHERE queue = $1 AND worker IS NULL
    ORDER BY is_batch, turn, number LIMIT $3 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE audits SET worker = $2, attempt = coalesce(attempt, 0) + 1, lease_until = ${nowMs} + ${leaseMs}
    FROM next WHERE audits.id = next.id RETURNING audits.id, owner, attempt, job
  )
  SELECT id, attempt, job, ${toOwner('started')} FROM claimed`,
);

/** Claims the next audits, and notifies their owners. No other worker can claim them while they are renewed. */
export async function claimJobs(
  database: Database,
  { queueName, worker, atMost }: { queueName: string; worker: string; atMost: number },
): Promise<readonly ClaimedJob[]> {
  const { rows } = await database.query(claimSql, [queueName, worker, atMost]);
  return rows.map(({ id, attempt, job }) => ({
    id: String(id),
    attempt: Number(attempt),
    data: JSON.parse(String(job)),
  }));
}

const renewSql = prepare(
  'renew',
  `UPDATE audits SET lease_until = ${nowMs} + ${leaseMs} FROM unnest($2::uuid[], $3::int[]) AS held (id, attempt)
  WHERE audits.id = held.id AND audits.attempt = held.attempt AND worker = $1 AND outcome IS NULL
  RETURNING audits.id`,
);

/** @returns the ids of the jobs that this worker still owns */
export async function renewClaims(
  database: Database,
  worker: string,
  jobs: readonly ClaimedJob[],
): Promise<ReadonlySet<unknown>> {
  const [ids, attempts] = [jobs.map(({ id }) => id), jobs.map(({ attempt }) => attempt)];
  return new Set((await database.query(renewSql, [worker, ids, attempts])).rows.map(({ id }) => id));
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

/** Returns the audits of workers without a heartbeat during the lease. */
export const giveBackLost = async (database: Database, queueName: string): Promise<void> =>
  void (await database.query(giveBackSql(`queue = $2 AND worker IS NOT NULL AND lease_until < ${nowMs}`), [
    failure,
    queueName,
  ]));
