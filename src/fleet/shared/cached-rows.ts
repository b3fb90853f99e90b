/**
 * Statements of the shared cache. Values are stored when a request ends: request-rows.ts. The statements name the
 * schema, because the store of results has a table of the same name.
 */

import type { SqlDatabase } from '../../storage/database/sql.ts';
import { removeUpTo } from '../../storage/results/sql/cached-values.ts';
import type { FleetDatabase } from '../database.ts';

export const sharedValues = 'rangelight_fleet.cached_values';

const generationOf = (value: unknown): number => Number(value ?? 0);

export type Read = { generation: number; content: Uint8Array | undefined };

/** Reads a value and the generation in one statement, so that no clear can happen in between. */
export async function readCached(database: FleetDatabase, name: string): Promise<Read> {
  const [row] = await database.rows({
    sql: `SELECT generation, content FROM cache_state
      LEFT JOIN rangelight_fleet.cached_values ON name = ? AND number > cleared_through`,
    values: [name],
  });
  const content = row?.[1];
  return { generation: generationOf(row?.[0]), content: content instanceof Uint8Array ? content : undefined };
}

/** Removes a value, unless a newer one was stored. */
export async function removeCached(database: FleetDatabase, name: string, storedAtMs: number): Promise<void> {
  await database.rows({
    sql: 'DELETE FROM rangelight_fleet.cached_values WHERE name = ? AND stored_at <= ?',
    values: [name, storedAtMs],
  });
}

/**
 * Clears the cache. Results of requests that started before it are not stored, because they are outdated. The clear
 * waits for requests that are being stored. Old values are ignored immediately, even if their removal takes long.
 */
export const clearCached = (database: FleetDatabase): Promise<{ generation: number; cleared: number }> =>
  database.transaction(async rows => {
    const [state] = await rows({
      sql: 'UPDATE cache_state SET generation = generation + 1 RETURNING generation, cleared_through',
      values: [],
    });
    await rows({
      sql: `WITH locked AS (SELECT id FROM requests WHERE is_current ORDER BY id FOR UPDATE)
        UPDATE requests SET is_current = false FROM locked WHERE requests.id = locked.id`,
      values: [],
    });
    const [held] = await rows({
      sql: 'SELECT count(*), max(number) FROM rangelight_fleet.cached_values WHERE number > ?',
      values: [Number(state?.[1])],
    });
    await rows({
      sql: 'UPDATE cache_state SET cleared_through = greatest(cleared_through, ?::bigint)',
      values: [Number(held?.[1] ?? 0)],
    });
    return { generation: generationOf(state?.[0]), cleared: Number(held?.[0]) };
  });

/** Removes cleared values in steps, because there may be very many of them. */
export async function removeCleared(database: FleetDatabase): Promise<void> {
  const [row] = await database.rows({ sql: 'SELECT cleared_through FROM cache_state', values: [] });
  await removeUpTo(asSqlDatabase(database), Number(row?.[0] ?? 0), sharedValues);
}

export type Stored = { number: number; name: string; storedAtMs: number };

/** Reads the generation, and the newest 1000 values stored after a number, at each beat. */
export async function readNews(
  database: FleetDatabase,
  afterNumber: number,
): Promise<{ generation: number; stored: readonly Stored[] }> {
  const rows = await database.rows({
    sql: `SELECT generation, number, name, stored_at FROM cache_state LEFT JOIN
      (SELECT number, name, stored_at FROM rangelight_fleet.cached_values WHERE number > ? ORDER BY number DESC LIMIT 1000) AS news
      ON true`,
    values: [afterNumber],
  });
  return {
    generation: generationOf(rows[0]?.[0]),
    stored: rows.flatMap(([, number, name, storedAtMs]) =>
      number === null || number === undefined
        ? []
        : [{ number: Number(number), name: String(name), storedAtMs: Number(storedAtMs) }],
    ),
  };
}

/** Adapts the database for the result store's queries, which then use the table of the same name. */
export const asSqlDatabase = (database: FleetDatabase): Pick<SqlDatabase, 'rows' | 'write'> => ({
  rows: database.rows,
  write: statements =>
    database.transaction(async rows => {
      const changed: number[] = [];
      for (const { sql, values } of statements)
        changed.push((await rows({ sql: `${sql} RETURNING 1`, values })).length);
      return changed;
    }),
});
