/** What instances share beside the queue: the cache and its requests, and all limits. Loaded only with DATABASE_URL. */
import type { SharedLimits } from '../../analysers/psi/call-gate.ts';
import type { ResultCache } from '../../cache/result-cache.ts';
import type { FleetDatabase } from '../database.ts';
import type { Notices } from '../notices.ts';
import { createCallLimits } from './call-limits.ts';
import { createPageLimiter, type PageLimiter, sweepPageLimits } from './page-limiter.ts';
import { createPulse } from './pulse.ts';
import { createReach } from './reach.ts';
import { createSharedBackOffs } from './shared-back-off.ts';
import { createSharedCache, type SharedCacheSettings } from './shared-cache.ts';

export type SharedStateSettings = {
  database: FleetDatabase;
  notices: Notices;
  /** Of this instance. */
  instance: string;
  cache: Pick<SharedCacheSettings, 'maxBytes' | 'ttlMs' | 'staleMs' | 'now'>;
  /** Told when the database goes away, and when it is back. */
  onReach?: ((isThere: boolean) => void) | undefined;
};

export type SharedState = {
  readonly cache: ResultCache;
  /** Of calls to the remote analyser. */
  readonly limits: SharedLimits;
  /** Whether the database answered when it was last asked. */
  readonly isThere: boolean;
  createPageLimiter(pagesPerMinute: number): PageLimiter;
  /** Looks at the database now, and not with the next beat. */
  look(): Promise<void>;
  close(): Promise<void>;
};

const sweepMs = 60_000;

export function createSharedState({
  database,
  instance,
  onReach,
  cache: settings,
  ...given
}: SharedStateSettings): SharedState {
  const reach = createReach();
  if (onReach) reach.onChange(onReach);
  const notices: Notices = {
    ...given.notices,
    async publish(topic, payload) {
      // Nobody would hear it, and somebody would wait for it.
      if (reach.isThere) await given.notices.publish(topic, payload);
    },
  };
  const pulse = createPulse({ reach, probe: () => cache.look() });
  const parts = { database, notices, reach, pulse };
  const cache = createSharedCache({ ...parts, owner: instance, ...settings });
  const backOffs = createSharedBackOffs(parts);
  const callLimits = createCallLimits(parts);
  // Notices may have been lost meanwhile.
  const stopListening = notices.onReconnect(() => void pulse.beat());
  let sweptMs = performance.now();
  pulse.add(async () => {
    if (performance.now() - sweptMs < sweepMs) return;
    sweptMs = performance.now();
    await Promise.all([cache.sweep(), sweepPageLimits(database)]);
  });

  return {
    cache,
    limits: { createGate: callLimits.createGate, shareBackOff: backOffs.share },
    get isThere() {
      return reach.isThere;
    },
    createPageLimiter: pagesPerMinute => createPageLimiter({ database, reach }, pagesPerMinute),
    look: () => pulse.beat(),
    async close() {
      stopListening();
      await pulse.close();
      backOffs.close();
      await callLimits.close();
      await cache.close();
    },
  };
}
