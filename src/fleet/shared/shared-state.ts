/**
 * Everything that instances share except the queue: the cache, its requests, and all limits. This module is loaded only
 * with DATABASE_URL.
 */
import type { SharedLimits } from '../../measure/psi/call-queue.ts';
import type { ResultCache } from '../../storage/cache/result-cache.ts';
import type { FleetDatabase } from '../database.ts';
import type { Notices } from '../notices.ts';
import { createCallLimits } from './call-limits.ts';
import { createPageLimiter, type PageLimiter, sweepPageLimits } from './page-limiter.ts';
import { createSharedCache, type SharedCacheSettings } from './shared-cache.ts';

export type SharedStateSettings = {
  database: FleetDatabase;
  notices: Notices;
  /** Name of this instance. */
  instance: string;
  cache: Pick<SharedCacheSettings, 'maxBytes' | 'ttlMs' | 'staleMs' | 'now'>;
};

export type SharedState = {
  readonly cache: ResultCache;
  /** Limits of calls to the PSI analyser. */
  readonly limits: SharedLimits;
  createPageLimiter(pagesPerMinute: number): PageLimiter;
  close(): Promise<void>;
};

const sweepMs = 60_000;

export function createSharedState({ database, instance, cache: settings, notices }: SharedStateSettings): SharedState {
  const { availability } = database;
  const cache = createSharedCache({ ...settings, database, notices, owner: instance });
  const limits = createCallLimits(database, notices);
  let sweptMs = performance.now();
  const stops = [
    availability.onBeat(cache.look),
    availability.onBeat(async () => {
      if (performance.now() - sweptMs < sweepMs) return;
      sweptMs = performance.now();
      await Promise.all([cache.sweep(), sweepPageLimits(database)]);
    }),
  ];
  return {
    cache,
    limits,
    createPageLimiter: pagesPerMinute => createPageLimiter(database, pagesPerMinute),
    async close() {
      for (const stop of stops) stop();
      await limits.close();
      await cache.close();
    },
  };
}
