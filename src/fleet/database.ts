/** The few connections of one instance to what the fleet shares. Loaded only where DATABASE_URL is set. */
import type { Pool, PoolClient } from 'pg';
import { createGuardedPool } from '../results/postgres/guarded-pool.ts';
import { inTransaction, run } from '../results/postgres/statements.ts';
import type { Row, Statement } from '../results/sql/database.ts';
import { fleetMigrations } from './migrations.ts';

/** Tables of these names need no schema in a statement: it is the search path. */
export const fleetSchema = 'rangelight_fleet';
const tables = { schema: fleetSchema, steps: fleetMigrations, migrationLock: 7_264_116 };

/** Clients wait for an answer meanwhile, so all of it ends sooner than for kept results. */
const limits = { maxConnections: 4, connectTimeoutMs: 3000, statementTimeoutMs: 5000, busyTimeoutMs: 2000 };

const prepared = new Map<string, string>();

/**
 * A statement that each connection reads and plans once, in place of each time: for those that somebody waits for.
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

/** For a library that writes its own SQL: `$1` stands for a value, rows are objects. */
export type Query = (
  sql: string,
  values?: readonly unknown[],
) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;

/** All of it throws a StoreFaultError where the database cannot be used, and may succeed on the next call. */
export type FleetDatabase = {
  readonly url: string;
  /** Host and name, without user and password. */
  readonly location: string;
  /** Connects, and brings the tables up to date. Anything else does so too; this tells at the start. */
  open(): Promise<void>;
  /** One statement, in a transaction of its own; `?` stands for a value. */
  rows: Rows;
  /** Several statements, all or none of them. */
  transaction<T>(work: (rows: Rows, query: Query) => Promise<T>): Promise<T>;
  query: Query;
  /** Of its connections: how many there are, how many are idle, how many questions wait for one. */
  counts(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export function createFleetDatabase({ url }: { url: string }): FleetDatabase {
  const { location, use, counts, close } = createGuardedPool({ url, tables, ...limits });
  const rowsOf =
    (client: Pool | PoolClient): Rows =>
    async statement =>
      (await run(client, statement)).rows;
  const queryOf =
    (client: Pool | PoolClient): Query =>
    (sql, values) =>
      client.query<Record<string, unknown>>(toQuery(sql, values));
  return {
    url,
    location,
    open: () => use(async () => {}),
    rows: statement => use(pool => rowsOf(pool)(statement)),
    transaction: work => use(pool => inTransaction(pool, client => work(rowsOf(client), queryOf(client)))),
    query: (sql, values) => use(pool => queryOf(pool)(sql, values)),
    counts,
    close,
  };
}
