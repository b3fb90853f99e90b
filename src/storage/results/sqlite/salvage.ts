/**
 * Copies the readable rows of a damaged file into another file by SQL, table by table. Rows that share a damaged page
 * are skipped. If a page that names the tables is damaged, the first page of a new file takes its place in a copy.
 */
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { sqliteMigrations } from '../../database/migrations.ts';
import { placeholders } from '../../database/sql.ts';
import type { Table } from '../../database/table.ts';
import { bodies, copiedTables, results } from '../../database/tables.ts';
import type { Salvaged, SalvagedTable } from '../fault.ts';
import { isResultId } from '../result-id.ts';
import { createFile, endings, layout, openToFill, pageBytes } from './connection.ts';

/**
 * Returns whether a process on this machine has locked the file; always false without `/proc/locks`. SQLite is not used
 * here, because it would move the log into a damaged file on close.
 */
export function isFileInUse(path: string): boolean {
  if (!existsSync('/proc/locks')) return false;
  const inodes = [path, `${path}-shm`].flatMap(file => statSync(file, { throwIfNoEntry: false })?.ino ?? []);
  const held = [...readFileSync('/proc/locks', 'utf8').matchAll(/[\da-f]+:[\da-f]+:(\d+) /g)].map(([, inode]) => inode);
  return inodes.some(inode => held.includes(String(inode)));
}

/** @throws if the target cannot be written, or another process uses it */
export function salvageInto(from: string, to: string): Salvaged {
  const target = existsSync(to) ? openToFill(to) : createFile(to);
  try {
    const salvaged = salvage(from, target);
    target.exec('PRAGMA journal_mode = WAL');
    return salvaged;
  } finally {
    target.close();
  }
}

/** Primary result codes of damage: CORRUPT and NOTADB. */
const isDamage = (error: unknown): boolean => [11, 26].includes(((error as { errcode?: number }).errcode ?? 0) & 0xff);
/** Extended result codes of NOT NULL and STRICT violations, which rows with damaged values cause. */
const isRefused = (error: unknown): boolean => [1299, 3091].includes((error as { errcode?: number }).errcode ?? 0);

/** Runs work on a damaged file. @returns undefined if it meets the damage */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Opens a file to read it. Its tables may be edited, so that a file that was cut off can be opened, too. */
function openDamaged(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, defensive: false });
  database.exec('PRAGMA writable_schema = ON');
  return database;
}

/** Returns whether the definitions of all tables can be read: a file with many tables has them on several pages. */
const hasTables = (database: DatabaseSync): boolean => {
  const tables = attempt(() => database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all());
  return tables?.some(({ name }) => name === results.name) ?? false;
};

/** Creates the first page of a file that has the tables, without their indexes, at the pages where every file has them. */
function createFirstPage(path: string): Buffer {
  rmSync(path, { force: true });
  const fresh = new DatabaseSync(':memory:');
  const database = new DatabaseSync(path, { defensive: false });
  try {
    for (const sql of [layout, ...sqliteMigrations]) fresh.exec(sql);
    database.exec(`${layout} PRAGMA writable_schema = ON; CREATE TABLE placeholder (id); DELETE FROM sqlite_schema`);
    const add = database.prepare("INSERT INTO sqlite_schema VALUES ('table', ?, ?, ?, ?)");
    for (const { name } of copiedTables) {
      const root = fresh.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)?.rootpage as number;
      const columns = fresh.prepare('SELECT name FROM pragma_table_info(?)').all(name);
      add.run(name, name, root, `CREATE TABLE ${name} (${columns.map(column => column.name).join(', ')})`);
    }
    const page = readFileSync(path).subarray(0, pageBytes);
    // Without a number of pages, SQLite uses the size of the file.
    page.writeUInt32BE(0, 28);
    return page;
  } finally {
    fresh.close();
    database.close();
    rmSync(path, { force: true });
  }
}

/** Copies a file, and its log, with another first page. */
function copyWithFirstPage(path: string, copy: string): void {
  const page = createFirstPage(copy);
  for (const ending of ['', '-wal']) if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending);
  const file = openSync(copy, 'r+');
  writeSync(file, page, 0, page.length, 0);
  closeSync(file);
}

const isReadableBody = (summary: unknown): boolean => {
  try {
    return zstdDecompressSync(summary as Uint8Array).length > 0;
  } catch {
    return false;
  }
};

type RowValues = Record<string, SQLInputValue>;

/** Returns whether a row is usable: damaged bytes may look like a row. */
const isUsable = (table: Table, { id, summary }: RowValues): boolean => {
  if (table !== results && table !== bodies) return true;
  return typeof id === 'string' && isResultId(id) && (table === results || isReadableBody(summary));
};

/** Max distance to the next readable row id. The end of a table may be damaged, so that there is none. */
const farthest = 2 ** 40;

