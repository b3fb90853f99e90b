import type { ValueCache } from '../results/store.ts';
import { createLastingCache } from './lasting-cache.ts';
import { createResultCache, type ResultCache, type ResultCacheSettings } from './result-cache.ts';
import { createMemoryStore } from './store.ts';

type CacheSettings = Omit<ResultCacheSettings, 'lasting'> & {
  maxBytes: number;
  /** Values in the store of results; if undefined, results do not outlive the process. */
  values: ValueCache | undefined;
  /** Storage of the figures that `/health` reports. */
  place: 'memory' | 'memory and database';
};

/** Opens the cache of `/psi`: memory in front of the store of results, whose values other processes may change. */
export async function openCache({
  maxBytes,
  values,
  place,
  ...settings
}: CacheSettings): Promise<ResultCache & { close(): void }> {
  const lasting = values && createLastingCache(values);
  const cache = createResultCache(createMemoryStore(maxBytes, place), { ...settings, lasting });
  await lasting?.watch({ onCleared: cache.empty, onStored: cache.drop });
  return { ...cache, close: () => lasting?.close() };
}
