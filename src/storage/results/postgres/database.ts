/** Tables of results on PostgreSQL. This module is loaded only if DATABASE_URL is set. */
import { StoreFaultError } from '../../database/fault.ts';
import { postgresMigrations } from '../../database/migrations.ts';
import { openPostgres, type Postgres } from '../../database/postgres/postgres.ts';
import { inTransaction, run } from '../../database/postgres/statements.ts';
import type { SqlDatabase } from '../../database/sql.ts';

export const resultSchema = 'rangelight';
const tables = { schema: resultSchema, steps: postgresMigrations, migrationLock: 7_264_115 };

/** Uses shared connections, which remain open when the database is closed. */
export function usePostgres({ location, use }: Postgres): SqlDatabase {
  let isClosed = false;
  const useOpen: typeof use = async (...args) => {
    if (isClosed) throw new StoreFaultError('closed', 'The store is closed.');
    return use(...args);
  };
  return {
    engine: 'postgres',
    location,
    nowSql: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
    open: () => useOpen(tables, async () => {}),
    rows: statement => useOpen(tables, async pool => (await run(pool, statement)).rows),
    packedRows: statement =>
      useOpen(tables, async pool => Buffer.from(JSON.stringify((await run(pool, statement)).rows))),
    write: statements =>
      useOpen(tables, pool =>
        inTransaction(pool, async client => {
          const changed: number[] = [];
          for (const statement of statements) changed.push((await run(client, statement)).rowCount ?? 0);
          return changed;
        }),
      ),
    // PostgreSQL reuses the space of removed rows, so the size of a table does not show its content.
    usedBytes: async () => undefined,
    // Autovacuum frees pages.
    reclaim: async () => false,
    async close() {
      isClosed = true;
    },
  };
}

/** Creates a database with connections of its own. */
export function createPostgresDatabase({
  url,
  ...options
}: { url: string } & { busyTimeoutMs?: number | undefined; clientName?: string | undefined }): SqlDatabase {
  const postgres = openPostgres({ ...options, url, schemas: [resultSchema], maxConnections: 4 });
  const database = usePostgres(postgres);
  return {
    ...database,
    async close() {
      await database.close();
      await postgres.close();
    },
  };
}
