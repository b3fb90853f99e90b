/** Takes artifacts over for an entry that is about to be stored with them, and compresses them afterwards. */
import type { SqlDatabase } from '../database/sql.ts';
import type { ArtifactFolder } from './artifacts.ts';
import { type StoreEvent, toSystemFault } from './fault.ts';
import { isResultId } from './result-id.ts';
import { setArtifactBytes } from './sql/artifact-rows.ts';
import type { ResultStore } from './store.ts';

export type ArtifactKeeper = {
  take: ResultStore['takeArtifacts'];
  /** One after the other, in the background. */
  pack(id: string): void;
  /** What a process that ended did not come to. */
  packAll(): Promise<void>;
  discard(id: string): Promise<void>;
  /** Waits for what is being compressed. */
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
  /** Bytes that were taken, or freed. */
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
      // The entry may be gone by now; else it stays as it is, which is as good to read.
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
