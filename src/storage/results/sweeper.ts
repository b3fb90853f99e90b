/** Makes room: entries that are too old or too much, then artifacts, then the file itself. */

import type { SqlDatabase } from '../database/sql.ts';
import type { ArtifactFolder } from './artifacts.ts';
import type { RemovedKind } from './fault.ts';
import {
  artifactsWithoutEntry,
  knownArtifacts,
  oldestArtifacts,
  removeArtifactRows,
  sizeOfArtifacts,
  toArtifactInsert,
} from './sql/artifact-rows.ts';
import { hasEntry } from './sql/entries.ts';
import { removeExcessJobs } from './sql/job-room.ts';
import { dateBack, removeExcess, removeOlder } from './sql/remove.ts';

/** So far in the future a result may be dated, for clocks that are a little ahead. */
const mostAheadMs = 24 * 60 * 60_000;
/** Ended jobs have a quarter of the room: they are removed a day after their end anyway. */
const mostOfJobs = 1 / 4;

export type Sweeper = {
  /** Removes results from before that time. */
  older(beforeMs: number): Promise<void>;
  /** Dates results of the future as of now. */
  dateBack(nowMs: number): Promise<void>;
  /** Removes the oldest results until no more is in use. */
  excess(keepBytes: number): Promise<void>;
  /** Removes artifacts of results that are gone, the oldest until no more are left, and forgotten files if asked to. */
  artifacts(keepArtifactBytes: number, removesOrphans: boolean): Promise<void>;
  /** Removes the oldest artifacts, files only, until there are so many bytes of room. @returns their ids */
  artifactFiles(bytes: number): Promise<readonly string[]>;
  /** Removes the artifacts of these entries: files first, so that an interruption leaves no file without a row. */
  removeArtifacts(ids: readonly string[]): Promise<void>;
};

export type OnRemoved = (kind: RemovedKind, count: number) => void;

export function createSweeper({
  database,
  folder,
  machineId,
  now,
  onRemoved,
  isWaiting,
}: {
  database: SqlDatabase;
  folder: ArtifactFolder | undefined;
  machineId: string;
  /** The clock of this machine, which its files are dated by. */
  now: () => number;
  onRemoved: OnRemoved;
  /** Whether an entry has no row yet. */
  isWaiting: (id: string) => boolean;
}): Sweeper {
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

  /** Files of a result that is there: the folder was restored from a backup, or a process died before their row. */
  const adopt = async (id: string): Promise<boolean> => {
    const files = await folder?.find(id);
    if (!files || !(await hasEntry(database, id))) return false;
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    // What cannot be written now is adopted by the next sweep: this one may be about to make room.
    await database.write([toArtifactInsert(machineId, { id, bytes, keptAtMs: now() })]).catch(() => {});
    return true;
  };

  const removeOrphans = async (): Promise<void> => {
    const old = ((await folder?.old(now())) ?? []).filter(id => !isWaiting(id));
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
    older: async beforeMs => void (await removeOlder(database, beforeMs, sweepEntries)),
    dateBack: nowMs => dateBack(database, nowMs, mostAheadMs),
    async excess(keepBytes) {
      const jobs = await removeExcessJobs(database, keepBytes * mostOfJobs);
      if (jobs.removed > 0) onRemoved('jobs', jobs.removed);
      // A file is measured with its jobs, and a server without them. Half of the room is for results in any case.
      const isMeasured = (await database.usedBytes()) !== undefined;
      const beyondHalf = Math.max(0, jobs.bytes - keepBytes / 2);
      const bound = isMeasured ? keepBytes + beyondHalf : keepBytes - Math.min(jobs.bytes, keepBytes / 2);
      await removeExcess(database, bound, sweepEntries);
    },
    async artifacts(keepArtifactBytes, removesOrphans) {
      await removeForgotten();
      await removeTooMuch(keepArtifactBytes);
      if (removesOrphans) await removeOrphans();
    },
    async artifactFiles(bytes) {
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
