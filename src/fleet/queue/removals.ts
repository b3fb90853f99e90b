/** Removes abandoned jobs from the queue: immediately, or when the database is available again. */

import type { FleetDatabase } from '../database.ts';
import type { Notices } from '../notices.ts';
import { type Notice, toTopic } from './messages.ts';
import { type RemovedJob, removeJobs } from './statements.ts';

export type Removals = {
  /** Ids of jobs that are still to be removed. */
  readonly owed: readonly string[];
  /** Schedules the removal of a job that may or may not exist. */
  owe(id: string): void;
  /** Schedules the removal of a row whose outcome was delivered, without its artifacts. */
  removeRowLater(id: string): void;
  /** Records that a job no longer exists. */
  settle(id: string): void;
  /** Removes jobs from the queue, notifies their workers, and releases unneeded artifacts. Never throws. */
  remove(ids: readonly string[]): Promise<void>;
};

export type RemovalSettings = {
  database: Pick<FleetDatabase, 'query'>;
  notices: Pick<Notices, 'publish'>;
  releaseArtifacts: (artifacts: string) => void;
  suspect: () => void;
};

export function createRemovals({ database, notices, releaseArtifacts, suspect }: RemovalSettings): Removals {
  /** Jobs to remove. The value is true if the outcome and its artifacts were delivered. */
  const owed = new Map<string, boolean>();

  const end = ({ id, worker, outcome }: RemovedJob, isTaken: boolean): void => {
    if (isTaken) return;
    if (outcome && 'artifacts' in outcome && outcome.artifacts !== undefined) releaseArtifacts(outcome.artifacts);
    const notice: Notice = { job: id, event: 'cancelled' };
    if (!outcome && worker !== null) void notices.publish(toTopic(worker), notice);
  };

  return {
    get owed() {
      return [...owed.keys()];
    },
    owe: id => void owed.set(id, false),
    removeRowLater: id => void owed.set(id, true),
    settle: id => void owed.delete(id),
    async remove(ids) {
      for (const id of ids) if (!owed.has(id)) owed.set(id, false);
      const taken = new Set(ids.filter(id => owed.get(id)));
      if (ids.length === 0) return;
      try {
        const removed = await removeJobs(database, ids);
        for (const id of ids) owed.delete(id);
        for (const job of removed) end(job, taken.has(job.id));
      } catch {
        suspect();
      }
    },
  };
}
