/** Removes entries a few rows at a time, so that no step blocks the database for long. */
import { raw, readNumber, type SqlDatabase, type SqlRow, type Statement, sql } from '../../database/sql.ts';
import { sizeOfBuildRows } from './build-room.ts';

/** Rows per step. Freeing about 50 whole results, 5 MB of pages, takes a few milliseconds. */
const stepRows = 50;

/** Removes entries and returns their number. The caller removes the files of their artifacts. */
export async function removeEntries(database: SqlDatabase, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const [, removed = 0] = await database.write([
    sql`DELETE FROM bodies WHERE id IN (${ids})`,
    sql`DELETE FROM results WHERE id IN (${ids})`,
  ]);
  return removed;
}

/** Time of storing by the clock of the store, so that a wrong clock of a writer does not change the age of a result. */
const storedAt = raw('coalesce(stored_at, measured_at)');

const select = (condition = raw('')): Statement =>
  sql`SELECT id, bytes FROM results ${condition} ORDER BY ${storedAt}, id LIMIT ${stepRows}`;

const idOf = ([id]: SqlRow): string => String(id);

/** Removes entries in steps, and calls `onRemoved` after each step with the removed ids. */
async function removeWhile(
  database: SqlDatabase,
  next: () => Promise<readonly string[]>,
  onRemoved: (ids: readonly string[]) => Promise<void>,
): Promise<number> {
  let removed = 0;
  for (let ids = await next(); ids.length > 0; ids = await next()) {
    removed += await removeEntries(database, ids);
    await onRemoved(ids);
  }
  return removed;
}

type OnRemovedIds = (ids: readonly string[]) => Promise<void>;

const removeWhere = (database: SqlDatabase, condition: Statement, onRemoved: OnRemovedIds): Promise<number> =>
  removeWhile(database, async () => (await database.rows(select(condition))).map(idOf), onRemoved);

export const removeUrl = (database: SqlDatabase, url: string, onRemoved: OnRemovedIds): Promise<number> =>
  removeWhere(database, sql`WHERE url = ${url}`, onRemoved);

export const removeOlder = (database: SqlDatabase, beforeMs: number, onRemoved: OnRemovedIds): Promise<number> =>
  removeWhere(database, sql`WHERE ${storedAt} < ${beforeMs}`, onRemoved);

/**
 * Sets results dated more than `mostAheadMs` in the future to the current time, because they would be stored too long.
 */
export async function dateBack(database: SqlDatabase, nowMs: number, mostAheadMs: number): Promise<void> {
  const newest = await readNumber(database, sql`SELECT coalesce(max(${storedAt}), 0) FROM results`);
  if (newest > nowMs + mostAheadMs)
    await database.write([sql`UPDATE results SET stored_at = ${nowMs} WHERE ${storedAt} > ${nowMs + mostAheadMs}`]);
}

export async function readTotals(database: SqlDatabase): Promise<{ entries: number; bytes: number }> {
  const [row] = await database.rows(sql`SELECT count(*), coalesce(sum(bytes), 0) FROM results`);
  return { entries: Number(row?.[0]), bytes: Number(row?.[1]) };
}

/**
 * Returns the size that KEEP_SIZE limits: the used pages of a file, or the size of results and builds in bytes on
 * PostgreSQL.
 */
export const sizeOfStore = async (database: SqlDatabase): Promise<number> =>
  (await database.usedBytes()) ?? (await readTotals(database)).bytes + (await sizeOfBuildRows(database));

/** Removes the oldest entries until at most `keepBytes` are in use. The last step may free more than necessary. */
export async function removeExcess(database: SqlDatabase, keepBytes: number, onRemoved: OnRemovedIds): Promise<number> {
  let removed = 0;
  let excess = 0;
  const takeOldest = async () => {
    const rows = excess > 0 ? await database.rows(select()) : [];
    const taken: string[] = [];
    for (const row of rows) {
      if (excess <= 0) break;
      excess -= Number(row[1]);
      taken.push(idOf(row));
    }
    return taken;
  };
  // The used pages do not exactly match the size of the rows, so the size is measured again.
  for (let count = 1; count > 0; removed += count) {
    excess = (await sizeOfStore(database)) - keepBytes;
    count = await removeWhile(database, takeOldest, onRemoved);
  }
  return removed;
}
