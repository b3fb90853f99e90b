/** Ends what a dead instance has left behind: nobody waits for its audits any more, and its machine answers no calls. */

import type { FleetDatabase } from '../database.ts';
import { nowMs } from '../migrations.ts';
import type { Notices } from '../notices.ts';
import { type JobQueue, leaseMs, queuePrefix } from './boss.ts';
import { type AuditJob, type Notice, toTopic } from './job.ts';

type LeftJob = { id: string; queue: string; worker: string | null };

/** Once, however many instances see that it is dead. */
const removeDeadSql = `DELETE FROM instances WHERE id = ANY($1) AND seen_at <= ${nowMs} - ${leaseMs} RETURNING id`;

export const createBury =
  (
    database: Pick<FleetDatabase, 'transaction'>,
    queue: () => JobQueue<AuditJob> | undefined,
    notices: Pick<Notices, 'publish'>,
  ) =>
  async (ids: readonly string[]): Promise<void> => {
    const ours = queue();
    if (!ours) return;
    const left = await database.transaction(async (_rows, query) => {
      const dead = (await query(removeDeadSql, [ids])).rows.map(({ id }) => id);
      const { rows } = await query('DELETE FROM audits WHERE owner = ANY($1) RETURNING id, queue, worker', [dead]);
      await query('DELETE FROM calls WHERE owner = ANY($1) OR callee = ANY($1)', [dead]);
      const jobs = rows as LeftJob[];
      // The queue of another pg-boss is in a schema of its own: a worker there gives up a job without its row.
      const names = new Set(jobs.map(({ queue }) => queue).filter(name => name.startsWith(queuePrefix)));
      for (const name of names) {
        const its = jobs.filter(({ queue }) => queue === name).map(({ id }) => id);
        await ours.cancel(query, its, name);
      }
      return jobs;
    });
    for (const { id, worker } of left) {
      const notice: Notice = { job: id, event: 'cancelled' };
      if (worker !== null) void notices.publish(toTopic(worker), notice);
    }
  };
