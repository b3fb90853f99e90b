/**
 * PostgreSQL over node-postgres: the connections of one process. Each part that has tables brings them; they are there
 * when the part uses its connections, and failures are faults of ours. Loaded only with DATABASE_URL.
 */
import { Pool, types } from 'pg';
import { StoreFaultError } from '../fault.ts';
import { toPostgresFault } from './faults.ts';
import { migrate, type Tables } from './migrate.ts';
import { watchForSilence } from './silence.ts';
import { toLocation } from './statements.ts';

export type PostgresSettings = {
  url: string;
  /** Schemas in which a name without one is looked up, in this order. */
  schemas: readonly string[];
  maxConnections?: number | undefined;
  /** Waits so long for locks of others. */
  busyTimeoutMs?: number | undefined;
  /** As the server lists its clients; that of a service when absent. */
  clientName?: string | undefined;
};

export type Postgres = {
  readonly url: string;
  /** Host and name, without user and password. */
  readonly location: string;
  /** Brings the tables up to date before their first use, then works. @throws StoreFaultError */
  use<T>(tables: Tables, work: (pool: Pool) => Promise<T>): Promise<T>;
  /** Of its connections: how many there are, how many are idle, how many callers wait for one. */
  counts(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
};

/** Enough for the statements that clients wait for next to a few long ones. */
const usualMaxConnections = 8;
const connectTimeoutMs = 3000;
/** Lists of very many results take seconds. */
const statementTimeoutMs = 30_000;
/** Long enough for what other services do; a backlog takes what has to wait longer. */
const usualBusyTimeoutMs = 2000;

/** Sums and times fit a number; node-postgres gives them as text, because not all would. */
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
    // The server's own limits end what it does. The watch below ends the wait for one that does not answer at all; this
    // is the last resort.
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
  // An idle connection that the server ends: the next query opens another.
  pool.on('error', () => {});
  // One that breaks while it is in use says so twice: the query in flight has the error, too.
  pool.on('connect', client => client.on('error', () => {}));
  const silence = watchForSilence(pool, url);
  const migrated = new Map<Tables, Promise<void>>();
  let isClosed = false;

  /** Also after a start without a server: its tables may not be there yet. */
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
        // What comes back may be another database, or one that a newer program has changed meanwhile.
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
