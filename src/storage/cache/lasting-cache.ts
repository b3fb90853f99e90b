import type { ValueCache } from '../results/store.ts';
import type { LastingCache, StoredResult } from './store.ts';

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

/** Reacts to other processes that use the same store. */
type OtherProcesses = {
  /** Must discard results in memory and in flight, which are older than the clear. */
  onCleared(): void;
  /** Must discard an older result in memory. */
  onStored(name: string, storedAtMs: number): void;
};

export type WatchedCache = LastingCache & {
  /** Checks now and every second what other processes have changed. Never throws. */
  watch(others: OtherProcesses): Promise<void>;
  close(): void;
};

/** Interval of the checks. Memory may answer that long after a clear by another process. */
const lookMs = 1000;

/**
 * Creates the persistent cache of `/psi` in the store of results. It has a table of its own, because it is not part of
 * the history. Other services may share the store.
 */
export function createLastingCache(values: ValueCache): WatchedCache {
  const writing = new Set<Promise<unknown>>();
  let known = 0;
  let lastNumber = 0;
  let timer: NodeJS.Timeout | undefined;
  let others: OtherProcesses = { onCleared: () => {}, onStored: () => {} };
  // No response waits for the write. A lost value is measured again.
  const write = (change: Promise<unknown>): void => {
    const settled = change.catch(() => {}).finally(() => writing.delete(settled));
    writing.add(settled);
  };

  /** @param expected generation after the own clears; at another one, another process has cleared the cache */
  async function look(expected = known): Promise<void> {
    try {
      const changes = await values.readChanges(lastNumber);
      const isCleared = changes.generation !== expected;
      known = changes.generation;
      lastNumber = changes.lastNumber;
      if (isCleared) others.onCleared();
      for (const { name, storedAtMs } of changes.stored) others.onStored(name, storedAtMs);
    } catch {
      // The store reports the fault, and the next check retries.
    }
  }

  return {
    async watch(watching) {
      others = watching;
      timer = setInterval(() => void look(), lookMs);
      timer.unref();
      await look();
    },
    close: () => clearInterval(timer),
    async get(key) {
      const found = await values.get(key);
      return found && fromValue(found.value);
    },
    set: (key, result) => write(values.set(key, toValue(result), known, result.storedAt)),
    remove: (key, { storedAt }) => write(values.remove(key, storedAt)),
    async clear() {
      // Earlier writes must end before the clear.
      await Promise.all(writing);
      const expected = known + 1;
      const cleared = await values.clear();
      await look(expected);
      return cleared;
    },
  };
}
