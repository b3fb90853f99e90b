/** Parts that this instance shares with others on one PostgreSQL. They are loaded only if it is used. */
import type { Logger } from 'pino';
import type { Threads } from '../analysis/threads/threads.ts';
import type { RequestCategory } from '../contract/names.ts';
import type { TracePath } from '../contract/trace.ts';
import { serviceVersion } from '../contract/version.ts';
import type { Fleet } from '../fleet/open-fleet.ts';
import type { FleetAnalyser } from '../fleet/queue/fleet-analyser.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { readMeasured } from '../measure/lighthouse/read-page.ts';
import type { Settings } from '../settings/settings.ts';
import type { Vault } from '../storage/access/vault.ts';
import { openCache } from '../storage/cache/open-cache.ts';
import type { Postgres } from '../storage/database/postgres/postgres.ts';
import type { ResultStore } from '../storage/results/store.ts';

/** Opens the connections of this process; undefined without DATABASE_URL. */
export async function openDatabase({ databaseUrl: url }: Settings): Promise<Postgres | undefined> {
  if (url === undefined) return undefined;
  const [{ openPostgres }, { resultSchema }, { fleetSchema }] = await Promise.all([
    import('../storage/database/postgres/postgres.ts'),
    import('../storage/results/postgres/database.ts'),
    import('../fleet/database.ts'),
  ]);
  return openPostgres({ url, schemas: [resultSchema, fleetSchema] });
}

/** Opens the parts that instances share; undefined without a database. */
export async function openFleet(postgres: Postgres | undefined, log: Logger): Promise<Fleet | undefined> {
  if (!postgres) return undefined;
  const fleet = (await import('../fleet/open-fleet.ts')).openFleet(postgres);
  fleet.database.availability.onChange(isThere =>
    isThere
      ? log.info('the database responds again: audits, cache and limits are shared')
      : log.warn('the database cannot be reached: audits, cache and limits are those of this instance'),
  );
  return fleet;
}

/** Creates the analyser of the whole fleet. An instance with a pool takes its share of the audits. */
export const createFleetAnalyser = (
  fleet: Fleet | undefined,
  settings: Settings,
  {
    pool,
    threads,
    log,
    ...parts
  }: {
    pool: LocalAnalyser | undefined;
    threads: Threads;
    log: Logger;
    vault: Vault | undefined;
    tracePath: TracePath | undefined;
  },
): Promise<FleetAnalyser> | undefined =>
  fleet?.createAnalyser({
    role: settings.role,
    version: serviceVersion,
    pool,
    ...parts,
    targets: settings.targets,
    slots: settings.lighthouseConcurrency,
    waitingPerMachine: settings.lighthouseQueue,
    timeoutMs: settings.lighthouseTimeoutMs,
    checkPage({ request: { url, strategy, categories } }) {
      const facts = { source: 'lighthouse', analyser: { kind: 'local' }, url, strategy } as const;
      return readMeasured(threads, {
        ...facts,
        categories: categories as readonly RequestCategory[],
        requestedAt: new Date().toISOString(),
      });
    },
    log: (event, facts) => log.warn(facts, event),
  });

/**
 * Opens the cache of `/psi`. Instances of a fleet share its values, and wait for no unavailable database.
 * @param store undefined if nothing is stored
 */
export async function openServiceCache(
  fleet: Fleet | undefined,
  settings: Settings,
  store: ResultStore | undefined,
): ReturnType<typeof openCache> {
  const values = fleet && store ? fleet.shareValues(store.database) : store?.cache;
  await fleet?.database.availability.beat();
  return openCache({
    values,
    place: fleet ? 'memory and database' : 'memory',
    maxBytes: settings.cacheMaxBytes,
    ttlMs: settings.cacheTtlMs,
    staleMs: settings.cacheStaleMs,
  });
}
