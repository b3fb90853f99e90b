/** Gives what came of a job to whoever asked for it, once. */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Bytes } from '../../../threads/tasks.ts';
import { type FleetDatabase, prepare } from '../../database.ts';
import type { JobQueue } from '../boss.ts';
import type { AuditJob, AuditOutcome } from '../job.ts';
import { type Claim, NotOurs } from './claims.ts';

export type Delivery = { outcome: AuditOutcome; bytes: Bytes | undefined };

type DeliverySettings = {
  database: Pick<FleetDatabase, 'transaction'>;
  suspect: () => void;
  log: (event: string, facts: Record<string, unknown>) => void;
};

const retryMs = 500;
const pack = promisify(gzip);

const deliverSql = prepare(
  'deliver',
  `
  WITH ended AS (
    UPDATE audits SET outcome = $2, content = $3 WHERE id = $1 RETURNING id, owner
  )
  SELECT pg_notify('rangelight:instance.' || owner, json_build_object('job', id, 'event', 'done')::text) FROM ended`,
);

/**
 * The result and the end of the job are one transaction: both are there, or neither. Tried again and again while the
 * database is gone, for as long as the job is ours.
 * @throws NotOurs
 */
export async function deliver(
  { database, suspect, log }: DeliverySettings,
  queue: JobQueue<AuditJob>,
  claim: Claim,
  { outcome, bytes }: Delivery,
): Promise<void> {
  const { job } = claim;
  // It is ready by the time that the job is known to be over.
  const packing = bytes ? pack(bytes, { level: 1 }) : Promise.resolve(null);
  packing.catch(() => {});
  const tryOnce = () =>
    database.transaction(async (_rows, query) => {
      const isOurs = await queue.complete(query, job);
      if (isOurs) await query(deliverSql, [job.id, JSON.stringify(outcome), await packing]);
      return isOurs;
    });
  while (claim.isHeld) {
    try {
      if (await tryOnce()) return;
      break;
    } catch (error) {
      log('a result waits for the database', { err: error });
      suspect();
      await delay(retryMs);
    }
  }
  throw new NotOurs('The job was lost before its result was delivered.');
}
