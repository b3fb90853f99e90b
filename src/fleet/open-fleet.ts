/**
 * Parts that several instances share, on the connections of this one. This module is imported only if DATABASE_URL is
 * set.
 */

import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Postgres } from '../storage/database/postgres/postgres.ts';
import { type SqlDatabase, sql } from '../storage/database/sql.ts';
import { createValueCache } from '../storage/results/sql/cached-values.ts';
import type { ValueCache } from '../storage/results/store.ts';
import { createFleetDatabase, type FleetDatabase, fleetSchema } from './database.ts';
import { createNotices, type Notices } from './notices.ts';
import type { FleetSettings } from './queue/context.ts';
import { createFleetAnalyser, type FleetAnalyser } from './queue/fleet-analyser.ts';

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
  /**
   * Returns the cached values in the store of results without its recovery: the availability notices sooner that the
   * database is back, and no client waits longer than it allows.
   */
  shareValues(database: SqlDatabase): ValueCache;
  /** Limits the pages of each client across all instances. */
  createPageLimiter(pagesPerMinute: number): PageLimiter;
  /** Closes the parts, after the parts that use them are closed. The connections remain open. */
  close(): Promise<void>;
};

export function openFleet(postgres: Postgres): Fleet {
  const database = createFleetDatabase(postgres);
  const notices = createNotices(database);
  return {
    database,
    notices,
    createAnalyser: settings => createFleetAnalyser({ ...settings, database, notices }),
    shareValues(results) {
      const { ask, askAnyway } = database.availability;
      return createValueCache(results, {
        read: ask,
        write: ask,
        async clear(work) {
          await askAnyway(() => results.rows(sql`SELECT 1`));
          // The removal of many values may take longer than the availability waits.
          return work();
        },
      });
    },
    createPageLimiter: pagesPerMinute => createPageLimiter(database, pagesPerMinute),
    async close() {
      await notices.close();
      await database.close();
    },
  };
}
