import { LRUCache } from 'lru-cache';

/** Max number of entries. With more, the index would need more memory than small results. */
const maxEntries = 50_000;

/**
 * Number of copies of the summary per entry: the summary, the last answer made from it, and that answer within a result
 * for both strategies.
 */
const summaryCopies = 3;

/**
 * Returns the size of an entry in memory. A Buffer may be a small view of a large allocation, and a string takes up to
 * two bytes per character.
 */
const sizeOf = ({ lighthouseResult, summary }: StoredResult, key: string): number =>
  lighthouseResult.buffer.byteLength + summaryCopies * summary.buffer.byteLength + 2 * key.length;

/** Creates an in-memory store with limits on bytes and entries. It removes the least recently used results first. */
export function createMemoryStore(maxBytes: number, name = 'memory'): CacheStore {
  const results = new LRUCache<string, StoredResult>({ max: maxEntries, maxSize: maxBytes, sizeCalculation: sizeOf });
  return {
    name,
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

export type StoredResult = {
  /** The Result without full data and without its cache note, as JSON. */
  summary: Buffer;
  /** The analyser's whole Lighthouse result as JSON, packed by `packed-json.ts`. */
  lighthouseResult: Buffer;
  /** Time of the load that the analyser reports. Another answer with the same time is not a new measurement. */
  fetchedAt: string;
  storedAt: number;
};

/**
 * A persistent cache behind the memory. The store reports its faults, which count as misses. Other processes may write
 * to it, so its result may be newer than the one in memory.
 */
export type LastingCache = {
  get(key: string): Promise<StoredResult | undefined>;
  set(key: string, result: StoredResult): void;
  /** Removes this result. A newer one that has replaced it remains. */
  remove(key: string, result: StoredResult): void;
  /**
   * Empties the store and returns the number of removed results.
   * @throws if it could not be emptied
   */
  clear(): Promise<number>;
};

export type CacheStore = {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  get(key: string): StoredResult | undefined;
  remove(key: string): void;
  set(key: string, result: StoredResult): void;
  /** Empties the store and returns the number of removed results. */
  clear(): number;
};
