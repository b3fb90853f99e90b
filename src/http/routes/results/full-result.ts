import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { AnalysisError } from '../../../contract/errors.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { askStore, damagedDetail } from './stored.ts';

const decompress = promisify(zstdDecompress);

/** The whole Lighthouse result of an entry as JSON; undefined for an entry without one. */
export async function readFullResult(store: ResultStore | undefined, id: string): Promise<Buffer | undefined> {
  const full = await askStore(store, stored => stored.full(id));
  if (!full) return undefined;
  if (full.coding !== 'zstd') throw new Error(`a result in the unknown coding ${full.coding}`);
  try {
    return await decompress(full.bytes);
  } catch (cause) {
    throw new AnalysisError('results_unavailable', damagedDetail, { cause });
  }
}
