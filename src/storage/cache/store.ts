import { LRUCache } from 'lru-cache';

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

/** One `/psi` result as it is kept. */
export type StoredResult = {
  /** The Result without full data and without its cache note, as JSON. */
  summary: Buffer;
  /** The analyser's whole Lighthouse result as JSON, as `result/packed-json.ts` packs it. */
  lighthouseResult: Buffer;
  /** When the page was loaded, as the analyser says: a second answer with the same time is no second measurement. */
  fetchedAt: string;
  /** Milliseconds since the epoch. */
  storedAt: number;
};

/** Where results outlive the process, behind the memory. A fault is a miss: it is reported where the store is. */
export type LastingCache = {
  /** Whether others write into it, too: then it may have a newer result than the memory. */
  readonly isShared: boolean;
  get(key: string): Promise<StoredResult | undefined>;
  set(key: string, result: StoredResult): void;
  /** A newer one than the given stays. */
  remove(key: string, result: StoredResult): void;
  /** Empties it and returns how many results it held. @throws when it could not be emptied */
  clear(): Promise<number>;
};

export type CacheStore = {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  get(key: string): StoredResult | undefined;
  remove(key: string): void;
  set(key: string, result: StoredResult): void;
  /** Empties the store and returns how many results it held. */
  clear(): number;
};
