/** What an instance reads and removes of the jobs that it has asked for. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type FleetDatabase, prepare } from '../../database.ts';
import { type JobQueue, queueSchema } from '../boss.ts';
import type { AuditJob, AuditOutcome } from '../job.ts';

export type SeenJob = {
  id: string;
  /** Of pg-boss; null where it no longer knows the job. */
  state: string | null;
  isThrough: boolean;
  /** In the queue, 1 being next; null for one that has left it. */
  position: number | null;
};

export type RemovedJob = { id: string; worker: string | null; outcome: AuditOutcome | undefined };

const unpack = promisify(gunzip);

const toOutcome = (text: unknown): AuditOutcome | undefined =>
  typeof text === 'string' ? (JSON.parse(text) as AuditOutcome) : undefined;

/** All jobs of one instance; the position is that in the whole queue. */
const lookSql = `
  WITH places AS (
    SELECT id, row_number() OVER (ORDER BY is_batch, turn, number) AS position
    FROM audits WHERE queue = $2 AND worker IS NULL
  )
  SELECT audits.id, job.state::text, audits.outcome IS NOT NULL AS "isThrough", places.position
  FROM audits
  LEFT JOIN ${queueSchema}.job ON job.name = audits.queue AND job.id = audits.id
  LEFT JOIN places ON places.id = audits.id
  WHERE audits.owner = $1`;

export async function lookAtJobs(
  database: Pick<FleetDatabase, 'query'>,
  owner: string,
  queueName: string,
): Promise<ReadonlyMap<string, SeenJob>> {
  const { rows } = await database.query(lookSql, [owner, queueName]);
  return new Map((rows as SeenJob[]).map(row => [row.id, row]));
}

const outcomeSql = prepare('outcome', 'SELECT outcome, content FROM audits WHERE id = $1');
const deleteSql = prepare('delete', 'DELETE FROM audits WHERE id = $1');

/** Reads only: where the answer of the database gets lost, it can be read again. */
export async function readOutcome(
  database: Pick<FleetDatabase, 'query'>,
  id: string,
): Promise<{ outcome: AuditOutcome; bytes: Buffer | undefined } | undefined> {
  const { rows } = await database.query(outcomeSql, [id]);
  const outcome = toOutcome(rows[0]?.outcome);
  const content = rows[0]?.content;
  return outcome && { outcome, bytes: Buffer.isBuffer(content) ? await unpack(content) : undefined };
}

export const deleteRow = async (database: Pick<FleetDatabase, 'query'>, id: string): Promise<void> =>
  void (await database.query(deleteSql, [id]));

/** Takes jobs out of the queue, wherever they are. */
export const removeJobs = (
  database: Pick<FleetDatabase, 'transaction'>,
  queue: JobQueue<AuditJob>,
  ids: readonly string[],
): Promise<readonly RemovedJob[]> =>
  database.transaction(async (_rows, query) => {
    await queue.cancel(query, ids);
    const { rows } = await query('DELETE FROM audits WHERE id = ANY($1::uuid[]) RETURNING id, worker, outcome', [ids]);
    return (rows as { id: string; worker: string | null; outcome: unknown }[]).map(row => ({
      ...row,
      outcome: toOutcome(row.outcome),
    }));
  });
