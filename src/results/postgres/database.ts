/** PostgreSQL over node-postgres. Loaded only where DATABASE_URL is set. */
import type { SqlDatabase } from '../sql/database.ts';
import { createGuardedPool } from './guarded-pool.ts';
import { postgresMigrations } from './migrations.ts';
import { inTransaction, run } from './statements.ts';

const tables = { schema: 'rangelight', steps: postgresMigrations, migrationLock: 7_264_115 };
const maxConnections = 4;
const connectTimeoutMs = 5000;
const statementTimeoutMs = 30_000;
/** Long enough for what other services do; a backlog takes what has to wait longer. */
const usualBusyTimeoutMs = 2000;

export function createPostgresDatabase({
  url,
  busyTimeoutMs = usualBusyTimeoutMs,
  clientName,
}: {
  url: string;
  busyTimeoutMs?: number | undefined;
  clientName?: string | undefined;
}): SqlDatabase {
  const limits = { maxConnections, connectTimeoutMs, statementTimeoutMs, busyTimeoutMs };
  const { location, use, close } = createGuardedPool({ url, tables, clientName, ...limits });
  return {
    engine: 'postgres',
    location,
    nowSql: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
    open: () => use(async () => {}),
    rows: statement => use(async pool => (await run(pool, statement)).rows),
    packedRows: statement => use(async pool => Buffer.from(JSON.stringify((await run(pool, statement)).rows))),
    write: statements =>
      use(pool =>
        inTransaction(pool, async client => {
          const changed: number[] = [];
          for (const statement of statements) changed.push((await run(client, statement)).rowCount ?? 0);
          return changed;
        }),
      ),
    // Room that removed rows have left is used again, and does not show in the size of a table.
    usedBytes: async () => undefined,
    // Autovacuum does it.
    reclaim: async () => false,
    close,
  };
}
