/**
 * Statements of requests in flight. A request is one production of a result that several instances wait for. An
 * instance locks the row to change it, so that no other one joins a request that has just ended. Locks are taken in a
 * fixed order: the state of the cache, requests by id, values.
 */
import type { FleetDatabase, Rows } from '../database.ts';

/**
 * Time without a heartbeat after which an instance is dead. Its requests are taken over, and it no longer counts as a
 * follower.
 */
const leaseMs = 5000;
/** Time during which an outcome is stored for followers. */
const outcomeMs = 30_000;
/** Overhead of a row in bytes, in addition to its value. */
const rowBytes = 256;
/** Time of the statement, in SQL. It is constant within a statement. */
const now = '(extract(epoch from statement_timestamp()) * 1000)::bigint';
const isTrue = (value: unknown): boolean => String(value) === 'true';

/** @property generation generation of the cache when it started */
export type Claimed = { id: string; generation: number };
type Claim = { id: string; name: string; owner: string };

const toClaimed = ([id, generation]: readonly unknown[]): Claimed => ({
  id: String(id),
  generation: Number(generation),
});

/** The share lock waits for a running clear, so that the claim is either before or after it. */
const insertSql = `INSERT INTO requests AS f (id, name, owner, generation, expires_at)
  SELECT ?, ?, ?, generation, ${now} + ${leaseMs} FROM cache_state FOR SHARE`;

/**
 * Joins the current request of a name, takes over that of a dead instance, or starts one. If the returned id is the
 * given one, this instance leads it.
 */
export async function claimRequest({ rows }: FleetDatabase, { id, name, owner }: Claim): Promise<Claimed> {
  const isDead = `f.expires_at < ${now}`;
  const replaced = (column: string) => `${column} = CASE WHEN ${isDead} THEN EXCLUDED.${column} ELSE f.${column} END`;
  const [row] = await rows({
    sql: `${insertSql}
      ON CONFLICT (name) WHERE is_current DO UPDATE SET
        ${['id', 'owner', 'generation', 'expires_at'].map(replaced).join(', ')},
        followers = CASE WHEN ${isDead} THEN '{}'
          ELSE f.followers || jsonb_build_object(EXCLUDED.id, EXCLUDED.expires_at) END
      RETURNING id, generation`,
    values: [id, name, owner],
  });
  if (!row) throw new Error('The state of the cache has no row.');
  return toClaimed(row);
}

/** Starts another request in place of the current one. @returns undefined if another instance was faster */
export const overtakeRequest = (
  { transaction }: FleetDatabase,
  { id, name, owner }: Claim,
): Promise<Claimed | undefined> =>
  transaction(async rows => {
    await rows({ sql: 'SELECT generation FROM cache_state FOR SHARE', values: [] });
    await rows({
      sql: 'UPDATE requests SET is_current = false WHERE name = ? AND is_current RETURNING id',
      values: [name],
    });
    const sql = `${insertSql} ON CONFLICT (name) WHERE is_current DO NOTHING RETURNING id, generation`;
    const [row] = await rows({ sql, values: [id, name, owner] });
    return row && toClaimed(row);
  });

type Ending = { id: string; name: string; ended: 'result' | 'failure'; content: Uint8Array };

/** Ends a locked row. Its outcome is stored only if an instance waits for it. */
async function endRow(rows: Rows, { id, ended, content, isKept }: Ending & { isKept: boolean }): Promise<boolean> {
  const followed = await rows({
    sql: `UPDATE requests SET is_current = false, ended = ?, is_kept = ?, outcome = ?, expires_at = ${now} + ${outcomeMs}
      WHERE id = ? AND followers <> '{}' RETURNING id`,
    values: [ended, isKept ? 't' : 'f', content, id],
  });
  if (followed.length === 0) await rows({ sql: 'DELETE FROM requests WHERE id = ?', values: [id] });
  return followed.length > 0;
}

