/** PostgreSQL over node-postgres. Loaded only where DATABASE_URL is set. */
import { Pool, type PoolClient, types } from 'pg';
import { StoreFaultError } from '../fault.ts';
import { assertNotNewer } from '../newer-database.ts';
import type { Row, SqlDatabase, SqlValue, Statement } from '../sql/database.ts';
import { toPostgresFault } from './faults.ts';
import { postgresMigrations } from './migrations.ts';

const schema = 'rangelight';
/** Any number, as long as it stays: services that start at once migrate one after the other. */
const migrationLock = 7_264_115;
const maxConnections = 4;
const connectTimeoutMs = 5000;
const statementTimeoutMs = 30_000;
/** Long enough for what other services do; a backlog takes what has to wait longer. */
const usualBusyTimeoutMs = 2000;

/** Sums and times fit a number; node-postgres gives them as text, because not all would. */
const int8 = 20;
const numeric = 1700;
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === int8 || oid === numeric ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;

const toNumbered = (sql: string): string => {
  let number = 0;
  return sql.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
};

/** Without user and password. */
const toLocation = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : 'PostgreSQL';
};

const run = (client: PoolClient | Pool, { sql, values }: Statement) =>
  client.query<Row & SqlValue[]>({ text: toNumbered(sql), values: [...values], rowMode: 'array' });

/** Whatever failed, the connection is not used again: its state is not known. */
async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const outcome = await work(client);
    client.release();
    return outcome;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

const inTransaction = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  withClient(pool, async client => {
    await client.query('BEGIN');
    const outcome = await work(client);
    await client.query('COMMIT');
    return outcome;
  });

async function readVersion(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ value: number }>("SELECT value FROM schema_state WHERE name = 'version'");
  return rows[0]?.value ?? 0;
}

const hasTables = async (client: PoolClient): Promise<boolean> =>
  (await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [schema, 'schema_state']))
    .rowCount === 1;

/** @throws StoreFaultError of code `newer_database` */
const assertKnown = (version: number, location: string): void =>
  assertNotNewer(version, postgresMigrations.length, location, 'set DATABASE_URL to another database');

const migrate = (pool: Pool, location: string): Promise<void> =>
  inTransaction(pool, async client => {
    // A user who may only use the tables can still start, once they are there and up to date.
    if ((await hasTables(client)) && (await readVersion(client)) === postgresMigrations.length) return;
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    if (!(await hasTables(client))) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query('CREATE TABLE schema_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL)');
    }
    const version = await readVersion(client);
    assertKnown(version, location);
    for (const step of postgresMigrations.slice(version)) await client.query(step);
    await client.query(
      "INSERT INTO schema_state VALUES ('version', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [postgresMigrations.length],
    );
  });

export function createPostgresDatabase({
  url,
  busyTimeoutMs = usualBusyTimeoutMs,
}: {
  url: string;
  busyTimeoutMs?: number | undefined;
}): SqlDatabase {
  const location = toLocation(url);
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    // The server's own limits end what it does; this ends the wait for a server that does not answer at all.
    query_timeout: 2 * statementTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: busyTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'rangelight',
    options: `-c search_path=${schema}`,
    types: { getTypeParser },
  });
  // An idle connection that the server ends: the next query opens another.
  pool.on('error', () => {});
  // One that breaks while it is in use says so twice: the query in flight has the error, too.
  pool.on('connect', client => client.on('error', () => {}));
  let migrated: Promise<void> | undefined;
  let isClosed = false;

  /** Also after a start without a server: its tables may not be there yet. */
  const ready = async (): Promise<void> => {
    if (isClosed) throw new StoreFaultError('closed', 'The store is closed.');
    const migrating = migrated ?? migrate(pool, location);
    migrated = migrating;
    try {
      await migrating;
    } catch (error) {
      if (migrated === migrating) migrated = undefined;
      throw error;
    }
  };

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await ready();
      return await work();
    } catch (error) {
      const fault = toPostgresFault(error, location);
      // What comes back may be another database, or one that a newer program has changed meanwhile.
      if (fault.code === 'unavailable') migrated = undefined;
      throw fault;
    }
  };

  return {
    engine: 'postgres',
    location,
    open: () => guarded(async () => {}),
    rows: statement => guarded(async () => (await run(pool, statement)).rows),
    packedRows: statement => guarded(async () => Buffer.from(JSON.stringify((await run(pool, statement)).rows))),
    write: statements =>
      guarded(() =>
        inTransaction(pool, async client => {
          const changed: number[] = [];
          for (const statement of statements) changed.push((await run(client, statement)).rowCount ?? 0);
          return changed;
        }),
      ),
    // Autovacuum does it.
    reclaim: async () => false,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await migrated?.catch(() => {});
      await pool.end();
    },
  };
}
