/** Migrates the tables of one schema. Each part of the service that has tables has its own schema. */
import type { Pool, PoolClient } from 'pg';
import { assertNotNewer } from '../newer-database.ts';
import { inTransaction } from './statements.ts';

export type Tables = {
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
export const migrate = (pool: Pool, { schema, steps, migrationLock }: Tables, location: string): Promise<void> =>
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
