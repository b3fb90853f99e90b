/**
 * PostgreSQL over node-postgres: the connections of one process. Each part of the service passes its tables, which
 * exist when its work starts. Failures become faults of this service. This module is loaded only with DATABASE_URL.
 */
import { Pool, types } from 'pg';
import { StoreFaultError } from '../fault.ts';
import { toPostgresFault } from './faults.ts';
import { migrate, type Tables } from './migrate.ts';
import { watchForSilence } from './silence.ts';
import { toLocation } from './statements.ts';

export type PostgresSettings = {
  url: string;
  /** Schemas for unqualified names, in the order of their search. */
  schemas: readonly string[];
  maxConnections?: number | undefined;
  /** Max wait for the locks of other connections, in milliseconds. */
  busyTimeoutMs?: number | undefined;
  /** Name of the client in the server's list; by default that of a service. */
  clientName?: string | undefined;
};

export type Postgres = {
  readonly url: string;
  /** Host and name of the database, without user and password. */
  readonly location: string;
  /** Migrates the tables before their first use, then runs the work. @throws StoreFaultError */
  use<T>(tables: Tables, work: (pool: Pool) => Promise<T>): Promise<T>;
  /** Returns the number of open connections, of idle ones, and of callers that wait for one. */
  counts(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
};

/** Max number of connections, enough for the statements that clients wait for, and a few long ones. */
const usualMaxConnections = 8;
const connectTimeoutMs = 3000;
/** Timeout of a statement. Lists with very many results take seconds. */
const statementTimeoutMs = 30_000;
/** Max wait for the locks of other services. If it is exceeded, an entry waits in the backlog. */
const usualBusyTimeoutMs = 2000;

/**
 * OID of 64-bit integers, which node-postgres returns as text because not all of them fit a number. Sums and times do.
 */
const int8 = 20;
const numeric = 1700;
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === int8 || oid === numeric ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;

export function openPostgres(settings: PostgresSettings): Postgres {
  const { url, schemas, maxConnections = usualMaxConnections, busyTimeoutMs = usualBusyTimeoutMs } = settings;
  const location = toLocation(url);
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    // This timeout is a last resort: the server has its own limits, and the check below ends the wait for a silent
    // server.
    query_timeout: 2 * statementTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: busyTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: settings.clientName ?? 'rangelight',
    options: `-c search_path=${schemas.join(',')}`,
    types: { getTypeParser },
  });
  // The server closed an idle connection. The next query opens another one.
  pool.on('error', () => {});
  // A connection that breaks while in use reports the error twice: here, and to the query in flight.
  pool.on('connect', client => client.on('error', () => {}));
  const silence = watchForSilence(pool, url);
  const migrated = new Map<Tables, Promise<void>>();
  let isClosed = false;

  /** Migrates the tables once. If the server was unavailable at the start, they may not exist yet. */
  const ready = async (tables: Tables): Promise<void> => {
    if (isClosed) throw new StoreFaultError('closed', 'The store is closed.');
    const migrating = migrated.get(tables) ?? migrate(pool, tables, location);
    migrated.set(tables, migrating);
    try {
      await migrating;
    } catch (error) {
      if (migrated.get(tables) === migrating) migrated.delete(tables);
      throw error;
    }
  };

  return {
    url,
    location,
    async use(tables, work) {
      try {
        await ready(tables);
        return await work(pool);
      } catch (error) {
        const fault = toPostgresFault(error, location);
        // After an outage, this may be another database, or a newer program may have changed it.
        if (fault.code === 'unavailable') migrated.clear();
        throw fault;
      }
    },
    counts: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(migrated.values());
      await pool.end();
      silence.stop();
    },
  };
}
