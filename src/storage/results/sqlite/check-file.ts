/** Looks for damage in a database file, and changes nothing of it. */
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { isLogDamaged } from './pages.ts';

export type CheckedFile = {
  /** Rows by table; null for a table that cannot be read to its end. */
  readonly tables: readonly { table: string; rows: number | null }[];
  /** In words; empty for a sound file. */
  readonly faults: readonly string[];
};

const mostFaults = 20;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isReadable = (bytes: unknown): boolean => {
  try {
    if (bytes instanceof Uint8Array) zstdDecompressSync(bytes);
    return true;
  } catch {
    return false;
  }
};

/** SQLite does not look into bodies. */
function countDamagedBodies(database: DatabaseSync): number {
  let damaged = 0;
  for (const { summary, coding, full_result: full } of database
    .prepare('SELECT summary, coding, full_result FROM bodies')
    .iterate())
    if (!isReadable(summary) || (coding === 'zstd' && !isReadable(full))) damaged += 1;
  return damaged;
}

function attempt<T>(faults: string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    faults.push(messageOf(error));
    return undefined;
  }
}

/** @throws where the file cannot be opened at all */
export function checkFile(path: string): CheckedFile {
  const database = new DatabaseSync(path, { readOnly: true });
  const faults: string[] = [];
  try {
    if (isLogDamaged(path)) faults.push('the log (-wal) is damaged');
    const names = attempt(faults, () =>
      database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
        .all()
        .map(({ name }) => String(name)),
    );
    const tables = (names ?? []).map(table => {
      const sql = `SELECT count(*) AS rows FROM ${table} NOT INDEXED`;
      const rows = attempt(faults, () => Number(database.prepare(sql).get()?.rows));
      return { table, rows: rows ?? null };
    });
    if (names?.includes('bodies')) {
      const damaged = attempt(faults, () => countDamagedBodies(database));
      if (damaged) faults.push(`${damaged} results whose data are damaged`);
    }
    const found = attempt(faults, () => database.prepare(`PRAGMA integrity_check(${mostFaults})`).all()) ?? [];
    for (const row of found) if (Object.values(row)[0] !== 'ok') faults.push(String(Object.values(row)[0]));
    return { tables, faults: [...new Set(faults)] };
  } finally {
    database.close();
  }
}
