import { createZstdDecompress } from 'node:zlib';
import { AnalysisError } from '../../../contract/errors.ts';
import { StoreFaultError } from '../../../storage/database/fault.ts';
import { InvalidCursorError } from '../../../storage/results/fault.ts';
import type { Entry, FullResult, ResultStore } from '../../../storage/results/store.ts';
import { notText, ValidationFailure, valueError } from '../../input/validation-error.ts';

/** Returns the whole Lighthouse result of an entry as it is stored; undefined if it has none. */
export const findFull = (store: ResultStore | undefined, id: string): Promise<FullResult | undefined> =>
  askStore(store, stored => stored.full(id));

/** Unpacks a whole Lighthouse result as JSON, at the speed of the reader. @throws the error of damaged data */
export async function* unpackFull({ bytes, coding }: FullResult): AsyncGenerator<Buffer> {
  if (coding !== 'zstd') throw new Error(`a result in the unknown coding ${coding}`);
  const unpacking = createZstdDecompress();
  unpacking.end(bytes);
  yield* unpacking;
}

/**
 * Returns the unpacked size of a whole result, which is read to its end, because damage would cut off a response.
 * @throws AnalysisError `results_unavailable` for damaged data
 */
export async function measureFull(full: FullResult): Promise<number> {
  let size = 0;
  try {
    for await (const piece of unpackFull(full)) size += piece.length;
  } catch (cause) {
    throw new AnalysisError('results_unavailable', damagedDetail, { cause });
  }
  return size;
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
