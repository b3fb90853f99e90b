/** Checks a database file for damage, without changing it. */

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { StoreFaultError } from '../../database/fault.ts';
import type { Salvaged } from '../fault.ts';
import { createFile, endings } from './connection.ts';
import { salvage } from './salvage.ts';

/* Replaces a damaged file with a new one that contains all readable rows. The damaged file remains next to it. */

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const removeFile = (path: string): void => {
  for (const ending of [...endings, '-journal']) rmSync(path + ending, { force: true });
};

/** @throws StoreFaultError of code `disk_full` */
function assertRoom(path: string): void {
  const needed = sizeOf(path) + sizeOf(`${path}-wal`);
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < needed)
    throw new StoreFaultError('disk_full', 'The disk has no room for a repaired copy of the damaged database.');
}

/** Renames the damaged file, and returns its new path. */
function moveAside(path: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const target = `${path.replace(/\.sqlite$/, '')}.corrupt-${stamp}.sqlite`;
  for (const ending of endings) if (existsSync(path + ending)) renameSync(path + ending, target + ending);
  return target;
}

const syncFile = (path: string): void => {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
};

type Replaced = { readonly aside: string; readonly salvaged: Salvaged };

/**
 * Replaces the damaged file. Returns undefined if the file is missing or empty. No other process may write to the file
 * in the meantime.
 * @throws if the disk has no room, or the folder cannot be written; in which case nothing was changed
 */
export function replaceDamagedFile(path: string, nowMs: number): Replaced | undefined {
  if (sizeOf(path) === 0) return undefined;
  assertRoom(path);
  const copy = `${path}.salvaged-${process.pid}`;
  removeFile(copy);
  try {
    const target = createFile(copy);
    let salvaged: Salvaged;
    try {
      salvaged = salvage(path, target);
      target.exec('PRAGMA journal_mode = WAL');
    } finally {
      target.close();
    }
    syncFile(copy);
    const aside = moveAside(path, nowMs);
    renameSync(copy, path);
    return { aside, salvaged };
  } catch (error) {
    removeFile(copy);
    throw error;
  }
}

export type CheckedFile = {
  /** Rows by table; null for a table that cannot be read completely. */
  readonly tables: readonly { table: string; rows: number | null }[];
  /** Descriptions of the faults; empty for an intact file. */
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

/** Counts damaged bodies, which SQLite's own check does not examine. */
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

/** @throws if the file cannot be opened */
export function checkFile(path: string): CheckedFile {
  const database = new DatabaseSync(path, { readOnly: true });
  const faults: string[] = [];
  try {
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
