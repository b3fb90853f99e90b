import { LRUCache } from 'lru-cache';
import type { CacheStore, StoredResult } from './store.ts';

/** Beyond this the index itself would weigh more than small results. */
const maxEntries = 50_000;

/** The summary itself; the answer last made of it; and that one again, in an answer for both strategies. */
const summaryCopies = 3;

/** What is really held: a Buffer may be a small view on a large allocation. A string takes up to two bytes a character. */
const sizeOf = ({ lighthouseResult, summary }: StoredResult, key: string): number =>
  lighthouseResult.buffer.byteLength + summaryCopies * summary.buffer.byteLength + 2 * key.length;

/** Results in this process's memory, least recently used out first, bounded by bytes and number. */
export function createMemoryStore(maxBytes: number): CacheStore {
  const results = new LRUCache<string, StoredResult>({ max: maxEntries, maxSize: maxBytes, sizeCalculation: sizeOf });
  return {
    name: 'memory',
    get entries() {
      return results.size;
    },
    get bytes() {
      return results.calculatedSize;
    },
    get: key => results.get(key),
    set: (key, result) => {
      results.set(key, result);
    },
    remove: key => {
      results.delete(key);
    },
    clear() {
      const { size } = results;
      results.clear();
      return size;
    },
  };
}
