/**
 * The open file. This code runs in the thread of the file, because every operation here takes as long as the disk does.
 */
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LRUCache } from 'lru-cache';
import { StoreFaultError } from '../../database/fault.ts';
import { sqliteMigrations } from '../../database/migrations.ts';
import { assertNotNewer } from '../../database/newer-database.ts';
import type { SqlRow, SqlValue, Statement } from '../../database/sql.ts';
import { toSqliteFault } from './faults.ts';
import { temporaryDatabase } from './messages.ts';

export const pageBytes = 8192;
/** Suffixes of the database file and of its companions. The log may contain the newest acknowledged writes. */
export const endings = ['', '-wal', '-shm'];
/** Number of pages to free per step: about 4 MB, which takes a few milliseconds. */
const reclaimedPages = 500;
/** Max number of prepared statements. The code has fewer, but a list of each length makes one of its own. */
const mostPrepared = 300;

/**
 * Settings of the file. Responses wait for the commit, so no commit waits for the disk (`synchronous=NORMAL`). If the
 * process is killed, no commit is lost, because the operating system has the log; the thread syncs it to the disk when
 * it is idle. A commit moves the log into the file itself only if the log exceeds 32 MB. Pages of 8 KB suit bodies of
 * 50 to 100 KB. Page size and `auto_vacuum` apply only if set before the first table. Bytes of deleted rows are
 * overwritten where that writes no additional page.
 */
export const layout = `
  PRAGMA page_size = 8192;
  PRAGMA auto_vacuum = INCREMENTAL;
`;
const settings = `${layout}
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 33554432;
  PRAGMA cache_size = -16000;
  PRAGMA secure_delete = FAST;
`;

export type Connection = {
  /** Returns whether the path still refers to the open file. */
  isCurrent(): boolean;
  rows(statement: Statement): readonly SqlRow[];
  write(statements: readonly Statement[]): readonly number[];
  usedBytes(): number;
  /** @param logBytes max size of the log from now on */
  reclaim(logBytes: number | undefined): boolean;
  /** Moves the log into the file and syncs it to the disk. */
  flush(): void;
  close(): void;
};

/**
 * Creates the file, accessible only to the user of the service, because URLs of pages may contain tokens. The log
 * inherits the permissions.
 */
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

