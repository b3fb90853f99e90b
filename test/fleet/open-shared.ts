/** The cache and the limits that instances share, without the services around them. */
import { type FleetDatabase, fleetSchema } from '../../src/fleet/database.ts';
import { type Fleet, openFleet } from '../../src/fleet/open-fleet.ts';
import { openCache } from '../../src/storage/cache/open-cache.ts';
import type { ResultCache } from '../../src/storage/cache/result-cache.ts';
import { openPostgres } from '../../src/storage/database/postgres/postgres.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { resultSchema } from '../../src/storage/results/postgres/database.ts';
import type { Scope } from '../support/start-service.ts';
import { until } from '../support/until.ts';

export type Instance = Pick<Fleet, 'createPageLimiter'> & {
  readonly cache: ResultCache;
  readonly availability: FleetDatabase['availability'];
  /** Returns the number of reads of the shared cache so far. */
  reads(): number;
  /** Settles when the database answers. */
  whenThere(): Promise<void>;
};

export async function openInstances(
  scope: Scope,
  url: string,
  count: number,
  { ttlMs = 60_000, staleMs = 0, now = Date.now } = {},
): Promise<readonly Instance[]> {
  const open = async (): Promise<Instance> => {
    const postgres = openPostgres({ url, schemas: [resultSchema, fleetSchema] });
    const fleet = openFleet(postgres);
    const store = await openResultStore({ databaseUrl: url, postgres });
    const values = fleet.shareValues(store.database);
    let reads = 0;
    const get: typeof values.get = name => {
      reads += 1;
      return values.get(name);
    };
    const settings = { maxBytes: 1_000_000, ttlMs, staleMs, now };
    const cache = await openCache({ ...settings, values: { ...values, get }, place: 'memory and database' });
    scope.after(async () => {
      cache.close();
      await store.close();
      await fleet.close();
      await postgres.close();
    });
    const { availability } = fleet.database;
    await availability.beat();
    return {
      cache,
      availability,
      createPageLimiter: fleet.createPageLimiter,
      reads: () => reads,
      whenThere: () => until(async () => availability.beat().then(() => availability.isThere), { pauseMs: 0 }),
    };
  };
  return Promise.all(Array.from({ length: count }, open));
}
