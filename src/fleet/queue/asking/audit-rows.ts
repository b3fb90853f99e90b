/** Reads and removes the audits that an instance has requested. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type FleetDatabase, prepare } from '../../database.ts';
import type { AuditOutcome } from '../messages.ts';

type Database = Pick<FleetDatabase, 'query'>;

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

/** Removes jobs from the queue, whether waiting or running. */
export async function removeJobs(database: Database, ids: readonly string[]): Promise<readonly RemovedJob[]> {
  const sql = 'DELETE FROM audits WHERE id = ANY($1::uuid[]) RETURNING id, worker, outcome';
  const { rows } = await database.query(sql, [ids]);
  return rows.map(({ id, worker, outcome }) => ({
    id: String(id),
    worker: worker as string | null,
    outcome: toOutcome(outcome),
  }));
}
