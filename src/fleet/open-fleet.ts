/**
 * Parts that several instances share, on the connections of this one. This module is imported only if DATABASE_URL is
 * set.
 */

import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { CacheValues } from '../storage/cache/lasting-cache.ts';
import type { Postgres } from '../storage/database/postgres/postgres.ts';
import type { SqlDatabase } from '../storage/database/sql.ts';
import { clearValues, readChanges, readValue, removeValue, writeValue } from '../storage/results/sql/cached-values.ts';
import { createFleetDatabase, type FleetDatabase, fleetSchema } from './database.ts';
import { createNotices, type Notices } from './notices.ts';
import { createFleetAnalyser, type FleetAnalyser, type FleetSettings } from './queue/fleet-analyser.ts';

/**
 * Applies RATE_LIMIT across all instances with rate-limiter-flexible: in PostgreSQL, or in memory while the database is
 * unavailable.
 */
const minuteSeconds = 60;
const sweepMs = 60_000;
const keptMs = 3_600_000;

type PageLimiter = Pick<RateLimiterPostgres, 'penalty' | 'reward' | 'set' | 'delete'>;

type Query = { text: string; values?: readonly unknown[] };

function createPageLimiter(database: FleetDatabase, pagesPerMinute: number): PageLimiter {
  let sweptMs = performance.now();
  database.availability.onBeat(async () => {
    if (performance.now() - sweptMs < sweepMs) return;
    sweptMs = performance.now();
    await database.query('DELETE FROM page_limits WHERE expire < $1', [Date.now() - keptMs]);
  });
  return new RateLimiterPostgres({
    // Statement names are removed, because a connection pooler may use another connection for each statement.
    storeClient: { query: ({ text, values }: Query) => database.availability.ask(() => database.query(text, values)) },
    storeType: 'client',
    schemaName: fleetSchema,
    tableName: 'page_limits',
    tableCreated: true,
    // The beat removes expired rows.
    clearExpiredByTimeout: false,
    points: pagesPerMinute,
    duration: minuteSeconds,
    insuranceLimiter: new RateLimiterMemory({ points: pagesPerMinute, duration: minuteSeconds }),
  });
}

export type Fleet = {
  readonly database: FleetDatabase;
  readonly notices: Notices;
  createAnalyser(settings: Omit<FleetSettings, 'database' | 'notices'>): Promise<FleetAnalyser>;
  /** Returns the cached values in the store of results, which all instances share. */
  shareValues(database: SqlDatabase): CacheValues;
  /** Limits the pages of each client across all instances. */
  createPageLimiter(pagesPerMinute: number): PageLimiter;
  /** Closes the parts, after the parts that use them are closed. The connections remain open. */
  close(): Promise<void>;
};

/**
 * Reads and writes cached values without the recovery of the store of results: the availability notices sooner that the
 * database is back, and no client waits longer than it allows.
 */
const shareValues = (database: SqlDatabase, { ask, askAnyway }: FleetDatabase['availability']): CacheValues => ({
  get: name => ask(() => readValue(database, name)).catch(() => undefined),
  set: (name, value, generation, storedAtMs) =>
    ask(() => writeValue(database, name, value, { storedAtMs, generation })),
  remove: (name, storedUpToMs) => ask(() => removeValue(database, name, storedUpToMs)),
  readChanges: afterNumber => ask(() => readChanges(database, afterNumber)),
  async clear() {
    await askAnyway(() => readChanges(database, Number.MAX_SAFE_INTEGER));
    // The removal of many values may take longer than the availability waits.
    return clearValues(database);
  },
});

export function openFleet(postgres: Postgres): Fleet {
  const database = createFleetDatabase(postgres);
  const notices = createNotices(database);
  return {
    database,
    notices,
    createAnalyser: settings => createFleetAnalyser({ ...settings, database, notices }),
    shareValues: results => shareValues(results, database.availability),
    createPageLimiter: pagesPerMinute => createPageLimiter(database, pagesPerMinute),
    async close() {
      await notices.close();
      await database.close();
    },
  };
}
