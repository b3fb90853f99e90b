/** Forgetting and making room, a few rows at a time: no step holds the database for long. */
import type { Row, SqlDatabase, SqlValue, Statement } from './database.ts';

/** Some 50 whole results are 5 MB of pages to free: a few milliseconds. */
const stepRows = 50;

const marks = (ids: readonly string[]): string => ids.map(() => '?').join(', ');

const toRemoval = (table: string, ids: readonly string[]): Statement => ({
  sql: `DELETE FROM ${table} WHERE id IN (${marks(ids)})`,
  values: ids,
});

/** Removes entries and returns how many there were. Their artifacts are files: that is for the caller to do. */
export async function removeEntries(database: SqlDatabase, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const [, removed = 0] = await database.write([toRemoval('bodies', ids), toRemoval('results', ids)]);
  return removed;
}

const select = (condition: string, values: readonly SqlValue[]): Statement => ({
  sql: `SELECT id, bytes FROM results ${condition} ORDER BY measured_at, id LIMIT ${stepRows}`,
  values,
});

const idOf = ([id]: Row): string => String(id);

/** Calls `onRemoved` after each step with the ids that are gone. */
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

type OnRemoved = (ids: readonly string[]) => Promise<void>;

export const removeUrl = (database: SqlDatabase, url: string, onRemoved: OnRemoved): Promise<number> =>
  removeWhile(database, async () => (await database.rows(select('WHERE url = ?', [url]))).map(idOf), onRemoved);

export const removeOlder = (database: SqlDatabase, beforeMs: number, onRemoved: OnRemoved): Promise<number> =>
  removeWhile(
    database,
    async () => (await database.rows(select('WHERE measured_at < ?', [beforeMs]))).map(idOf),
    onRemoved,
  );

export async function readTotals(database: SqlDatabase): Promise<{ entries: number; bytes: number }> {
  const [row] = await database.rows({ sql: 'SELECT count(*), coalesce(sum(bytes), 0) FROM results', values: [] });
  return { entries: Number(row?.[0]), bytes: Number(row?.[1]) };
}

/** Removes the oldest until no more than `keepBytes` are left; the last of them may free more than that needs. */
export async function removeExcess(database: SqlDatabase, keepBytes: number, onRemoved: OnRemoved): Promise<number> {
  let excess = (await readTotals(database)).bytes - keepBytes;
  const takeOldest = async () => {
    const rows = excess > 0 ? await database.rows(select('', [])) : [];
    const taken: string[] = [];
    for (const row of rows) {
      if (excess <= 0) break;
      excess -= Number(row[1]);
      taken.push(idOf(row));
    }
    return taken;
  };
  return removeWhile(database, takeOldest, onRemoved);
}
