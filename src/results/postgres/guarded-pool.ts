/** Connections to PostgreSQL whose tables are there when they are used, and whose failures are faults of ours. */
import { Pool, types } from 'pg';
import { StoreFaultError } from '../fault.ts';
import { toPostgresFault } from './faults.ts';
import { migrate, type Tables } from './migrate.ts';
import { watchForSilence } from './silence.ts';
import { toLocation } from './statements.ts';

export type GuardedPoolSettings = {
  url: string;
  tables: Tables;
  maxConnections: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Waits so long for locks of others. */
  busyTimeoutMs: number;
  /** As the server lists its clients; that of a service when absent. */
  clientName?: string | undefined;
};

export type GuardedPool = {
  readonly location: string;
  /** Makes the tables where they are not there, then works. @throws StoreFaultError */
  use<T>(work: (pool: Pool) => Promise<T>): Promise<T>;
  /** Of its connections: how many there are, how many are idle, how many callers wait for one. */
  counts(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
};

/** Sums and times fit a number; node-postgres gives them as text, because not all would. */
const int8 = 20;
const numeric = 1700;
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === int8 || oid === numeric ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;

export function createGuardedPool(settings: GuardedPoolSettings): GuardedPool {
  const { url, tables, statementTimeoutMs } = settings;
  const location = toLocation(url);
  const pool = new Pool({
    connectionString: url,
    max: settings.maxConnections,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    // The server's own limits end what it does. The watch below ends the wait for one that does not answer at all; this
    // is the last resort.
    query_timeout: 2 * statementTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: settings.busyTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: settings.clientName ?? 'rangelight',
    options: `-c search_path=${tables.schema}`,
    types: { getTypeParser },
  });
  // An idle connection that the server ends: the next query opens another.
  pool.on('error', () => {});
  // One that breaks while it is in use says so twice: the query in flight has the error, too.
  pool.on('connect', client => client.on('error', () => {}));
  const silence = watchForSilence(pool, url);
  let migrated: Promise<void> | undefined;
  let isClosed = false;

  /** Also after a start without a server: its tables may not be there yet. */
  const ready = async (): Promise<void> => {
    if (isClosed) throw new StoreFaultError('closed', 'The store is closed.');
    const migrating = migrated ?? migrate(pool, tables, location);
    migrated = migrating;
    try {
      await migrating;
    } catch (error) {
      if (migrated === migrating) migrated = undefined;
      throw error;
    }
  };

  return {
    location,
    async use(work) {
      try {
        await ready();
        return await work(pool);
      } catch (error) {
        const fault = toPostgresFault(error, location);
        // What comes back may be another database, or one that a newer program has changed meanwhile.
        if (fault.code === 'unavailable') migrated = undefined;
        throw fault;
      }
    },
    counts: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await migrated?.catch(() => {});
      await pool.end();
      silence.stop();
    },
  };
}
