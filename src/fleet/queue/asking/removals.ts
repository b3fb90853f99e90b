/** Takes jobs that no one waits for out of the queue: now, or once the database lets us. */

import type { FleetDatabase } from '../../database.ts';
import type { Notices } from '../../notices.ts';
import { type Notice, toTopic } from '../job.ts';
import { type RemovedJob, removeJobs } from './audit-rows.ts';

export type Removals = {
  /** Those that are still to be removed. */
  readonly owed: readonly string[];
  /** Such a job may be there or not: it is removed with the next ones. */
  owe(id: string): void;
  /** What came of it was handed on: its row goes, and what belongs to it stays. */
  removeRowLater(id: string): void;
  /** It is gone. */
  settle(id: string): void;
  /**
   * Takes them out of the queue, and tells whoever runs them. Artifacts that no one will need end, too. Never throws.
   */
  remove(ids: readonly string[]): Promise<void>;
};

export type RemovalSettings = {
  database: Pick<FleetDatabase, 'query'>;
  notices: Pick<Notices, 'publish'>;
  releaseArtifacts: (artifacts: string) => void;
  suspect: () => void;
};

export function createRemovals({ database, notices, releaseArtifacts, suspect }: RemovalSettings): Removals {
  /** Whether someone has the outcome, and the artifacts with it. */
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
