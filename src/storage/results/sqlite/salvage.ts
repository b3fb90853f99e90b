/**
 * Copies the readable rows of a damaged file into another file. Every intact leaf page of a table is read separately,
 * so damage to an index, an interior page, the free list, the header or the log loses no row.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { sqliteMigrations } from '../../database/migrations.ts';
import type { Salvaged, SalvagedTable } from '../fault.ts';
import { isResultId } from '../result-id.ts';
import { createFile, openToFill } from './connection.ts';
import { openPages, type Pages } from './pages.ts';
import { findLeaves, type PageRow, readRows } from './table-rows.ts';

/* Salvages a file on request of an operator: into a new file, or into one that already has rows. */

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

/** Extended result codes of NOT NULL and STRICT violations. They differ above the lowest byte. */
const constraintFailed = 1299;
const mismatch = 3091;

/** Order of the tables: pending work first, then results, newest first, then data that can be measured again. */
const first = [
  'schedules',
  'jobs',
  'job_pages',
  'job_events',
  'job_secrets',
  'deliveries',
  'store_state',
  'artifacts',
  'results',
];
const last = ['bodies', 'cached_values'];

type Table = { name: string; root: number; columns: readonly string[]; rowidColumn: string | undefined };

const toOrder = ({ name }: Table): number => {
  if (last.includes(name)) return first.length + 1 + last.indexOf(name);
  return first.includes(name) ? first.indexOf(name) : first.length;
};

const isOwn = (name: unknown): boolean => typeof name === 'string' && !name.startsWith('sqlite_');

function readTables(database: DatabaseSync): Table[] {
  const tables = database.prepare("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'").all();
  return tables
    .filter(({ name }) => isOwn(name))
    .map(({ name, rootpage }) => {
      const columns = database.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(String(name));
      const keys = columns.filter(({ pk }) => pk !== 0);
      const rowid = keys.length === 1 && keys[0]?.type === 'INTEGER' ? String(keys[0].name) : undefined;
      const names = columns.map(column => String(column.name));
      return { name: String(name), root: Number(rootpage), columns: names, rowidColumn: rowid };
    });
}

/** Returns the root page of each table according to the file; undefined if its schema is damaged. */
function readRoots(pages: Pages, tables: readonly Table[]): ReadonlyMap<string, number> | undefined {
  try {
    const leaves = findLeaves(pages, [1]);
    const rows = leaves.of(1).flatMap(number => readRows(pages, number).rows);
    const roots = new Map<string, number>();
    for (const { values } of rows) {
      const [type, name, , root] = values;
      if (type === 'table' && isOwn(name)) roots.set(String(name), Number(root));
    }
    const isKnown = tables.every(({ name }) => roots.has(name)) || (roots.size > 0 && leaves.damaged === 0);
    return isKnown && [...roots.values()].every(root => root > 2 && root <= pages.count) ? roots : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a row is usable. A body without its whole Lighthouse result is usable, because its summary comes
 * first.
 */
const isUsable = (table: string, { values, isWhole }: PageRow): boolean => {
  if (!isWhole && table !== 'bodies') return false;
  if (table !== 'results' && table !== 'bodies') return true;
  const [id, summary] = values;
  if (typeof id !== 'string' || !isResultId(id)) return false;
  if (table === 'results') return true;
  try {
    zstdDecompressSync(summary as Uint8Array);
    return true;
  } catch {
    return false;
  }
};

const isRefused = (error: unknown): boolean => {
  const { errcode } = error as { errcode?: number };
  return errcode === constraintFailed || errcode === mismatch;
};

type Inserted = 'added' | 'there' | 'refused';

function createInsert(target: DatabaseSync, { name, columns, rowidColumn }: Table): (row: PageRow) => Inserted {
  return row => {
    const values = row.isWhole ? row.values : row.values.slice(0, 2);
    if (values.length === 0 || values.length > columns.length || !isUsable(name, row)) return 'refused';
    // A row that was written before a column was added lacks the value of that column.
    const given = columns.slice(0, values.length);
    const own = values.map((value, at) => (given[at] === rowidColumn && value === null ? row.rowid : value));
    const sql = `INSERT INTO ${name} (${given.join(', ')}) VALUES (${given.map(() => '?').join(', ')})
      ON CONFLICT DO NOTHING`;
    try {
      return target.prepare(sql).run(...(own as SQLInputValue[])).changes > 0 ? 'added' : 'there';
    } catch (error) {
      if (isRefused(error)) return 'refused';
      throw error;
    }
  };
}

/** Copies a table, newest rows first. */
function copyTable(pages: Pages, leaves: readonly number[], target: DatabaseSync, table: Table): SalvagedTable {
  const insert = createInsert(target, table);
  const copied = { table: table.name, copied: 0, lost: 0 };
  for (const number of leaves.toReversed()) {
    const { rows, lost } = readRows(pages, number);
    copied.lost += lost;
    for (const row of rows.reverse()) {
      const outcome = insert(row);
      if (outcome === 'added') copied.copied += 1;
      if (outcome === 'refused' || !row.isWhole) copied.lost += 1;
    }
  }
  return copied;
}

const countOf = (target: DatabaseSync, sql: string): number =>
  Number(Object.values(target.prepare(sql).get() ?? {})[0]);

/** Removes bodies without facts, which no query can find. A result without a body still has its values. */
function removeBodiesAlone(target: DatabaseSync): number {
  const alone = 'FROM bodies WHERE id NOT IN (SELECT id FROM results)';
  const count = countOf(target, `SELECT count(*) ${alone}`);
  if (count > 0) target.exec(`DELETE ${alone}`);
  return count;
}

/** Returns the root pages of a new file, for a file whose first page cannot be read. */
const withoutData = (tables: readonly Table[]): ReadonlyMap<string, number> =>
  new Map(tables.map(({ name, root }) => [name, root]));

function rootsOfNewFile(): Table[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL');
    for (const step of sqliteMigrations) database.exec(step);
    return readTables(database);
  } finally {
    database.close();
  }
}

/**
 * Copies the readable rows of a file into a database with the current tables. Existing rows are not changed.
 * @param path path of the damaged file, whose log is read too. Neither is changed.
 * @throws if the target cannot be written
 */
export function salvage(path: string, target: DatabaseSync): Salvaged {
  const pages = openPages(path);
  try {
    const tables = readTables(target);
    const roots = readRoots(pages, tables) ?? withoutData(rootsOfNewFile());
    const known = tables.filter(({ name }) => roots.has(name)).toSorted((a, b) => toOrder(a) - toOrder(b));
    const leaves = findLeaves(pages, [...roots.values()]);
    const copied = known.map(table => {
      target.exec('BEGIN IMMEDIATE');
      const done = copyTable(pages, leaves.of(roots.get(table.name) as number), target, table);
      target.exec('COMMIT');
      return done;
    });
    const alone = removeBodiesAlone(target);
    const results = copied.map(one => (one.table === 'results' ? { ...one, lost: Math.max(one.lost, alone) } : one));
    return { tables: results, damagedPages: leaves.damaged };
  } finally {
    pages.close();
  }
}
