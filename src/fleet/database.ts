/** The database of the fleet, on the connections of one instance. This module is loaded only if DATABASE_URL is set. */
import type { Pool, PoolClient } from 'pg';
import { type Availability, createAvailability } from '../storage/database/availability.ts';
import type { Postgres } from '../storage/database/postgres/postgres.ts';
import { inTransaction } from '../storage/database/postgres/statements.ts';
import { fleetMigrations } from './migrations.ts';

/** Schema of the tables. It is in the search path, so statements need not name it. */
export const fleetSchema = 'rangelight_fleet';
const tables = { schema: fleetSchema, steps: fleetMigrations, migrationLock: 7_264_116 };

const prepared = new Map<string, string>();

/**
 * Prepares a statement that clients wait for, so that each connection parses and plans it only once.
 * @returns its text unchanged
 */
export function prepare(name: string, sql: string): string {
  prepared.set(sql, `rangelight_${name}`);
  return sql;
}

const toQuery = (sql: string, values: readonly unknown[] | undefined) => {
  const name = prepared.get(sql);
  return { text: sql, ...(name === undefined ? {} : { name }), ...(values ? { values: [...values] } : {}) };
};

/** Runs a statement that uses `$1` for values. Rows are objects. */
export type Query = (
  sql: string,
  values?: readonly unknown[],
) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;

/** All methods throw a StoreFaultError if the database cannot be used. The next call may succeed. */
export type FleetDatabase = {
  readonly url: string;
  /** Whether the database is available, for all parts that use it. */
  readonly availability: Availability;
  /**
   * Connects and migrates the tables. Every other method does this too; calling it first reports faults at the start.
   */
  open(): Promise<void>;
  /** Runs several statements in one transaction. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  query: Query;
  /** Returns the number of connections, of idle ones, and of statements that wait for one. */
  counts(): { open: number; idle: number; waiting: number };
  /** Stops checking the availability. The connections remain open. */
  close(): Promise<void>;
};

export function createFleetDatabase(postgres: Postgres): FleetDatabase {
  const use = <T>(work: (pool: Pool) => Promise<T>): Promise<T> => postgres.use(tables, work);
  const queryOf =
    (client: Pool | PoolClient): Query =>
    (sql, values) =>
      client.query<Record<string, unknown>>(toQuery(sql, values));
  const availability = createAvailability(() => use(pool => pool.query('SELECT 1')));
  return {
    url: postgres.url,
    availability,
    open: () => use(async () => {}),
    transaction: work => use(pool => inTransaction(pool, client => work(queryOf(client)))),
    query: (sql, values) => use(pool => queryOf(pool)(sql, values)),
    counts: postgres.counts,
    close: availability.close,
  };
}