/** Returns the distance to the next readable row id: doubles it until rows are readable, then halves the last step. */
function findDistance(isReadable: (distance: number) => boolean): number {
  let [unreadable, readable] = [0, 1];
  while (!isReadable(readable)) {
    if (readable > farthest) return Number.POSITIVE_INFINITY;
    [unreadable, readable] = [readable, 2 * readable];
  }
  while (readable - unreadable > 1) {
    const middle = Math.floor((unreadable + readable) / 2);
    if (isReadable(middle)) readable = middle;
    else unreadable = middle;
  }
  return readable;
}

type SalvagedRow = { values: RowValues; isWhole: boolean };

/**
 * Yields the readable rows of a table. After damage, it continues at the next row id from which rows can be read again.
 * A body whose whole Lighthouse result is damaged is yielded without it.
 */
function* readRows(
  database: DatabaseSync,
  table: Table,
  columns: readonly string[],
  onGap: () => void,
): Generator<SalvagedRow> {
  const select = (names: readonly string[], rest = '') =>
    database.prepare(
      `SELECT ${names.join(', ')} FROM ${table.name} NOT INDEXED WHERE rowid >= ? ORDER BY rowid ${rest}`,
    );
  let next = 0;
  const toRow = ({ row_id, ...values }: RowValues, isWhole: boolean): SalvagedRow => {
    next = Number(row_id) + 1;
    return { values, isWhole };
  };
  // A damaged page may point back to earlier ones, whose rows would then be read again and again.
  const isAhead = ({ row_id }: RowValues, from = next): boolean => Number(row_id) >= from;
  const isReadable = (from: number): boolean => {
    const found = attempt(() => [select(['rowid AS row_id'], 'LIMIT 1').get(from)] as [RowValues | undefined]);
    return found !== undefined && (found[0] === undefined || isAhead(found[0], from));
  };
  while (Number.isFinite(next)) {
    const rows = select(['rowid AS row_id', ...columns]).iterate(next) as Iterator<RowValues>;
    let found = attempt(() => rows.next());
    for (; found && !found.done && isAhead(found.value); found = attempt(() => rows.next()))
      yield toRow(found.value, true);
    if (found?.done) return;
    const part =
      table === bodies &&
      (attempt(() => select(['rowid AS row_id', 'id', 'summary'], 'LIMIT 1').get(next)) as RowValues | undefined);
    if (part && isAhead(part)) {
      yield toRow(part, false);
      continue;
    }
    onGap();
    next += findDistance(distance => isReadable(next + distance));
  }
}

/** Returns whether the row was added. @throws unless the row itself is refused */
function insertRow(target: DatabaseSync, { name }: Table, values: RowValues): 'added' | 'there' | 'refused' {
  // A column without a value gets its default.
  const given = Object.keys(values).filter(column => values[column] !== null);
  const sql = `INSERT INTO ${name} (${given.join(', ')}) VALUES (${placeholders(given.length)}) ON CONFLICT DO NOTHING`;
  try {
    const { changes } = target.prepare(sql).run(...given.map(column => values[column] as SQLInputValue));
    return changes > 0 ? 'added' : 'there';
  } catch (error) {
    if (isRefused(error)) return 'refused';
    throw error;
  }
}

function copyTable(source: DatabaseSync, target: DatabaseSync, table: Table, onGap: () => void): SalvagedTable {
  const copied = { table: table.name, copied: 0, lost: 0 };
  // A file of an earlier version lacks some columns.
  const there = source.prepare('SELECT name FROM pragma_table_info(?)').all(table.name);
  const columns = there.map(({ name }) => String(name)).filter(name => name in table.columns);
  if (columns.length === 0) return copied;
  target.exec('BEGIN IMMEDIATE');
  for (const { values, isWhole } of readRows(source, table, columns, onGap)) {
    const outcome = isUsable(table, values) ? insertRow(target, table, values) : 'refused';
    if (outcome === 'added') copied.copied += 1;
    if (outcome === 'refused' || !isWhole) copied.lost += 1;
  }
  target.exec('COMMIT');
  return copied;
}

/**
 * Copies the readable rows of a file into a database with the current tables, except the cache. Existing rows are not
 * changed.
 * @param path path of the damaged file, whose log is read too. Neither is changed.
 * @throws if the target cannot be written
 */
export function salvage(path: string, target: DatabaseSync): Salvaged {
  const copy = `${path}.first-page-${process.pid}`;
  const removeCopy = () => {
    for (const ending of endings) rmSync(copy + ending, { force: true });
  };
  let source = openDamaged(path);
  try {
    if (!hasTables(source)) {
      source.close();
      copyWithFirstPage(path, copy);
      source = openDamaged(copy);
    }
    let gaps = 0;
    const tables = copiedTables.map(table =>
      copyTable(source, target, table, () => {
        gaps += 1;
      }),
    );
    // No query finds a body without its facts. A result without a body still has its facts.
    const alone = Number(target.prepare('DELETE FROM bodies WHERE id NOT IN (SELECT id FROM results)').run().changes);
    return {
      tables: tables.map(one => (one.table === results.name ? { ...one, lost: Math.max(one.lost, alone) } : one)),
      damagedPages: gaps,
    };
  } finally {
    source.close();
    removeCopy();
  }
}
