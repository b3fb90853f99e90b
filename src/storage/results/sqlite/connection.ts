/** The open file. Runs in the thread: everything here takes as long as the disk does. */
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreFaultError } from '../../database/fault.ts';
import { sqliteMigrations } from '../../database/migrations.ts';
import { assertNotNewer } from '../../database/newer-database.ts';
import type { Row, SqlValue, Statement } from '../../database/sql.ts';
import { toSqliteFault } from './faults.ts';
import { temporaryDatabase } from './messages.ts';

const pageBytes = 8192;
/** Some 4 MB at once: a few milliseconds. */
const reclaimedPages = 500;

/**
 * An answer waits for the commit, so no commit waits for the disk (`synchronous=NORMAL`): a kill takes nothing, because
 * the system has the log, and the thread has the disk take it as soon as nothing else is to be done. Only a log of 32
 * MB is moved into the file by the commit itself. Pages of 8 KB suit bodies of 50 to 100 KB. The page size and
 * `auto_vacuum` hold only when set before the first table.
 */
const layout = `
  PRAGMA page_size = 8192;
  PRAGMA auto_vacuum = INCREMENTAL;
`;
const settings = `${layout}
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
  /** Bytes of the pages in use. */
  usedBytes(): number;
  /** @param logBytes how large the log may grow from now on */
  reclaim(logBytes: number | undefined): boolean;
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

/** A log that is moved into the file sooner, and cut to its bound after that. */
const boundLog = (database: DatabaseSync, bytes: number): void => {
  database.exec(`PRAGMA wal_autocheckpoint = ${Math.max(16, Math.floor(bytes / pageBytes))}`);
  database.exec(`PRAGMA journal_size_limit = ${bytes}`);
};

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE: one that started by reading could not become a writer once another process has written.
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

/** No release has come as far: the number itself is damaged. */
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
    // Read again: another process may have done the same meanwhile.
    for (const step of sqliteMigrations.slice(assertKnown(database, path))) database.exec(step);
    database.exec(`PRAGMA user_version = ${sqliteMigrations.length}`);
  });
}

type CopyEvent = { event: 'copied'; path: string } | { event: 'not_copied'; path: string; reason: string };

const copyEnding = /\.before-version-\d+\.sqlite$/;

/**
 * A version cannot go back, so the file as it was stays next to it: what the former program can be started with. Of
 * former copies none stays. Where there is no room for one, the upgrade continues without it.
 */
function copyBeforeMigration(database: DatabaseSync, path: string): CopyEvent {
  const folder = dirname(path);
  const name = `${basename(path, '.sqlite')}.before-version-${sqliteMigrations.length}.sqlite`;
  const target = join(folder, name);
  const part = `${target}.${process.pid}.part`;
  try {
    const { bavail, bsize } = statfsSync(folder);
    const bytes = numberOf(database, 'page_count') * numberOf(database, 'page_size');
    // The upgrade itself needs some room, too.
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

type OpenOptions = {
  busyTimeoutMs: number;
  /** No other process may have the file open, until it is closed. */
  isAlone?: boolean;
  onCopy?: ((event: CopyEvent) => void) | undefined;
};

const open = (path: string, { busyTimeoutMs, isAlone, onCopy = () => {} }: OpenOptions): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // Before the first access, which then fails while another process has the file open.
    if (isAlone) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    // Before anything is written: a database of a newer version stays as it is.
    const version = assertKnown(database, path);
    if (version > 0 && version < sqliteMigrations.length) onCopy(copyBeforeMigration(database, path));
    database.exec(settings);
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** A new file with all tables, to be filled as a whole: without a log, and without waiting for the disk. */
export function createFile(path: string): DatabaseSync {
  makeFile(path);
  const database = new DatabaseSync(path);
  database.exec(`${layout} PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;`);
  migrate(database, path);
  return database;
}

/**
 * Keeps other processes from writing into a damaged file, and writes nothing itself: what opens a file usually brings
 * its tables up to date, and a close moves its log into it. It must not be closed while the file has its name.
 * @throws where another process writes, or the file cannot be opened at all
 */
export function lockFile(path: string, busyTimeoutMs: number): { release(): void } {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  database.exec('BEGIN IMMEDIATE');
  return { release: () => database.exec('ROLLBACK') };
}

/** A file that has rows already, to add others. No other process may have it open. */
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
 * What cannot be written can often still be read. A database with a log needs files next to its own even to be read;
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
  { busyTimeoutMs, readOnly = false, isAlone = false, onCopy }: OpenOptions & { readOnly?: boolean },
): Connection {
  const isFile = path !== ':memory:' && path !== temporaryDatabase;
  if (isFile && !readOnly) makeFile(path);
  const database = readOnly ? openForReading(path, busyTimeoutMs) : open(path, { busyTimeoutMs, isAlone, onCopy });
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
    usedBytes: () =>
      (numberOf(database, 'page_count') - numberOf(database, 'freelist_count')) * numberOf(database, 'page_size'),
    reclaim(logBytes) {
      if (logBytes !== undefined) boundLog(database, logBytes);
      const hasFree = numberOf(database, 'freelist_count') > 0;
      if (hasFree) database.exec(`PRAGMA incremental_vacuum(${reclaimedPages})`);
      // Each step gives its room back before the next one needs some: the disk may be full.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return hasFree && numberOf(database, 'freelist_count') > 0;
    },
    flush: () => database.exec('PRAGMA wal_checkpoint(PASSIVE)'),
    close: () => database.close(),
  };
}
