/** Removes dead instances: no client waits for their audits, and their machines do not answer calls. */

import type { FleetDatabase } from '../database.ts';
import { nowMs } from '../migrations.ts';
import type { Notices } from '../notices.ts';
import { leaseMs, type Notice, toTopic } from './messages.ts';

/** Removes an instance only once, however many instances notice that it is dead. */
const removeDeadSql = `DELETE FROM instances WHERE id = ANY($1) AND seen_at <= ${nowMs} - ${leaseMs} RETURNING id`;

/** Removes dead instances, including those of another version, whose workers receive the same notice. */
export async function removeDeadInstances(
  database: Pick<FleetDatabase, 'transaction'>,
  notices: Pick<Notices, 'publish'>,
  ids: readonly string[],
): Promise<void> {
  const left = await database.transaction(async (_rows, query) => {
    const dead = (await query(removeDeadSql, [ids])).rows.map(({ id }) => id);
    const { rows } = await query('DELETE FROM audits WHERE owner = ANY($1) RETURNING id, worker', [dead]);
    await query('DELETE FROM calls WHERE owner = ANY($1) OR callee = ANY($1)', [dead]);
    return rows as { id: string; worker: string | null }[];
  });
  for (const { id, worker } of left) {
    const notice: Notice = { job: id, event: 'cancelled' };
    if (worker !== null) void notices.publish(toTopic(worker), notice);
  }
}
