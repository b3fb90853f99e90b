/**
 * Persistent keys and values: the `/psi` cache. They have a table of their own, so that clearing the cache does not
 * affect the results.
 */
import { readNumber, type SqlDatabase } from '../../database/sql.ts';
import type { CacheChanges, CachedValue } from '../store.ts';

const stepRows = 200;
/** Overhead of a row in bytes, in addition to its value. */
const rowBytes = 256;

const clearedThroughSql = "coalesce((SELECT value FROM store_state WHERE name = 'cache_cleared_through'), 0)";

/** Reads a value. A clear by any process takes effect at once, although it removes the rows in steps. */
export async function readValue(database: SqlDatabase, name: string): Promise<CachedValue | undefined> {
  const [row] = await database.rows({
    sql: `SELECT content, stored_at FROM cached_values WHERE name = ? AND number > ${clearedThroughSql}`,
    values: [name],
  });
  if (row === undefined) return undefined;
  const [value, storedAtMs] = row as [Uint8Array, number];
  return { value, storedAtMs };
}

const generationSql = "coalesce((SELECT value FROM store_state WHERE name = 'cache_generation'), 0)";

/** Reads the number of clears so far, and the newest 1000 values after a number, by any process. */
export async function readChanges(database: Pick<SqlDatabase, 'rows'>, afterNumber: number): Promise<CacheChanges> {
  const rows = await database.rows({
    sql: `SELECT generation, number, name, stored_at FROM (SELECT ${generationSql} AS generation) AS state
      LEFT JOIN (SELECT number, name, stored_at FROM cached_values WHERE number > ? ORDER BY number DESC LIMIT 1000)
        AS newest ON true`,
    values: [afterNumber],
  });
  const stored = rows.filter(([, number]) => number !== null);
  return {
    generation: Number(rows[0]?.[0]),
    lastNumber: Math.max(afterNumber, ...stored.map(([, number]) => Number(number))),
    stored: stored.map(([, , name, storedAtMs]) => ({ name: String(name), storedAtMs: Number(storedAtMs) })),
  };
}

/**
 * Locks the generation until the end of the transaction. Writes and clears therefore happen one after the other, and
 * numbers become visible in order.
 */
const lockGeneration = {
  sql: `INSERT INTO store_state (name, value) VALUES ('cache_generation', 0)
    ON CONFLICT (name) DO UPDATE SET value = store_state.value`,
  values: [],
};

/**
 * Writes a value under a new number, unless the cache was cleared after the given generation. The number of a value
 * written after the start of a clear is higher than those that the clear removes.
 */
export async function writeValue(
  database: SqlDatabase,
  name: string,
  value: Uint8Array,
  { storedAtMs, generation }: { storedAtMs: number; generation: number | undefined },
): Promise<void> {
  const isCurrent = generation === undefined ? '' : ` AND ${generationSql} = ?`;
  const current = generation === undefined ? [] : [generation];
  await database.write([
    lockGeneration,
    { sql: `DELETE FROM cached_values WHERE name = ?${isCurrent}`, values: [name, ...current] },
    {
      sql: `INSERT INTO cached_values (name, content, stored_at, bytes)
        SELECT ?, ?, ?, ? WHERE true${isCurrent}`,
      values: [name, value, storedAtMs, rowBytes + value.byteLength, ...current],
    },
  ]);
}

/** Removes a value. @param storedUpToMs a value that was stored later remains */
export async function removeValue(database: SqlDatabase, name: string, storedUpToMs?: number): Promise<boolean> {
  const [removed] = await database.write([
    storedUpToMs === undefined
      ? { sql: 'DELETE FROM cached_values WHERE name = ?', values: [name] }
      : { sql: 'DELETE FROM cached_values WHERE name = ? AND stored_at <= ?', values: [name, storedUpToMs] },
  ]);
  return removed !== 0;
}

/** Removes values up to a number in steps, oldest first. */
async function removeUpTo(database: SqlDatabase, lastNumber: number): Promise<number> {
  const sql = `DELETE FROM cached_values WHERE number IN
    (SELECT number FROM cached_values WHERE number <= ? ORDER BY number LIMIT ${stepRows})`;
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
  return removeUpTo(database, await readNumber(database, `SELECT ${clearedThroughSql}`));
}

export async function evictValues(
  database: SqlDatabase,
  { maxBytes, storedBeforeMs }: { maxBytes: number; storedBeforeMs: number },
): Promise<number> {
  const old = 'SELECT coalesce(max(number), 0) FROM cached_values WHERE stored_at < ?';
  const excess = `SELECT coalesce(max(number), 0) FROM
    (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS held FROM cached_values) AS newest WHERE held > ?`;
  const numbers = [await readNumber(database, old, [storedBeforeMs]), await readNumber(database, excess, [maxBytes])];
  return removeUpTo(database, Math.max(...numbers));
}
