import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { AnalysisError } from '../../../contract/errors.ts';
import { StoreFaultError } from '../../../storage/database/fault.ts';
import { InvalidCursorError } from '../../../storage/results/fault.ts';
import type { Entry, ResultStore } from '../../../storage/results/store.ts';
import { notText, ValidationFailure, valueError } from '../../input/validation-error.ts';

const decompress = promisify(zstdDecompress);

/** Returns the whole Lighthouse result of an entry as JSON; undefined if it has none. */
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

/** Result store of the service; undefined if it stores no results. */
export type StoreSources = { store: ResultStore | undefined };

const retryAfterSeconds = 5;
const damagedDetail = 'The stored data is damaged. Measure the page again.';

/**
 * Queries the store.
 * @throws AnalysisError if no results are stored, or the database cannot be used now; ValidationFailure for an invalid
 *   cursor
 */
export async function askStore<T>(store: ResultStore | undefined, ask: (store: ResultStore) => Promise<T>): Promise<T> {
  if (!store) throw new AnalysisError('results_not_kept', 'This service stores no results: DATA_DIR is none.');
  try {
    return await ask(store);
  } catch (cause) {
    if (cause instanceof InvalidCursorError)
      throw new ValidationFailure([valueError('it is not a cursor from a previous response')(['query', 'cursor'])]);
    if (!(cause instanceof StoreFaultError)) throw cause;
    if (cause.code === 'invalid_input') throw new ValidationFailure([notText(['query'])]);
    // Damage is permanent, so the response suggests no retry.
    if (cause.code === 'corrupt') throw new AnalysisError('results_unavailable', damagedDetail, { cause });
    const detail = `The stored results cannot be used now: ${cause.message}`;
    throw new AnalysisError('results_unavailable', detail, { retryAfterSeconds, cause });
  }
}

export const notFound = (): AnalysisError =>
  new AnalysisError('result_not_found', 'No stored result has this id. It may have been removed to make room.');

export const findEntry = async (store: ResultStore | undefined, id: string): Promise<Entry> => {
  const entry = await askStore(store, stored => stored.get(id));
  if (!entry) throw notFound();
  return entry;
};
