/** The tables of results on PostgreSQL. Loaded only where DATABASE_URL is set. */
import { StoreFaultError } from '../../database/fault.ts';
import { postgresMigrations } from '../../database/migrations.ts';
import { openPostgres, type Postgres } from '../../database/postgres/postgres.ts';
import { inTransaction, run } from '../../database/postgres/statements.ts';
import type { SqlDatabase } from '../../database/sql.ts';

export const resultSchema = 'rangelight';
const tables = { schema: resultSchema, steps: postgresMigrations, migrationLock: 7_264_115 };

type Options = { busyTimeoutMs?: number | undefined; clientName?: string | undefined };

/** On connections that others use, too: to close it leaves them open. */
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
    // Room that removed rows have left is used again, and does not show in the size of a table.
    usedBytes: async () => undefined,
    // Autovacuum does it.
    reclaim: async () => false,
    async close() {
      isClosed = true;
    },
  };
}

/** On connections of its own. */
export function createPostgresDatabase({ url, ...options }: { url: string } & Options): SqlDatabase {
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
