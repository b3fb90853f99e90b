/** Frees space: removes artifacts, results, builds and ended jobs beyond the limits of age and size. */

import { artifacts } from '../database/tables.ts';
import { removeOldNotes } from '../notes.ts';
import type { StoreContext } from './context.ts';
import type { RemovedKind } from './fault.ts';
import {
  artifactsWithoutEntry,
  knownArtifacts,
  oldestArtifacts,
  removeArtifactRows,
  sizeOfArtifacts,
} from './sql/artifact-rows.ts';
import { removeExcessBuilds, removeOldBuilds } from './sql/build-room.ts';
import { hasEntry } from './sql/entries.ts';
import { removeExcessJobs } from './sql/job-room.ts';
import { dateBack, removeEntries, removeExcess, removeOlder, sizeOfStore } from './sql/remove.ts';
import type { Waiting } from './waiting.ts';

/** Tolerance for results dated in the future, from clocks that are slightly ahead. */
const mostAheadMs = 24 * 60 * 60_000;
/** Max share of ended jobs, which are removed a day after their end anyway. */
const mostOfJobs = 1 / 4;
/** Share of the builds of all projects. They may take more while the store has space. */
const mostOfBuilds = 1 / 4;

type SweeperHooks = {
  onRemoved: (kind: RemovedKind, count: number) => void;
  /** Entries that wait to be written and have no row yet, also those of other services with this folder. */
  waiting: Pick<Waiting, 'has' | 'listFiles'>;
};

export function createSweeper(
  { database, folder, machineId, now }: StoreContext,
  { onRemoved, waiting }: SweeperHooks,
) {
  /** Files are removed first, so that an interruption leaves no file without a row. */
  const removeArtifacts = async (ids: readonly string[]): Promise<void> => {
    await folder?.remove(ids);
    await removeArtifactRows(database, machineId, ids);
  };

  const sweepArtifacts = async (ids: readonly string[]): Promise<void> => {
    await removeArtifacts(ids);
    onRemoved('artifacts', ids.length);
  };

  const sweepEntries = async (ids: readonly string[]): Promise<void> => {
    onRemoved('results', ids.length);
    await removeArtifacts(ids);
  };

  const removeResults = async (ids: readonly string[]): Promise<void> => {
    onRemoved('results', await removeEntries(database, ids));
    await removeArtifacts(ids);
  };

  const removeForgotten = async (): Promise<void> => {
    const next = () => artifactsWithoutEntry(database, machineId);
    for (let ids = await next(); ids.length > 0; ids = await next()) await sweepArtifacts(ids);
  };

  const removeTooMuch = async (keepBytes: number): Promise<void> => {
    let excess = (await sizeOfArtifacts(database, machineId)) - keepBytes;
    while (excess > 0) {
      const oldest = await oldestArtifacts(database, machineId);
      for (const { id, bytes } of oldest) {
        if (excess <= 0) break;
        await sweepArtifacts([id]);
        excess -= bytes;
      }
      if (oldest.length === 0) break;
    }
  };

  /**
   * Adds the row for files of an existing result: the folder was restored from a backup, or a process ended before it
   * wrote the row.
   */
  const adopt = async (id: string): Promise<boolean> => {
    const files = await folder?.find(id);
    if (!files || !(await hasEntry(database, id))) return false;
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    // If this write fails, the next sweep adopts the files: the current one may be about to free space.
    await database.write([artifacts.insert({ id, machineId, bytes, keptAtMs: now() })]).catch(() => {});
    return true;
  };

  const removeOrphans = async (): Promise<void> => {
    // The files are listed before the rows are read: an entry has a file until its row is written.
    const inFiles = new Set(await waiting.listFiles());
    const old = ((await folder?.old(now())) ?? []).filter(id => !waiting.has(id) && !inFiles.has(id));
    const known = new Set<string>();
    for (let at = 0; at < old.length; at += 500)
      for (const id of await knownArtifacts(database, machineId, old.slice(at, at + 500))) known.add(id);
    for (const id of old.filter(id => !known.has(id))) {
      if (await adopt(id)) continue;
      await folder?.remove([id]);
      onRemoved('artifacts', 1);
    }
  };

  return {
    removeArtifacts,
    /** Removes results and notes older than this time, and builds without results. */
    async older(beforeMs: number, nowMs: number): Promise<void> {
      await removeOlder(database, beforeMs, sweepEntries);
      onRemoved('builds', await removeOldBuilds(database, { beforeMs, nowMs }, removeResults));
      await removeOldNotes(database, beforeMs);
    },
    /** Sets results dated more than a day in the future to the current time. */
    dateBack: (nowMs: number) => dateBack(database, nowMs, mostAheadMs),
    /**
     * Removes the oldest ended jobs and builds beyond their shares, then the oldest results until at most `keepBytes`
     * are in use.
     */
    async excess(keepBytes: number): Promise<void> {
      const jobs = await removeExcessJobs(database, keepBytes * mostOfJobs);
      if (jobs.removed > 0) onRemoved('jobs', jobs.removed);
      // The used bytes of a file include its jobs; those of a server do not. At least half of the space is for results.
      const isMeasured = (await database.usedBytes()) !== undefined;
      const beyondHalf = Math.max(0, jobs.bytes - keepBytes / 2);
      const bound = isMeasured ? keepBytes + beyondHalf : keepBytes - Math.min(jobs.bytes, keepBytes / 2);
      const readExcess = async () => (await sizeOfStore(database)) - bound;
      const limits = { keepBytes: keepBytes * mostOfBuilds, readExcess };
      onRemoved('builds', await removeExcessBuilds(database, limits, removeResults));
      await removeExcess(database, bound, sweepEntries);
    },
    /**
     * Removes artifacts of removed results, then the oldest ones until at most `keepArtifactBytes` are left, and
     * orphaned files if requested.
     */
    async artifacts(keepArtifactBytes: number, removesOrphans: boolean): Promise<void> {
      await removeForgotten();
      await removeTooMuch(keepArtifactBytes);
      if (removesOrphans) await removeOrphans();
    },
    /** Removes the files of up to 50 oldest artifacts until `bytes` are free, but not their rows. @returns their ids */
    async artifactFiles(bytes: number): Promise<readonly string[]> {
      const ids: string[] = [];
      let room = 0;
      for (const { id, bytes: size } of await oldestArtifacts(database, machineId)) {
        if (room >= bytes) break;
        await folder?.remove([id]);
        ids.push(id);
        room += size;
      }
      return ids;
    },
  };
}
