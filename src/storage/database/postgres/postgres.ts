/**
 * PostgreSQL over node-postgres: the connections of one process. Each part of the service passes its tables, which
 * exist when its work starts. Failures become faults of this service. This module is loaded only with DATABASE_URL.
 */

import { Client, Pool, type PoolClient, types } from 'pg';
import { type FaultCode, StoreFaultError } from '../fault.ts';
import { assertNotNewer } from '../newer-database.ts';
import { inTransaction, toLocation } from './statements.ts';

/**
 * Detects a silent server, which neither answers nor closes its connections. A long statement alone proves nothing, so
 * this opens a new connection. If the server does not accept it, the connections that have been in use for two seconds
 * are closed, and every statement waiting on them fails immediately as unreachable.
 */
const checkMs = 500;
const patienceMs = 2000;
const proofMs = 2000;

/** Returns whether the server responds. A refusal is a response. */
async function isThere(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: proofMs,
    application_name: 'rangelight proof',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof Error && 'severity' in error;
  } finally {
    client.end().catch(() => {});
  }
}

function watchForSilence(pool: Pool, url: string): { stop(): void } {
  /** Time of the last activity by connection. */
  const used = new Map<PoolClient, number>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  async function ask(waiting: readonly PoolClient[]): Promise<void> {
    const hasAnswered = await isThere(url);
    const stillUsed = waiting.filter(client => used.has(client));
    for (const client of stillUsed) {
      if (hasAnswered) used.set(client, performance.now());
      // While a statement is in flight, `end` closes the socket immediately.
      else (client as unknown as Client).end().catch(() => {});
    }
  }

  const check = (): void => {
    if (used.size === 0) stop();
    const since = performance.now() - patienceMs;
    const waiting = [...used].filter(([, usedAt]) => usedAt < since).map(([client]) => client);
    if (waiting.length === 0 || isAsking) return;
    isAsking = true;
    void ask(waiting).finally(() => {
      isAsking = false;
    });
  };

  pool.on('acquire', client => {
    used.set(client, performance.now());
    timer ??= setInterval(check, checkMs).unref();
  });
  pool.on('release', (_error, client) => void used.delete(client));
  pool.on('remove', client => void used.delete(client));
  return { stop };
}

/** Migrates the tables of one schema. Each part of the service that has tables has its own schema. */
type Tables = {
  schema: string;
  /** Steps from one version to the next. */
  steps: readonly string[];
  /**
   * Number of the advisory lock. It must never change, so that services that start at the same time migrate one after
   * the other.
   */
  migrationLock: number;
};

/**
 * Max number of versions by which a database may be newer. Each step leaves the tables usable for the previous version,
 * which shares the database during an upgrade.
 */
const mayBeNewerBy = 1;

async function readVersion(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ value: number }>("SELECT value FROM schema_state WHERE name = 'version'");
  return rows[0]?.value ?? 0;
}

const hasTables = async (client: PoolClient, schema: string): Promise<boolean> =>
  (await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [schema, 'schema_state']))
    .rowCount === 1;

/** @throws StoreFaultError `newer_database` */
const migrate = (pool: Pool, { schema, steps, migrationLock }: Tables, location: string): Promise<void> =>
  inTransaction(pool, async client => {
    await client.query(`SET LOCAL search_path TO ${schema}`);
    const isUpToDate = (version: number): boolean => {
      assertNotNewer(version, steps.length + mayBeNewerBy, location, 'set DATABASE_URL to another database');
      return version >= steps.length;
    };
    // A user who may not create tables can still start if the tables exist and are up to date.
    if ((await hasTables(client, schema)) && isUpToDate(await readVersion(client))) return;
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    if (!(await hasTables(client, schema))) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query('CREATE TABLE schema_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL)');
    }
    const version = await readVersion(client);
    if (isUpToDate(version)) return;
    for (const step of steps.slice(version)) await client.query(step);
    await client.query(
      "INSERT INTO schema_state VALUES ('version', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [steps.length],
    );
  });

/**
 * Faults by SQLSTATE. Exact codes precede their class. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const codes: Readonly<Record<string, FaultCode>> = {
  '53100': 'disk_full',
  '25006': 'read_only',
  '42501': 'read_only',
  '55P03': 'locked',
  '40001': 'locked',
  '40P01': 'locked',
  XX001: 'corrupt',
  XX002: 'corrupt',
  '57014': 'unavailable',
  // The tables or their schema were removed. The next try creates them again.
  '42P01': 'unavailable',
  '3F000': 'unavailable',
  // Data exceptions, such as U+0000 in a text. The input is at fault, not the database.
  '22': 'invalid_input',
  '08': 'unavailable',
  '28': 'unavailable',
  '3D': 'unavailable',
  '53': 'unavailable',
  '57': 'unavailable',
  '58': 'unavailable',
};

const sentences: Readonly<Record<FaultCode, string>> = {
  locked: 'Another client has locked the tables of the database',
  disk_full: 'The disk of the database is full',
  read_only: 'The database does not let this user write',
  corrupt: 'The database is corrupt',
  unavailable: 'The database cannot be reached',
  newer_database: 'The database has a newer version',
  not_acceptable: 'The database refused a statement',
  invalid_input: 'The database cannot store this input',
  closed: 'The store is closed',
};

type PostgresError = { code?: string; severity?: string; message?: string };

/** Returns the SQLSTATE. An error without a severity comes from the connection, rather than from the server. */
const codeOf = ({ code = '', severity }: PostgresError): FaultCode =>
  severity === undefined ? 'unavailable' : (codes[code] ?? codes[code.slice(0, 2)] ?? 'not_acceptable');

/**
 * Converts an error of PostgreSQL. Messages of client and server contain no password. The connection string contains
 * it, and is never included.
 */
function toPostgresFault(error: unknown, location: string): StoreFaultError {
  if (error instanceof StoreFaultError) return error;
  const known = (error ?? {}) as PostgresError;
  const code = codeOf(known);
  // An AggregateError for several IP addresses has no message of its own.
  const detail = `${location}: ${known.message || known.code}`;
  return new StoreFaultError(code, `${sentences[code]}.`, { cause: error, detail });
}

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
