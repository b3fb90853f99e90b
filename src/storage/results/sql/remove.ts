/** Forgetting and making room, a few rows at a time: no step holds the database for long. */
import type { Row, SqlDatabase, SqlValue, Statement } from '../../database/sql.ts';

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

/** The time of the store at which a result came: a writer whose clock is wrong makes no result older or younger. */
const storedAt = 'coalesce(stored_at, measured_at)';

const select = (condition: string, values: readonly SqlValue[]): Statement => ({
  sql: `SELECT id, bytes FROM results ${condition} ORDER BY ${storedAt}, id LIMIT ${stepRows}`,
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
    async () => (await database.rows(select(`WHERE ${storedAt} < ?`, [beforeMs]))).map(idOf),
    onRemoved,
  );

/** Results of a time that has not come: they would never be old. From now on they age like new ones. */
export async function dateBack(database: SqlDatabase, nowMs: number, mostAheadMs: number): Promise<void> {
  const [row] = await database.rows({ sql: `SELECT max(${storedAt}) FROM results`, values: [] });
  if (Number(row?.[0] ?? 0) <= nowMs + mostAheadMs) return;
  const sql = `UPDATE results SET stored_at = ? WHERE ${storedAt} > ?`;
  await database.write([{ sql, values: [nowMs, nowMs + mostAheadMs] }]);
}

export async function readTotals(database: SqlDatabase): Promise<{ entries: number; bytes: number }> {
  const [row] = await database.rows({ sql: 'SELECT count(*), coalesce(sum(bytes), 0) FROM results', values: [] });
  return { entries: Number(row?.[0]), bytes: Number(row?.[1]) };
}

/** What KEEP_SIZE counts: the pages of a file that are in use, whatever is in them; of PostgreSQL what its rows hold. */
const sizeOfStore = async (database: SqlDatabase): Promise<number> =>
  (await database.usedBytes()) ?? (await readTotals(database)).bytes;

/** Removes the oldest until no more than `keepBytes` are in use; the last of them may free more than that needs. */
export async function removeExcess(database: SqlDatabase, keepBytes: number, onRemoved: OnRemoved): Promise<number> {
  let removed = 0;
  let excess = 0;
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
  // Pages are not quite what their rows say: what is left is measured again.
  for (let count = 1; count > 0; removed += count) {
    excess = (await sizeOfStore(database)) - keepBytes;
    count = await removeWhile(database, takeOldest, onRemoved);
  }
  return removed;
}
