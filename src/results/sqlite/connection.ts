/** The open file. Runs in the thread: everything here takes as long as the disk does. */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreFaultError } from '../fault.ts';
import { assertNotNewer } from '../newer-database.ts';
import type { Row, SqlValue, Statement } from '../sql/database.ts';
import { toSqliteFault } from './faults.ts';
import { temporaryDatabase } from './messages.ts';
import { sqliteMigrations } from './migrations.ts';

/** Some 4 MB at once: a few milliseconds. */
const reclaimedPages = 500;

/**
 * An answer waits for the commit, so no commit waits for the disk (`synchronous=NORMAL`): a kill takes nothing, because
 * the system has the log, and the thread has the disk take it as soon as nothing else is to be done. Only a log of 32 MB
 * is moved into the file by the commit itself. Pages of 8 KB suit bodies of 50 to 100 KB. The page size and
 * `auto_vacuum` hold only when set before the first table.
 */
const settings = `
  PRAGMA page_size = 8192;
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 33554432;
  PRAGMA cache_size = -16000;
`;

export type Connection = {
  /** Whether the path still leads to the file that is open. */
  isCurrent(): boolean;
  rows(statement: Statement): readonly Row[];
  write(statements: readonly Statement[]): readonly number[];
  reclaim(): boolean;
  /** Moves the log into the file, and waits for the disk. */
  flush(): void;
  close(): void;
};

/** Only for the user who runs the service: addresses of pages carry tokens. The log gets the rights of the file. */
const makeFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
};

const inodeOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
};

const numberOf = (database: DatabaseSync, pragma: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE: one that began by reading could not become a writer once another process has written.
  database.exec('BEGIN IMMEDIATE');
  try {
    const outcome = work();
    database.exec('COMMIT');
    return outcome;
  } catch (error) {
    // Some failures, such as a full disk, have rolled it back already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** @throws StoreFaultError of code `newer_database` */
const assertKnown = (database: DatabaseSync, path: string): number => {
  const version = numberOf(database, 'user_version');
  assertNotNewer(version, sqliteMigrations.length, path, 'set DATA_DIR to another folder');
  return version;
};

function migrate(database: DatabaseSync, path: string): void {
  if (assertKnown(database, path) === sqliteMigrations.length) return;
  inTransaction(database, () => {
    // Read again: another process may have done the same meanwhile.
    for (const step of sqliteMigrations.slice(assertKnown(database, path))) database.exec(step);
    database.exec(`PRAGMA user_version = ${sqliteMigrations.length}`);
  });
}

const open = (path: string, busyTimeoutMs: number): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // Before anything is written: a database of a newer version stays as it is.
    assertKnown(database, path);
    database.exec(settings);
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const openToRead = (name: string, path: string, busyTimeoutMs: number): DatabaseSync => {
  const database = new DatabaseSync(name, { timeout: busyTimeoutMs, readOnly: true });
  try {
    if (numberOf(database, 'user_version') === sqliteMigrations.length) return database;
    throw new StoreFaultError('unavailable', `The database ${path} cannot be brought up to date: it is read-only.`);
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * What cannot be written can often still be read. A database with a log needs files beside its own even to be read;
 * where they are not there and cannot be made, there are no writers, and it is opened as one that never changes.
 */
const openForReading = (path: string, busyTimeoutMs: number): DatabaseSync => {
  try {
    return openToRead(path, path, busyTimeoutMs);
  } catch (error) {
    if (toSqliteFault(error, path).code === 'corrupt') throw error;
    return openToRead(`${pathToFileURL(path).href}?immutable=1`, path, busyTimeoutMs);
  }
};

export function openConnection(
  path: string,
  { busyTimeoutMs, readOnly = false }: { busyTimeoutMs: number; readOnly?: boolean },
): Connection {
  const isFile = path !== ':memory:' && path !== temporaryDatabase;
  if (isFile && !readOnly) makeFile(path);
  const database = (readOnly ? openForReading : open)(path, busyTimeoutMs);
  const inode = isFile ? inodeOf(path) : undefined;
  const prepared = new Map<string, StatementSync>();

  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const run = ({ sql, values }: Statement): number => Number(prepare(sql).run(...(values as SqlValue[])).changes);

  return {
    isCurrent: () => !isFile || inodeOf(path) === inode,
    rows({ sql, values }) {
      const statement = prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...(values as SqlValue[])) as unknown as Row[];
    },
    write: statements =>
      inTransaction(database, () => {
        // A newer program may have come to the same file since it was opened.
        assertKnown(database, path);
        return statements.map(run);
      }),
    reclaim() {
      if (numberOf(database, 'freelist_count') === 0) return false;
      database.exec(`PRAGMA incremental_vacuum(${reclaimedPages})`);
      return numberOf(database, 'freelist_count') > 0;
    },
    flush: () => database.exec('PRAGMA wal_checkpoint(PASSIVE)'),
    close: () => database.close(),
  };
}
