import { type CacheValues, createLastingCache, toName } from './lasting-cache.ts';
import { createResultCache, type ResultCache, type ResultCacheSettings } from './result-cache.ts';
import { createMemoryStore } from './store.ts';

type CacheSettings = Omit<ResultCacheSettings, 'lasting'> & {
  maxBytes: number;
  /** Values in the store of results; if undefined, results do not outlive the process. */
  values: CacheValues | undefined;
  /** Whether instances of a fleet share the values. */
  isShared: boolean;
};

/** Opens the cache of `/psi`: memory in front of the store of results, whose values other processes may change. */
export async function openCache({
  maxBytes,
  values,
  isShared,
  ...settings
}: CacheSettings): Promise<ResultCache & { close(): void }> {
  const lasting = values && createLastingCache(values, isShared);
  const store = createMemoryStore(maxBytes, isShared ? 'memory and database' : 'memory');
  const cache = createResultCache(store, { ...settings, lasting });
  await lasting?.watch({ onCleared: cache.empty, onStored: cache.drop });
  const close = () => lasting?.close();
  // Other instances report a new value by its name, so in a fleet the names are the keys of the memory, too.
  if (isShared) return { ...cache, resolve: (key, ...how) => cache.resolve(toName(key), ...how), close };
  return { ...cache, close };
}
