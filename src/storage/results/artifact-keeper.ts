/** Copies artifacts for an entry that is about to be stored, and compresses them afterwards. */
import type { SqlDatabase } from '../database/sql.ts';
import type { ArtifactFolder } from './artifacts.ts';
import { type StoreEvent, toSystemFault } from './fault.ts';
import { isResultId } from './result-id.ts';
import { setArtifactBytes } from './sql/artifact-rows.ts';
import type { ResultStore } from './store.ts';

export type ArtifactKeeper = {
  take: ResultStore['takeArtifacts'];
  /** Compresses artifacts one after the other, in the background. */
  pack(id: string): void;
  /** Compresses the artifacts that an earlier process left uncompressed. */
  packAll(): Promise<void>;
  discard(id: string): Promise<void>;
  /** Waits for running compression. */
  settled(): Promise<void>;
};

export function createArtifactKeeper({
  database,
  folder,
  machineId,
  now,
  onEvent,
  onBytes,
}: {
  database: SqlDatabase;
  folder: ArtifactFolder | undefined;
  machineId: string;
  now: () => number;
  onEvent: (event: StoreEvent) => void;
  /** Called with the number of bytes stored or freed. */
  onBytes: (bytes: number) => void;
}): ArtifactKeeper {
  let packing: Promise<void> = Promise.resolve();

  const packOne = async (id: string): Promise<void> => {
    try {
      const packed = await folder?.pack(id);
      if (packed === undefined || packed.change === 0) return;
      onBytes(packed.change);
      await setArtifactBytes(database, machineId, { id, bytes: packed.bytes });
    } catch {
      // The entry may have been removed. Otherwise, its uncompressed file is readable too.
    }
  };
  const pack = (id: string): void => {
    packing = packing.then(() => packOne(id));
  };

  return {
    pack,
    settled: () => packing,
    async packAll() {
      for (const id of (await folder?.unpacked()) ?? []) pack(id);
      await packing;
    },
    discard: async id => void (await folder?.remove([id]).catch(() => {})),
    async take(id, sources) {
      if (folder === undefined || !isResultId(id)) return undefined;
      try {
        const bytes = await folder.take(id, sources);
        onBytes(bytes);
        return bytes;
      } catch (error) {
        const fault = { ...toSystemFault(error, 'The artifacts could not be stored'), atMs: now() };
        onEvent({ event: 'fault', fault });
        return undefined;
      }
    },
  };
}
