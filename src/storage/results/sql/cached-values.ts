/**
 * Persistent keys and values: the `/psi` cache. They have a table of their own, so that clearing the cache does not
 * affect the results.
 */
import { changesOne, every, raw, readNumber, type SqlDatabase, sql } from '../../database/sql.ts';
import type { CacheChanges, CachedValue, ValueCache } from '../store.ts';

const stepRows = 200;
/** Overhead of a row in bytes, in addition to its value. */
const rowBytes = 256;

const clearedThrough = raw("coalesce((SELECT value FROM store_state WHERE name = 'cache_cleared_through'), 0)");

/** Reads a value. A clear by any process takes effect at once, although it removes the rows in steps. */
async function readValue(database: SqlDatabase, name: string): Promise<CachedValue | undefined> {
  const [row] = await database.rows(
    sql`SELECT content, stored_at FROM cached_values WHERE name = ${name} AND number > ${clearedThrough}`,
  );
  if (row === undefined) return undefined;
  const [value, storedAtMs] = row as [Uint8Array, number];
  return { value, storedAtMs };
}

const generationNow = raw("coalesce((SELECT value FROM store_state WHERE name = 'cache_generation'), 0)");

/** Reads the number of clears so far, and the newest 1000 values after a number, by any process. */
async function readChanges(database: Pick<SqlDatabase, 'rows'>, afterNumber: number): Promise<CacheChanges> {
  const rows = await database.rows(
    sql`SELECT generation, number, name, stored_at FROM (SELECT ${generationNow} AS generation) AS state
      LEFT JOIN (SELECT number, name, stored_at FROM cached_values WHERE number > ${afterNumber}
        ORDER BY number DESC LIMIT 1000) AS newest ON true`,
  );
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
const lockGeneration = sql`INSERT INTO store_state (name, value) VALUES ('cache_generation', 0)
  ON CONFLICT (name) DO UPDATE SET value = store_state.value`;

/**
 * Writes a value under a new number, unless the cache was cleared after the given generation. The number of a value
 * written after the start of a clear is higher than those that the clear removes.
 */
async function writeValue(
  database: SqlDatabase,
  name: string,
  value: Uint8Array,
  { storedAtMs, generation }: { storedAtMs: number; generation: number | undefined },
): Promise<void> {
  const isCurrent = every(generation !== undefined && sql`${generationNow} = ${generation}`);
  await database.write([
    lockGeneration,
    sql`DELETE FROM cached_values WHERE name = ${name} AND ${isCurrent}`,
    sql`INSERT INTO cached_values (name, content, stored_at, bytes)
      SELECT ${[name, value, storedAtMs, rowBytes + value.byteLength]} WHERE ${isCurrent}`,
  ]);
}

/** Removes a value. @param storedUpToMs a value that was stored later remains */
async function removeValue(database: SqlDatabase, name: string, storedUpToMs?: number): Promise<boolean> {
  const isOld = every(storedUpToMs !== undefined && sql`stored_at <= ${storedUpToMs}`);
  return changesOne(database, sql`DELETE FROM cached_values WHERE name = ${name} AND ${isOld}`);
}

/** Removes values up to a number in steps, oldest first. */
async function removeUpTo(database: SqlDatabase, lastNumber: number): Promise<number> {
  const removal = sql`DELETE FROM cached_values WHERE number IN
    (SELECT number FROM cached_values WHERE number <= ${lastNumber} ORDER BY number LIMIT ${stepRows})`;
  let total = 0;
  for (let removed = stepRows; removed === stepRows; total += removed)
    removed = (await database.write([removal]))[0] ?? 0;
  return total;
}

async function clearValues(database: SqlDatabase): Promise<number> {
  await database.write([
    sql`INSERT INTO store_state (name, value) VALUES ('cache_generation', 1)
      ON CONFLICT (name) DO UPDATE SET value = store_state.value + 1`,
    sql`INSERT INTO store_state (name, value)
      SELECT 'cache_cleared_through', coalesce(max(number), 0) FROM cached_values WHERE true
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ]);
  return removeUpTo(database, await readNumber(database, sql`SELECT ${clearedThrough}`));
}

export async function evictValues(
  database: SqlDatabase,
  { maxBytes, storedBeforeMs }: { maxBytes: number; storedBeforeMs: number },
): Promise<number> {
  const old = sql`SELECT coalesce(max(number), 0) FROM cached_values WHERE stored_at < ${storedBeforeMs}`;
  const excess = sql`SELECT coalesce(max(number), 0) FROM
    (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS held FROM cached_values) AS newest WHERE held > ${maxBytes}`;
  return removeUpTo(database, Math.max(await readNumber(database, old), await readNumber(database, excess)));
}

type Ask = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates the cache over the database of a store. The functions run its statements, and deal with their faults. */
export const createValueCache = (
  database: SqlDatabase,
  { read, write, clear, now = Date.now }: { read: Ask; write: Ask; clear: Ask; now?: () => number },
): ValueCache => ({
  get: name => read(() => readValue(database, name)).catch(() => undefined),
  set: (name, value, generation, storedAtMs = now()) =>
    write(() => writeValue(database, name, value, { storedAtMs, generation })),
  remove: (name, storedUpToMs) => write(() => removeValue(database, name, storedUpToMs)),
  readChanges: afterNumber => read(() => readChanges(database, afterNumber)),
  clear: () => clear(() => clearValues(database)),
});
