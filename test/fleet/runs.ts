/** Productions of results that the test starts, watches and ends. */
import type { CachedResult, ResultCache } from '../../src/storage/cache/result-cache.ts';
import type { StoredResult } from '../../src/storage/cache/store.ts';
import { createArrivals } from '../support/arrivals.ts';

type Fields = Omit<StoredResult, 'storedAt'>;

export const fieldsOf = (name: string): Fields => ({
  summary: Buffer.from(Uint8Array.from(Buffer.from(name)).buffer),
  lighthouseResult: Buffer.alloc(10),
  fetchedAt: `time of ${name}`,
});

export const nameOf = ({ result }: CachedResult): string => result.summary.toString();

export function createRun() {
  const { promise, resolve, reject } = Promise.withResolvers<Fields>();
  promise.catch(() => {});
  const begun = createArrivals<AbortSignal>();
  const cancelled = Promise.withResolvers<void>();
  return {
    produce: (signal: AbortSignal) => {
      begun.add(signal);
      signal.addEventListener('abort', () => {
        cancelled.resolve();
        reject(signal.reason);
      });
      return promise;
    },
    finish: (name: string) => resolve(fieldsOf(name)),
    fail: reject,
    whenBegun: (count = 1) => begun.waitFor(count),
    whenCancelled: cancelled.promise,
    get count() {
      return begun.all.length;
    },
  };
}

type Client = { signal?: AbortSignal; fresh?: boolean; key?: string };

export const ask = (
  { cache }: { cache: ResultCache },
  { produce }: { produce: (signal: AbortSignal) => Promise<Fields> },
  { signal = new AbortController().signal, fresh = false, key = 'page' }: Client = {},
): Promise<CachedResult> => cache.resolve(key, produce, { signal, fresh });

export const instantly = (name: string) => ({ produce: async () => fieldsOf(name) });

/** The name of the stored result; asking for it stores nothing. */
export const storedName = (instance: { cache: ResultCache }, key = 'page'): Promise<string | undefined> =>
  ask(instance, { produce: () => Promise.reject(new Error('not stored')) }, { key }).then(nameOf, () => undefined);
