import { LRUCache } from 'lru-cache';
import type { CacheStore, StoredResult } from './store.ts';

/** Beyond this the index itself would weigh more than small results. */
const maxEntries = 50_000;

/** A string is held with up to two bytes a character. */
const sizeOf = (result: StoredResult, key: string): number =>
  result.lighthouseResult.byteLength + result.summary.byteLength + 2 * key.length;

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
    clear() {
      const { size } = results;
      results.clear();
      return size;
    },
  };
}
