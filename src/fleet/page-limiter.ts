/**
 * Applies RATE_LIMIT across all instances with rate-limiter-flexible: in PostgreSQL, or in memory while the database is
 * unavailable.
 */
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import { type FleetDatabase, fleetSchema } from './database.ts';

const minuteSeconds = 60;
const sweepMs = 60_000;
const keptMs = 3_600_000;

export type PageLimiter = Pick<RateLimiterPostgres, 'penalty' | 'reward' | 'set' | 'delete'>;

type Query = { text: string; values?: readonly unknown[] };

export function createPageLimiter(database: FleetDatabase, pagesPerMinute: number): PageLimiter {
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
