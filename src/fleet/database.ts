/** What the fleet shares, on the connections of one instance. Loaded only where DATABASE_URL is set. */
import type { Pool, PoolClient } from 'pg';
import { type Availability, createAvailability } from '../storage/database/availability.ts';
import type { Postgres } from '../storage/database/postgres/postgres.ts';
import { inTransaction, run } from '../storage/database/postgres/statements.ts';
import type { Row, Statement } from '../storage/database/sql.ts';
import { fleetMigrations } from './migrations.ts';

/** Tables of these names need no schema in a statement: it is in the search path. */
export const fleetSchema = 'rangelight_fleet';
const tables = { schema: fleetSchema, steps: fleetMigrations, migrationLock: 7_264_116 };

const prepared = new Map<string, string>();

/**
 * A statement that each connection reads and plans once, in place of each time: for those that a client waits for.
 * @returns its text, as it was given
 */
export function prepare(name: string, sql: string): string {
  prepared.set(sql, `rangelight_${name}`);
  return sql;
}

const toQuery = (sql: string, values: readonly unknown[] | undefined) => {
  const name = prepared.get(sql);
  return { text: sql, ...(name === undefined ? {} : { name }), ...(values ? { values: [...values] } : {}) };
};

export type Rows = (statement: Statement) => Promise<readonly Row[]>;

/** `$1` stands for a value, rows are objects. */
export type Query = (
  sql: string,
  values?: readonly unknown[],
) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;

/** All of it throws a StoreFaultError if the database cannot be used, and may succeed on the next call. */
export type FleetDatabase = {
  readonly url: string;
  /** Whether it can be reached, for all that the instance shares. */
  readonly availability: Availability;
  /** Connects, and brings the tables up to date. Anything else does so too; this reports it at the start. */
  open(): Promise<void>;
  /** One statement, in a transaction of its own; `?` stands for a value. */
  rows: Rows;
  /** Several statements, all or none of them. */
  transaction<T>(work: (rows: Rows, query: Query) => Promise<T>): Promise<T>;
  query: Query;
  /** Of its connections: how many there are, how many are idle, how many statements wait for one. */
  counts(): { open: number; idle: number; waiting: number };
  /** Stops the clock; the connections stay open. */
  close(): Promise<void>;
};

export function createFleetDatabase(postgres: Postgres): FleetDatabase {
  const use = <T>(work: (pool: Pool) => Promise<T>): Promise<T> => postgres.use(tables, work);
  const rowsOf =
    (client: Pool | PoolClient): Rows =>
    async statement =>
      (await run(client, statement)).rows;
  const queryOf =
    (client: Pool | PoolClient): Query =>
    (sql, values) =>
      client.query<Record<string, unknown>>(toQuery(sql, values));
  const availability = createAvailability(() => use(pool => pool.query('SELECT 1')));
  return {
    url: postgres.url,
    availability,
    open: () => use(async () => {}),
    rows: statement => use(pool => rowsOf(pool)(statement)),
    transaction: work => use(pool => inTransaction(pool, client => work(rowsOf(client), queryOf(client)))),
    query: (sql, values) => use(pool => queryOf(pool)(sql, values)),
    counts: postgres.counts,
    close: availability.close,
  };
}
