/** Delivers the outcome of a job to the instance that requested it, once. */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Bytes } from '../../../measure/lhr/measured.ts';
import type { FleetDatabase } from '../../database.ts';
import type { AuditOutcome } from '../messages.ts';
import { deliverOutcome } from './claimed-rows.ts';
import { type Claim, NotOurs } from './claims.ts';

export type Delivery = { outcome: AuditOutcome; bytes: Bytes | undefined };

type DeliverySettings = {
  instance: string;
  database: Pick<FleetDatabase, 'query'>;
  suspect: () => void;
  log: (event: string, facts: Record<string, unknown>) => void;
};

const retryMs = 500;
const pack = promisify(gzip);

/**
 * Writes the result and the end of the job in one statement. The write is retried while the database is unavailable and
 * this worker owns the job.
 * @throws NotOurs
 */
export async function deliver(
  { instance, database, suspect, log }: DeliverySettings,
  claim: Claim,
  { outcome, bytes }: Delivery,
): Promise<void> {
  const content = bytes ? await pack(bytes, { level: 1 }) : null;
  while (claim.isHeld) {
    try {
      if (await deliverOutcome(database, instance, claim.job, { outcome, content })) return;
      break;
    } catch (error) {
      log('a result waits for the database', { err: error });
      suspect();
      await delay(retryMs);
    }
  }
  throw new NotOurs('The job was lost before its result was delivered.');
}
