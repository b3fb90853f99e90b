/** Makes room: entries that are too old or too much, then artifacts, then the file itself. */
import type { ArtifactFolder } from './artifacts.ts';
import {
  artifactsWithoutEntry,
  knownArtifacts,
  oldestArtifacts,
  removeArtifactRows,
  sizeOfArtifacts,
} from './sql/artifact-rows.ts';
import type { SqlDatabase } from './sql/database.ts';
import { removeExcess, removeOlder } from './sql/remove.ts';
import type { SweepBounds } from './store.ts';

const dayMs = 24 * 60 * 60_000;

export type Sweeper = {
  entries(bounds: SweepBounds): Promise<number>;
  artifacts(bounds: SweepBounds): Promise<number>;
  /** Removes the artifacts of these entries: files first, so that an interruption leaves no file without a row. */
  removeArtifacts(ids: readonly string[]): Promise<void>;
  reclaim(): Promise<void>;
};

export function createSweeper({
  database,
  folder,
  machineId,
  now,
}: {
  database: SqlDatabase;
  folder: ArtifactFolder | undefined;
  machineId: string;
  now: () => number;
}): Sweeper {
  const removeArtifacts = async (ids: readonly string[]): Promise<void> => {
    await folder?.remove(ids);
    await removeArtifactRows(database, machineId, ids);
  };

  const removeForgotten = async (): Promise<number> => {
    let removed = 0;
    const next = () => artifactsWithoutEntry(database, machineId);
    for (let ids = await next(); ids.length > 0; ids = await next()) {
      await removeArtifacts(ids);
      removed += ids.length;
    }
    return removed;
  };

  const removeTooMuch = async (keepBytes: number): Promise<number> => {
    let excess = (await sizeOfArtifacts(database, machineId)) - keepBytes;
    let removed = 0;
    while (excess > 0) {
      const oldest = await oldestArtifacts(database, machineId);
      for (const { id, bytes } of oldest) {
        if (excess <= 0) break;
        await removeArtifacts([id]);
        excess -= bytes;
        removed += 1;
      }
      if (oldest.length === 0) break;
    }
    return removed;
  };

  const removeOrphans = async (): Promise<number> => {
    const old = (await folder?.old(now())) ?? [];
    const known = new Set<string>();
    for (let at = 0; at < old.length; at += 500)
      for (const id of await knownArtifacts(database, machineId, old.slice(at, at + 500))) known.add(id);
    const orphans = old.filter(id => !known.has(id));
    await folder?.remove(orphans);
    return orphans.length;
  };

  return {
    removeArtifacts,
    entries: async ({ keepDays, keepBytes }) =>
      (await removeOlder(database, now() - keepDays * dayMs, removeArtifacts)) +
      (await removeExcess(database, keepBytes, removeArtifacts)),
    artifacts: async ({ keepArtifactBytes }) =>
      (await removeForgotten()) + (await removeTooMuch(keepArtifactBytes)) + (await removeOrphans()),
    async reclaim() {
      while (await database.reclaim());
    },
  };
}
