import { createHash } from 'node:crypto';
import type { ValueCache } from '../results/store.ts';
import type { LastingCache, StoredResult } from './store.ts';

/** Hashes a key, so that stored keys have a fixed length and reveal no URL. */
const toStoredKey = (key: string): string => createHash('sha256').update(key).digest('hex');

type Head = Pick<StoredResult, 'fetchedAt' | 'storedAt'> & { summaryBytes: number };

const separator = '\n'.charCodeAt(0);

/** Serialises a value as a line of JSON, the summary and the packed result. */
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

/** Copies bytes, because a view would prevent the whole value from being freed. */
const copy = (bytes: Buffer): Buffer => {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
};

/** Returns undefined for a value that a different version wrote. */
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
   * Checks now and every second whether another service has cleared the cache. Never throws.
   * @param onCleared must discard results in memory and in flight, which are older than the clear
   */
  watch(onCleared: () => void): Promise<void>;
  close(): void;
};

/** Interval of the checks for a clear by another service. Memory may answer that long after it. */
const lookMs = 1000;

/**
 * Creates the persistent cache of `/psi` in the store of results. It has a table of its own, because it is not part of
 * the history. Other services may share the store.
 */
export function createLastingCache(values: ValueCache): WatchedCache {
  const writing = new Set<Promise<unknown>>();
  let known = 0;
  let timer: NodeJS.Timeout | undefined;
  let onCleared = () => {};
  // No response waits for the write. A lost value is measured again.
  const write = (change: Promise<unknown>): void => {
    const settled = change.catch(() => {}).finally(() => writing.delete(settled));
    writing.add(settled);
  };
  /**
   * Adopts a generation. If it is not the expected one, results in memory are discarded, because another service has
   * cleared the cache.
   */
  const adopt = (generation: number, expected = known): void => {
    known = generation;
    if (generation !== expected) onCleared();
  };

  const look = async (): Promise<void> => {
    try {
      adopt(await values.generation());
    } catch {
      // The store reports the fault, and the next check retries.
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
      // Earlier writes must end before the clear.
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
