/**
 * Shared cache of `/psi`, with memory in front of the database. A hit in memory needs no query. The database counts
 * clears: a notice reports a clear immediately, and a beat reads the count every second. Therefore memory answers for
 * at most a second after a clear while the database is available.
 */
import { hash } from 'node:crypto';
import { fromValue } from '../../storage/cache/lasting-cache.ts';
import { createResultCache, type OwnedCache, type ResultCache } from '../../storage/cache/result-cache.ts';
import { createMemoryStore, type LastingCache, type StoredResult } from '../../storage/cache/store.ts';
import { evictValues } from '../../storage/results/sql/cached-values.ts';
import { fieldOf } from './await-notice.ts';
import {
  asSqlDatabase,
  clearCached,
  readCached,
  readNews,
  removeCached,
  removeCleared,
  type Stored,
  sharedValues,
} from './cached-rows.ts';
import { sweepRequests } from './request-rows.ts';
import { createSingleFlight, type SingleFlightSettings } from './single-flight.ts';

export type SharedCacheSettings = Pick<SingleFlightSettings, 'database' | 'notices' | 'owner'> & {
  maxBytes: number;
  ttlMs: number;
  staleMs: number;
  now?: () => number;
};

export type SharedCache = ResultCache & {
  /** Reads clears and new values of other instances, and removes outdated values from memory. Called at each beat. */
  look(): Promise<void>;
  /** Removes values beyond the limits of age and size. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

/** Hashes a key, which contains the whole URL, to a name of fixed length for rows and notices. */
const nameOf = (key: string): string => hash('sha256', key);

/** Number of previous beats to read again, because rows may become visible after rows with higher numbers. */
const beatsBack = 3;

export function createSharedCache(parts: SharedCacheSettings): SharedCache {
  const { database, notices, maxBytes, ttlMs, staleMs, now = Date.now } = parts;
  const { ask, askAnyway } = database.availability;
  let known = 0;
  /** Highest numbers of the last beats, oldest first. */
  let seenNumbers: readonly number[] = [];

  /** Adopts a generation after a clear. @returns whether values read in a generation may still be used */
  const adopt = (generation: number): boolean => {
    if (generation <= known) return generation === known;
    known = generation;
    local.empty();
    return true;
  };

  const read = async (name: string): Promise<StoredResult | undefined> => {
    const { generation, content } = await ask(() => readCached(database, name));
    return content && adopt(generation) ? fromValue(content) : undefined;
  };

  const lasting: LastingCache = {
    isShared: true,
    get: name => read(name).catch(() => undefined),
    // A request stores its result itself when it ends.
    set: () => {},
    remove: (name, { storedAt }) => void ask(() => removeCached(database, name, storedAt)).catch(() => {}),
    async clear() {
      const { generation, cleared } = await askAnyway(() => clearCached(database));
      adopt(generation);
      await notices.publish('cleared', { generation });
      // The sweep removes the rest.
      await removeCleared(database).catch(() => {});
      return cleared;
    },
  };

  const requests = createSingleFlight({
    ...parts,
    now,
    read,
    isCurrent: adopt,
    onOvertaken: name => local.overtake(name),
  });
  const local: OwnedCache = createResultCache(createMemoryStore(maxBytes), {
    ttlMs,
    staleMs,
    now,
    lasting,
    obtain: requests.obtain,
  });

  const lookAtNews = (stored: readonly Stored[]): void => {
    for (const { name, storedAtMs } of stored) local.drop(name, storedAtMs);
    const highest = Math.max(0, seenNumbers.at(-1) ?? 0, ...stored.map(({ number }) => number));
    seenNumbers = [...seenNumbers, highest].slice(-beatsBack);
  };

  const stopListening = [
    notices.subscribe('cleared', payload => void adopt(Number(fieldOf(payload, 'generation') ?? 0))),
    notices.subscribe('cached', payload => {
      local.drop(String(fieldOf(payload, 'name')), Number(fieldOf(payload, 'storedAtMs') ?? 0));
    }),
  ];

  return {
    resolve: (key, produce, client) => local.resolve(nameOf(key), produce, client),
    clear: () => local.clear(),
    status: () => ({ ...local.status(), store: 'memory and database' }),
    async look() {
      const { generation, stored } = await ask(() => readNews(database, seenNumbers[0] ?? 0));
      adopt(generation);
      lookAtNews(stored);
    },
    async sweep() {
      await sweepRequests(database);
      await removeCleared(database);
      const bounds = { maxBytes, storedBeforeMs: now() - ttlMs - staleMs };
      await evictValues(asSqlDatabase(database), bounds, sharedValues);
    },
    async close() {
      for (const stop of stopListening) stop();
      await requests.close();
    },
  };
}
