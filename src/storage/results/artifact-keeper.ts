/** Copies artifacts for an entry that is about to be stored, and compresses them afterwards. */
import type { StoreContext } from './context.ts';
import { toSystemFault } from './fault.ts';
import { isResultId } from './result-id.ts';
import { setArtifactBytes } from './sql/artifact-rows.ts';
import type { ArtifactSources } from './store.ts';

/** @param onBytes called with the number of bytes stored or freed */
export function createArtifactKeeper(
  { database, folder, machineId, now, onEvent }: StoreContext,
  onBytes: (bytes: number) => void,
) {
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
    /** Compresses artifacts one after the other, in the background. */
    pack,
    /** Waits for running compression. */
    settled: () => packing,
    /** Compresses the artifacts that an earlier process left uncompressed. */
    async packAll(): Promise<void> {
      for (const id of (await folder?.unpacked()) ?? []) pack(id);
      await packing;
    },
    discard: async (id: string) => void (await folder?.remove([id]).catch(() => {})),
    async take(id: string, sources: ArtifactSources): Promise<number | undefined> {
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
