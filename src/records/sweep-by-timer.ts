import type { ResultStore, SweepBounds } from '../results/store.ts';

const everyMs = 15 * 60_000;

/** Makes room at the start and every quarter of an hour: never two sweeps at once. */
export function sweepByTimer(
  store: ResultStore,
  { keepDays, keepBytes, keepArtifactBytes, cacheMaxBytes, cacheTtlMs, cacheStaleMs }: SweepSettings,
): { stop(): void } {
  let isSweeping = false;
  const sweep = async (): Promise<void> => {
    if (isSweeping) return;
    isSweeping = true;
    await store.sweep({ keepDays, keepBytes, keepArtifactBytes });
    // What fails here is reported by the store.
    await store.cache.evict({ maxBytes: cacheMaxBytes, maxAgeMs: cacheTtlMs + cacheStaleMs }).catch(() => {});
    isSweeping = false;
  };
  void sweep();
  const timer = setInterval(() => void sweep(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

export type SweepSettings = SweepBounds & { cacheMaxBytes: number; cacheTtlMs: number; cacheStaleMs: number };
