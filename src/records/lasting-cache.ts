import { createHash } from 'node:crypto';
import type { LastingCache, StoredResult } from '../cache/store.ts';
import type { ValueCache } from '../results/store.ts';

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

/** The cache of `/psi` in the store of results: in a table of its own, because history is no cache. */
export function createLastingCache(values: ValueCache): LastingCache {
  const writing = new Set<Promise<unknown>>();
  // No answer waits for it: what is lost is measured again.
  const write = (change: Promise<unknown>): void => {
    const settled = change.catch(() => {}).finally(() => writing.delete(settled));
    writing.add(settled);
  };
  return {
    isShared: false,
    async get(key) {
      const found = await values.get(toStoredKey(key));
      return found && fromValue(found.value);
    },
    set: (key, result) => write(values.set(toStoredKey(key), toValue(result))),
    remove: key => write(values.remove(toStoredKey(key))),
    async clear() {
      // What was written before must not come after.
      await Promise.all(writing);
      return values.clear();
    },
  };
}