/** Limits the size of the log: it is moved into the file sooner, and truncated to this size. */
const boundLog = (database: DatabaseSync, bytes: number): void => {
  database.exec(`PRAGMA wal_autocheckpoint = ${Math.max(16, Math.floor(bytes / pageBytes))}`);
  database.exec(`PRAGMA journal_size_limit = ${bytes}`);
};

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE, because a transaction that starts with a read can no longer write after another process has written.
  database.exec('BEGIN IMMEDIATE');
  try {
    const outcome = work();
    database.exec('COMMIT');
    return outcome;
  } catch (error) {
    // Some failures, such as a full disk, have already rolled back the transaction.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Higher than the version of any release. A higher number means damage. */
const highestVersion = 10_000;

/** @throws StoreFaultError of code `newer_database`, or `corrupt` */
const assertKnown = (database: DatabaseSync, path: string): number => {
  const version = numberOf(database, 'user_version');
  if (version < 0 || version > highestVersion)
    throw new StoreFaultError('corrupt', 'The database file is corrupt.', {
      detail: `${path}: its version is ${version}`,
    });
  assertNotNewer(version, sqliteMigrations.length, path, 'set DATA_DIR to another folder');
  return version;
};

function migrate(database: DatabaseSync, path: string): void {
  if (assertKnown(database, path) === sqliteMigrations.length) return;
  inTransaction(database, () => {
    // The version is read again, because another process may have migrated the file in the meantime.
    for (const step of sqliteMigrations.slice(assertKnown(database, path))) database.exec(step);
    database.exec(`PRAGMA user_version = ${sqliteMigrations.length}`);
  });
}

type CopyEvent = { event: 'copied'; path: string } | { event: 'not_copied'; path: string; reason: string };

const copyEnding = /\.before-version-\d+\.sqlite$/;

/**
 * Copies the file before a migration, so that the previous program version can be started with the copy, because a
 * migration cannot be undone. Earlier copies are removed. If there is no room for the copy, the upgrade continues
 * without it.
 */
function copyBeforeMigration(database: DatabaseSync, path: string): CopyEvent {
  const folder = dirname(path);
  const name = `${basename(path, '.sqlite')}.before-version-${sqliteMigrations.length}.sqlite`;
  const target = join(folder, name);
  const part = `${target}.${process.pid}.part`;
  try {
    const { bavail, bsize } = statfsSync(folder);
    const bytes = numberOf(database, 'page_count') * numberOf(database, 'page_size');
    // The upgrade itself needs some space too.
    if (bavail * bsize < bytes + bytes / 4) throw new Error('the disk has no room for it');
    rmSync(part, { force: true });
    closeSync(openSync(part, 'wx', 0o600));
    database.prepare('VACUUM INTO ?').run(part);
    renameSync(part, target);
    for (const other of readdirSync(folder))
      if (copyEnding.test(other) && other !== name && other.startsWith(`${basename(path, '.sqlite')}.`))
        rmSync(join(folder, other), { force: true });
    return { event: 'copied', path: target };
  } catch (error) {
    rmSync(part, { force: true });
    return { event: 'not_copied', path: target, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Sets what a connection needs. While another process opens a new file, SQLite refuses to change to a log at once,
 * whatever its timeout is.
 */
function setUp(database: DatabaseSync, path: string, busyTimeoutMs: number): void {
  const endMs = performance.now() + busyTimeoutMs;
  for (let isSet = false; !isSet; )
    try {
      database.exec(settings);
      isSet = true;
    } catch (error) {
      if (toSqliteFault(error, path).code !== 'locked' || performance.now() >= endMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
}

type OpenOptions = {
  busyTimeoutMs: number;
  /** Whether no other process may open the file until it is closed. */
  isAlone?: boolean;
  onCopy?: ((event: CopyEvent) => void) | undefined;
};

const open = (path: string, { busyTimeoutMs, isAlone, onCopy = () => {} }: OpenOptions): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // This precedes the first access, which fails if another process has opened the file.
    if (isAlone) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    // This precedes the first write, so that a database of a newer version is not changed.
    const version = assertKnown(database, path);
    if (version > 0 && version < sqliteMigrations.length) onCopy(copyBeforeMigration(database, path));
    setUp(database, path, busyTimeoutMs);
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Creates a new file with all tables, to be filled without a log and without syncs. */
export function createFile(path: string): DatabaseSync {
  makeFile(path);
  const database = new DatabaseSync(path);
  database.exec(`${layout} PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;`);
  migrate(database, path);
  return database;
}

/**
 * Prevents other processes from writing to a damaged file, without writing to it: opening the file normally would
 * migrate it, and closing it would move its log into it. The lock must not be closed while the file has its name.
 * @throws if another process writes, or the file cannot be opened
 */
export function lockFile(path: string, busyTimeoutMs: number): { release(): void } {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  database.exec('BEGIN IMMEDIATE');
  return { release: () => database.exec('ROLLBACK') };
}

/** Opens a file with rows, to add others. No other process may have opened it. */
export const openToFill = (path: string): DatabaseSync => open(path, { busyTimeoutMs: 0, isAlone: true });

const openToRead = (name: string, path: string, busyTimeoutMs: number): DatabaseSync => {
  const database = new DatabaseSync(name, { timeout: busyTimeoutMs, readOnly: true });
  try {
    if (numberOf(database, 'user_version') === sqliteMigrations.length) return database;
    throw new StoreFaultError('unavailable', 'The database is read-only and cannot be migrated.', { detail: path });
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * Opens a file read-only, which often works if writing does not. A database with a log needs files next to its own,
 * even for reading. If these are missing and cannot be created, no process is writing, and the file is opened as
 * immutable.
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
  { busyTimeoutMs, readOnly = false, isAlone = false, onCopy }: OpenOptions & { readOnly?: boolean },
): Connection {
  const isFile = path !== ':memory:' && path !== temporaryDatabase;
  if (isFile && !readOnly) makeFile(path);
  const database = readOnly ? openForReading(path, busyTimeoutMs) : open(path, { busyTimeoutMs, isAlone, onCopy });
  const inode = isFile ? inodeOf(path) : undefined;
  const prepared = new LRUCache<string, StatementSync>({ max: mostPrepared });

  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const run = ({ sql, values }: Statement): number => Number(prepare(sql).run(...(values as SqlValue[])).changes);

  /** Whether the log may contain erased rows, because another process was reading it. */
  let hasErased = false;
  const truncateLog = (): void => {
    const isBusy = numberOf(database, 'wal_checkpoint(TRUNCATE)') !== 0;
    hasErased &&= isBusy;
  };

  /** Overwrites the pages that the statements free, too, and removes their former content from the log. */
  const erase = (work: () => readonly number[]): readonly number[] => {
    database.exec('PRAGMA secure_delete = ON');
    try {
      return work();
    } finally {
      database.exec('PRAGMA secure_delete = FAST');
    }
  };

  return {
    isCurrent: () => !isFile || inodeOf(path) === inode,
    rows({ sql, values }) {
      const statement = prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...(values as SqlValue[])) as unknown as SqlRow[];
    },
    write(statements) {
      const work = () =>
        inTransaction(database, () => {
          // A newer program may have migrated the file since it was opened.
          assertKnown(database, path);
          return statements.map(run);
        });
      if (!statements.some(({ erases }) => erases)) return work();
      const changed = erase(work);
      if (statements.some(({ erases }, at) => erases && changed[at] !== 0)) {
        hasErased = true;
        truncateLog();
      }
      return changed;
    },
    usedBytes: () =>
      (numberOf(database, 'page_count') - numberOf(database, 'freelist_count')) * numberOf(database, 'page_size'),
    reclaim(logBytes) {
      if (logBytes !== undefined) boundLog(database, logBytes);
      const hasFree = numberOf(database, 'freelist_count') > 0;
      if (hasFree) database.exec(`PRAGMA incremental_vacuum(${reclaimedPages})`);
      // Each step frees space before the next one needs it, because the disk may be full.
      truncateLog();
      return hasFree && numberOf(database, 'freelist_count') > 0;
    },
    flush: () => (hasErased ? truncateLog() : database.exec('PRAGMA wal_checkpoint(PASSIVE)')),
    close: () => database.close(),
  };
}
