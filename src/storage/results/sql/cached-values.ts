/**
 * Persistent keys and values: the `/psi` cache. They have a table of their own, so that clearing the cache does not
 * affect the results.
 */
import { createHash } from 'node:crypto';
import type { SqlDatabase } from '../../database/sql.ts';
import type { CachedValue } from '../store.ts';

const stepRows = 200;
/** Overhead of a row in bytes, in addition to its value. */
const rowBytes = 256;

/** Hashes a key, because it may be longer than an index allows, and contains a URL that others should not read. */
const nameOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const clearedThroughSql = "coalesce((SELECT value FROM store_state WHERE name = 'cache_cleared_through'), 0)";

/** Reads a value. A clear by any process takes effect at once, although it removes the rows in steps. */
export async function readValue(database: SqlDatabase, key: string): Promise<CachedValue | undefined> {
  const [row] = await database.rows({
    sql: `SELECT content, stored_at FROM cached_values WHERE name = ? AND number > ${clearedThroughSql}`,
    values: [nameOf(key)],
  });
  if (row === undefined) return undefined;
  const [value, storedAtMs] = row as [Uint8Array, number];
  return { value, storedAtMs };
}

const generationSql = "coalesce((SELECT value FROM store_state WHERE name = 'cache_generation'), 0)";

/** Returns the number of clears so far, by any process. */
export async function readGeneration(database: Pick<SqlDatabase, 'rows'>): Promise<number> {
  const [row] = await database.rows({ sql: `SELECT ${generationSql}`, values: [] });
  return Number(row?.[0]);
}

/**
 * Writes a value under a new number. The number of a value written after the start of a clear is higher than those that
 * the clear removes. A value of an older generation is removed immediately.
 */
export async function writeValue(
  database: SqlDatabase,
  key: string,
  value: Uint8Array,
  { nowMs, generation }: { nowMs: number; generation: number | undefined },
): Promise<void> {
  const outdated = {
    sql: `DELETE FROM cached_values WHERE name = ? AND ${generationSql} <> ?`,
    values: [nameOf(key), generation ?? 0],
  };
  await database.write([
    { sql: 'DELETE FROM cached_values WHERE name = ?', values: [nameOf(key)] },
    {
      sql: 'INSERT INTO cached_values (name, content, stored_at, bytes) VALUES (?, ?, ?, ?)',
      values: [nameOf(key), value, nowMs, rowBytes + value.byteLength],
    },
    ...(generation === undefined ? [] : [outdated]),
  ]);
}

export async function removeValue(database: SqlDatabase, key: string): Promise<boolean> {
  const [removed] = await database.write([{ sql: 'DELETE FROM cached_values WHERE name = ?', values: [nameOf(key)] }]);
  return removed !== 0;
}

type Database = Pick<SqlDatabase, 'rows' | 'write'>;

/** Removes values up to a number in steps, oldest first. @param table another table with the same columns */
export async function removeUpTo(database: Database, lastNumber: number, table = 'cached_values'): Promise<number> {
  const sql = `DELETE FROM ${table} WHERE number IN
    (SELECT number FROM ${table} WHERE number <= ? ORDER BY number LIMIT ${stepRows})`;
  let total = 0;
  for (let removed = stepRows; removed === stepRows; total += removed)
    removed = (await database.write([{ sql, values: [lastNumber] }]))[0] ?? 0;
  return total;
}

export async function clearValues(database: SqlDatabase): Promise<number> {
  await database.write([
    {
      sql: `INSERT INTO store_state (name, value) VALUES ('cache_generation', 1)
        ON CONFLICT (name) DO UPDATE SET value = store_state.value + 1`,
      values: [],
    },
    {
      sql: `INSERT INTO store_state (name, value)
        SELECT 'cache_cleared_through', coalesce(max(number), 0) FROM cached_values WHERE true
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      values: [],
    },
  ]);
  const [row] = await database.rows({ sql: `SELECT ${clearedThroughSql}`, values: [] });
  return removeUpTo(database, Number(row?.[0]));
}

export async function evictValues(
  database: Database,
  { maxBytes, storedBeforeMs }: { maxBytes: number; storedBeforeMs: number },
  table = 'cached_values',
): Promise<number> {
  const [old] = await database.rows({
    sql: `SELECT coalesce(max(number), 0) FROM ${table} WHERE stored_at < ?`,
    values: [storedBeforeMs],
  });
  const [excess] = await database.rows({
    sql: `SELECT coalesce(max(number), 0) FROM
      (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS held FROM ${table}) AS newest WHERE held > ?`,
    values: [maxBytes],
  });
  return removeUpTo(database, Math.max(Number(old?.[0]), Number(excess?.[0])), table);
}

export async function sizeOfValues(database: SqlDatabase): Promise<{ entries: number; bytes: number }> {
  const [row] = await database.rows({ sql: 'SELECT count(*), coalesce(sum(bytes), 0) FROM cached_values', values: [] });
  return { entries: Number(row?.[0]), bytes: Number(row?.[1]) };
}
