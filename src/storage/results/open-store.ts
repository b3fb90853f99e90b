/** Opens the store that the settings select. The PostgreSQL client is loaded only if it is used. */
import { join } from 'node:path';
import type { Postgres } from '../database/postgres/postgres.ts';
import type { SqlDatabase } from '../database/sql.ts';
import { createArtifactFolder } from './artifacts.ts';
import { createResultStore, type OpenableStore, type StoreOptions } from './create-store.ts';
import type { StoreEvent } from './fault.ts';
import { createReserve } from './removal-room.ts';
import { createSqliteDatabase } from './sqlite/database.ts';
import type { ResultStore } from './store.ts';

export const databaseFile = 'results.sqlite';
/** File that reserves space for removals on a full disk: see removal-room.ts. */
export const reserveFile = 'reserve';

export type StorePlace = {
  /**
   * Folder of the artifacts and, without `databaseUrl`, of the SQLite file. Without both settings, no data outlive the
   * process.
   */
  dataDir?: string | undefined;
  databaseUrl?: string | undefined;
  /** Shared connections to `databaseUrl`; by default the store opens its own. */
  postgres?: Postgres | undefined;
};

const openPostgres = async (url: string, postgres?: Postgres, busyTimeoutMs?: number): Promise<SqlDatabase> => {
  const { createPostgresDatabase, usePostgres } = await import('./postgres/database.ts');
  return postgres ? usePostgres(postgres) : createPostgresDatabase({ url, busyTimeoutMs });
};

/**
 * Opens the store. An unavailable database does not prevent the start: the store reports it, and recovers by itself.
 * @throws StoreFaultError of code `newer_database`
 */
export async function openResultStore(
  { dataDir, databaseUrl, postgres }: StorePlace,
  {
    busyTimeoutMs,
    onEvent = () => {},
    ...options
  }: Omit<StoreOptions, 'database' | 'folder' | 'reserve' | 'waitingFolder'> & { busyTimeoutMs?: number } = {},
): Promise<ResultStore> {
  let store: OpenableStore | undefined;
  const onReplaced = (event: StoreEvent): void => {
    onEvent(event);
    store?.replaced(event);
  };
  const path = dataDir === undefined ? ':memory:' : join(dataDir, databaseFile);
  const database = databaseUrl
    ? await openPostgres(databaseUrl, postgres, busyTimeoutMs)
    : createSqliteDatabase({ path, onReplaced, busyTimeoutMs });
  const folder = dataDir === undefined ? undefined : createArtifactFolder(join(dataDir, 'artifacts'));
  const reserve = dataDir === undefined || databaseUrl ? undefined : createReserve(join(dataDir, reserveFile));
  // Entries that wait for one kind of database must not be written into the other.
  const waitingFolder = dataDir === undefined ? undefined : join(dataDir, 'waiting', database.engine);
  store = createResultStore({ ...options, onEvent, database, folder, reserve, waitingFolder });
  await store.open();
  return store;
}
