/** What this instance shares with others on one PostgreSQL. Without one, nothing of it is loaded. */
import type { Logger } from 'pino';
import type { Category } from './contract/names.ts';
import type { TracePath } from './contract/trace.ts';
import { serviceVersion } from './contract/version.ts';
import type { Fleet } from './fleet/open-fleet.ts';
import type { FleetAnalyser } from './fleet/queue/fleet-analyser.ts';
import type { SharedState } from './fleet/shared/shared-state.ts';
import type { LocalAnalyser } from './lighthouse/pool.ts';
import { readMeasured } from './lighthouse/read-page.ts';
import type { Settings } from './settings/settings.ts';
import type { Threads } from './threads/threads.ts';

/** Undefined without a database. */
export const openFleet = async ({ databaseUrl: url }: Settings): Promise<Fleet | undefined> =>
  url === undefined ? undefined : (await import('./fleet/open-fleet.ts')).openFleet(url);

/** Audits of the whole fleet, of which this instance takes its share where it has a pool. */
export const createFleetAnalyser = (
  fleet: Fleet | undefined,
  settings: Settings,
  {
    pool,
    threads,
    log,
    tracePath,
  }: { pool: LocalAnalyser | undefined; threads: Threads; log: Logger; tracePath: TracePath | undefined },
): Promise<FleetAnalyser> | undefined =>
  fleet?.createAnalyser({
    ...{ role: settings.role, version: serviceVersion, pool, tracePath },
    targets: settings.targets,
    slots: settings.lighthouseConcurrency,
    waitingPerMachine: settings.lighthouseQueue,
    timeoutMs: settings.lighthouseTimeoutMs,
    checkPage({ request: { url, strategy, categories } }) {
      const facts = { source: 'lighthouse', analyser: { kind: 'local' }, url, strategy } as const;
      return readMeasured(threads, {
        ...facts,
        categories: categories as readonly Category[],
        requestedAt: new Date().toISOString(),
      });
    },
    onState(state, err) {
      if (state === 'reachable') log.info('this instance is one of the fleet');
      else log.warn({ err }, 'the database of the fleet is gone');
    },
    log: (event, facts) => log.warn(facts, event),
  });

/** The cache and the limits of all instances. */
export async function createShared(
  fleet: Fleet | undefined,
  settings: Settings,
  instance: string,
  log: Logger,
): Promise<SharedState | undefined> {
  const shared = fleet?.createSharedState({
    instance,
    cache: { maxBytes: settings.cacheMaxBytes, ttlMs: settings.cacheTtlMs, staleMs: settings.cacheStaleMs },
    onReach: isThere =>
      isThere
        ? log.info('cache and limits are shared with other instances again')
        : log.warn('the database cannot be asked: cache and limits are those of this instance'),
  });
  await shared?.look();
  return shared;
}
