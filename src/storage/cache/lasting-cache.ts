import { createHash } from 'node:crypto';
import type { ValueCache } from '../results/store.ts';
import type { LastingCache, StoredResult } from './store.ts';

/** A key holds the whole URL: what is stored under has one length, and is read only together with its value. */
const toStoredKey = (key: string): string => createHash('sha256').update(key).digest('hex');

type Head = Pick<StoredResult, 'fetchedAt' | 'storedAt'> & { summaryBytes: number };

const separator = '\n'.charCodeAt(0);

/** A line of JSON, the summary, the packed result. */
export function toValue({ summary, lighthouseResult, fetchedAt, storedAt }: StoredResult): Buffer {
  const head: Head = { fetchedAt, storedAt, summaryBytes: summary.length };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), summary, lighthouseResult]);
}

const isHead = (value: unknown): value is Head =>
  typeof value === 'object' &&
  value !== null &&
  'fetchedAt' in value &&
  typeof value.fetchedAt === 'string' &&
  'storedAt' in value &&
  typeof value.storedAt === 'number' &&
  'summaryBytes' in value &&
  typeof value.summaryBytes === 'number';

/** Bytes of their own: a view would keep the whole value from being freed. */
const copy = (bytes: Buffer): Buffer => {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
};

/** Undefined for a value of another version. */
export function fromValue(value: Uint8Array): StoredResult | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const at = bytes.indexOf(separator);
  try {
    const head: unknown = JSON.parse(bytes.toString('utf8', 0, Math.max(0, at)));
    if (!isHead(head)) return undefined;
    const { fetchedAt, storedAt, summaryBytes } = head;
    const begin = at + 1;
    return {
      summary: copy(bytes.subarray(begin, begin + summaryBytes)),
      lighthouseResult: copy(bytes.subarray(begin + summaryBytes)),
      fetchedAt,
      storedAt,
    };
  } catch {
    return undefined;
  }
}

export type WatchedCache = LastingCache & {
  /**
   * Looks now and every second whether another service has cleared the cache. Never throws.
   * @param onCleared what is in memory, and in flight, is from before a clear
   */
  watch(onCleared: () => void): Promise<void>;
  close(): void;
};

/** So long the memory of another service on the same store may answer after a clear. */
const lookMs = 1000;

/**
 * The cache of `/psi` in the store of results: in a table of its own, because history is no cache. Other services may
 * use the same store.
 */
export function createLastingCache(values: ValueCache): WatchedCache {
  const writing = new Set<Promise<unknown>>();
  let known = 0;
  let timer: NodeJS.Timeout | undefined;
  let onCleared = () => {};
  // No answer waits for it: what is lost is measured again.
  const write = (change: Promise<unknown>): void => {
    const settled = change.catch(() => {}).finally(() => writing.delete(settled));
    writing.add(settled);
  };
  /** What is in memory belongs to the known generation: both change together. */
  const adopt = (generation: number, expected = known): void => {
    known = generation;
    if (generation !== expected) onCleared();
  };

  const look = async (): Promise<void> => {
    try {
      adopt(await values.generation());
    } catch {
      // The store reports it, and the next look asks again.
    }
  };

  return {
    async watch(whenCleared) {
      onCleared = whenCleared;
      timer = setInterval(() => void look(), lookMs);
      timer.unref();
      await look();
    },
    close: () => clearInterval(timer),
    isShared: false,
    async get(key) {
      const found = await values.get(toStoredKey(key));
      return found && fromValue(found.value);
    },
    set: (key, result) => write(values.set(toStoredKey(key), toValue(result), known)),
    remove: key => write(values.remove(toStoredKey(key))),
    async clear() {
      // What was written before must not come after.
      await Promise.all(writing);
      const expected = known + 1;
      const cleared = await values.clear();
      await values.generation().then(
        generation => adopt(generation, expected),
        () => {},
      );
      return cleared;
    },
  };
}