/**
 * Ends a request, and stores its value if the request is still current. A clear, a forced request or a takeover makes
 * it outdated; all of them change the row that is locked here.
 * @property storedAtMs undefined if the value is not stored
 */
export const endRequest = (
  { transaction }: FleetDatabase,
  ending: Ending & { storedAtMs: number | undefined },
): Promise<{ isKept: boolean; isFollowed: boolean }> =>
  transaction(async rows => {
    const { id, name, content, storedAtMs } = ending;
    const [row] = await rows({ sql: 'SELECT is_current FROM requests WHERE id = ? FOR UPDATE', values: [id] });
    if (!row) return { isKept: false, isFollowed: false };
    const isKept = isTrue(row[0]) && storedAtMs !== undefined;
    if (isKept) {
      await rows({ sql: 'DELETE FROM rangelight_fleet.cached_values WHERE name = ?', values: [name] });
      await rows({
        sql: 'INSERT INTO rangelight_fleet.cached_values (name, content, stored_at, bytes) VALUES (?, ?, ?, ?)',
        values: [name, content, storedAtMs, rowBytes + content.byteLength],
      });
    }
    return { isKept, isFollowed: await endRow(rows, { ...ending, isKept }) };
  });

/** Removes a request that no other instance waits for. @returns false if one does, so that the request must continue */
export async function dropRequest({ query }: FleetDatabase, id: string, evenIfFollowed = false): Promise<boolean> {
  const { rowCount } = await query(
    `DELETE FROM requests f WHERE id = $1 AND ($2 OR NOT EXISTS
      (SELECT 1 FROM jsonb_each_text(f.followers) AS each WHERE each.value::bigint >= ${now}))`,
    [id, evenIfFollowed],
  );
  return Number(rowCount) > 0 || (await query('SELECT 1 FROM requests WHERE id = $1', [id])).rows.length === 0;
}

/** Renews the requests that an instance leads. @returns the ids of those that were overtaken */
export async function renewRequests({ query }: FleetDatabase, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await query(
    // Rows are locked in the order of their ids, because two instances could otherwise wait for each other.
    `WITH locked AS (SELECT id FROM requests WHERE id = ANY($1) ORDER BY id FOR UPDATE)
      UPDATE requests f SET expires_at = ${now} + ${leaseMs} FROM locked
      WHERE f.id = locked.id AND f.ended IS NULL RETURNING f.id, f.is_current`,
    [ids],
  );
  return rows.filter(row => row.is_current === false).map(({ id }) => String(id));
}

/** @property ended undefined while the request is in flight */
export type Followed = {
  isCurrent: boolean;
  isDead: boolean;
  generation: number;
  isKept: boolean;
  ended: 'result' | 'failure' | undefined;
  content: Uint8Array;
};

/**
 * Records that a follower is still waiting, and reads the outcome if there is one.
 * @returns undefined if the request no longer exists
 */
export async function followRequest(
  { query }: FleetDatabase,
  id: string,
  follower: string,
): Promise<Followed | undefined> {
  const { rows } = await query(
    `UPDATE requests f SET followers = f.followers || jsonb_build_object($2::text, ${now} + ${leaseMs}) WHERE f.id = $1
      RETURNING f.is_current, f.ended, f.is_kept, f.outcome, f.generation, f.expires_at < ${now} AS is_dead`,
    [id, follower],
  );
  const [row] = rows;
  if (!row) return undefined;
  return {
    isCurrent: row.is_current === true,
    isDead: row.is_dead === true,
    generation: Number(row.generation),
    isKept: row.is_kept === true,
    ended: (row.ended ?? undefined) as Followed['ended'],
    content: row.outcome as Uint8Array,
  };
}

/** Removes requests of dead instances and expired outcomes, at most 1000 per call. */
export async function sweepRequests({ query }: FleetDatabase): Promise<void> {
  await query(
    `DELETE FROM requests WHERE id IN
      (SELECT id FROM requests WHERE expires_at < ${now} - ${outcomeMs} ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
  );
}
