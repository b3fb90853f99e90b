/**
 * The statements of requests. A request is one production that several instances wait for. Its row is locked by the
 * instance that changes it, so that nobody joins a request that has just ended. Locks are taken in one order: the state
 * of the cache, requests by their id, values.
 */
import type { FleetDatabase, Rows } from '../../database.ts';

/** Without a sign of life for so long an instance counts as dead, and its requests are taken over. */
export const leaseMs = 5000;
/** For followers to fetch the outcome. */
const outcomeMs = 30_000;
/** Of the statement: within one statement it does not move. */
const now = '(extract(epoch from statement_timestamp()) * 1000)::bigint';

export type Claimed = { id: string; generation: number };
export type Outcome = { ended: 'result' | 'failure'; isKept: boolean; content: Uint8Array; generation: number };

const toClaimed = ([id, generation]: readonly unknown[]): Claimed => ({
  id: String(id),
  generation: Number(generation),
});

type Claim = { id: string; name: string; owner: string };

/** The share lock makes it wait for a clear: what is claimed began after it. */
const insert = `INSERT INTO requests AS f (id, name, owner, generation, expires_at)
  SELECT ?, ?, ?, generation, ${now} + ${leaseMs} FROM cache_state FOR SHARE`;

/** Joins the current request of a name, takes over that of a dead instance, or begins one: then the id is ours. */
export async function claimRequest(database: FleetDatabase, { id, name, owner }: Claim): Promise<Claimed> {
  const isDead = `f.expires_at < ${now}`;
  const replaced = (column: string) => `${column} = CASE WHEN ${isDead} THEN EXCLUDED.${column} ELSE f.${column} END`;
  const [row] = await database.rows({
    sql: `${insert}
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

/** Begins one of our own beside the current one, which is overtaken. @returns undefined where another was faster */
export const overtakeRequest = (
  database: FleetDatabase,
  { id, name, owner }: Claim,
): Promise<{ claimed: Claimed; overtaken: readonly string[] } | undefined> =>
  database.transaction(async rows => {
    await rows({ sql: 'SELECT generation FROM cache_state FOR SHARE', values: [] });
    const overtaken = await rows({
      sql: 'UPDATE requests SET is_current = false WHERE name = ? AND is_current RETURNING id',
      values: [name],
    });
    const [row] = await rows({
      sql: `${insert} ON CONFLICT (name) WHERE is_current DO NOTHING RETURNING id, generation`,
      values: [id, name, owner],
    });
    return row && { claimed: toClaimed(row), overtaken: overtaken.map(([other]) => String(other)) };
  });

type Ending = { id: string; name: string; ended: 'result' | 'failure'; content: Uint8Array };

/** With the row locked. @returns whether there are followers */
async function endRow(rows: Rows, { id, ended, content, isKept }: Ending & { isKept: boolean }): Promise<boolean> {
  const followed = await rows({
    sql: `UPDATE requests SET is_current = false, ended = ?, is_kept = ?, outcome = ?, expires_at = ${now} + ${outcomeMs}
      WHERE id = ? AND followers <> '{}' RETURNING id`,
    values: [ended, isKept ? 't' : 'f', content, id],
  });
  if (followed.length > 0) return true;
  await rows({ sql: 'DELETE FROM requests WHERE id = ?', values: [id] });
  return false;
}

/**
 * Ends a request, and stores its value where it is still the current one: a clear, a forced request and another instance
 * that took over make it none. All of them change the row that is locked here.
 */
export const endRequest = (
  database: FleetDatabase,
  ending: Ending & { storedAtMs: number | undefined },
): Promise<{ isKept: boolean; isFollowed: boolean }> =>
  database.transaction(async rows => {
    const { id, name, content, storedAtMs } = ending;
    const [row] = await rows({ sql: 'SELECT is_current FROM requests WHERE id = ? FOR UPDATE', values: [id] });
    if (!row) return { isKept: false, isFollowed: false };
    const isKept = row[0] !== null && String(row[0]) === 'true' && storedAtMs !== undefined;
    if (isKept) {
      await rows({ sql: 'DELETE FROM cached_values WHERE name = ?', values: [name] });
      await rows({
        sql: 'INSERT INTO cached_values (name, content, stored_at, bytes) VALUES (?, ?, ?, ?)',
        values: [name, content, storedAtMs, rowBytes + content.byteLength],
      });
    }
    return { isKept, isFollowed: await endRow(rows, { ...ending, isKept }) };
  });

/** What a row takes beside its value. */
const rowBytes = 256;

/** Ends a request that nobody on other instances waits for. @returns false where somebody does */
export async function dropRequest(database: FleetDatabase, id: string, evenIfFollowed = false): Promise<boolean> {
  const { rowCount } = await database.query(
    `DELETE FROM requests f WHERE id = $1 AND ($2 OR NOT EXISTS
      (SELECT 1 FROM jsonb_each_text(f.followers) AS each WHERE each.value::bigint >= ${now}))`,
    [id, evenIfFollowed],
  );
  if (Number(rowCount) > 0) return true;
  const { rows } = await database.query('SELECT 1 FROM requests WHERE id = $1', [id]);
  return rows.length === 0;
}

export async function leaveRequest(database: FleetDatabase, id: string, follower: string): Promise<void> {
  await database.query('UPDATE requests SET followers = followers - $2::text WHERE id = $1', [id, follower]);
}

/** In the order of their ids, or two instances could wait for each other. */
const locked = 'locked AS (SELECT id FROM requests WHERE id = ANY($1) ORDER BY id FOR UPDATE)';

export type Seen = { id: string; isCurrent: boolean; hasEnded: boolean; isDead: boolean };
const toSeen = (row: Record<string, unknown>): Seen => ({
  id: String(row.id),
  isCurrent: row.is_current === true,
  hasEnded: row.ended !== null,
  isDead: row.is_dead === true,
});
const seen = `f.id, f.is_current, f.ended, f.expires_at < ${now} AS is_dead`;

/** The sign of life of what an instance leads. */
export async function renewRequests(database: FleetDatabase, ids: readonly string[]): Promise<readonly Seen[]> {
  const { rows } = await database.query(
    `WITH ${locked} UPDATE requests f SET expires_at = ${now} + ${leaseMs} FROM locked
      WHERE f.id = locked.id AND f.ended IS NULL RETURNING ${seen}`,
    [ids],
  );
  return rows.map(toSeen);
}

/** Says that we still wait, and looks how it stands. @param followers in the order of the ids */
export async function lookAtRequests(
  database: FleetDatabase,
  ids: readonly string[],
  followers: readonly string[],
): Promise<readonly Seen[]> {
  const { rows } = await database.query(
    `WITH ${locked}, waiting AS
        (SELECT id, jsonb_object_agg(follower, ${now} + ${leaseMs}) AS followers
          FROM unnest($1::text[], $2::text[]) AS each (id, follower) GROUP BY id)
      UPDATE requests f SET followers = f.followers || waiting.followers FROM locked JOIN waiting USING (id)
      WHERE f.id = locked.id RETURNING ${seen}`,
    [ids, followers],
  );
  return rows.map(toSeen);
}

/** Undefined where it has not ended, or is gone. */
export async function readOutcome(database: FleetDatabase, id: string): Promise<Outcome | undefined> {
  const { rows } = await database.query(
    'SELECT ended, is_kept, outcome, generation FROM requests WHERE id = $1 AND ended IS NOT NULL',
    [id],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { ended, is_kept: isKept, outcome, generation } = row;
  return {
    ended: ended === 'result' ? 'result' : 'failure',
    isKept: isKept === true,
    content: outcome as Uint8Array,
    generation: Number(generation),
  };
}

/** Of instances that died, and outcomes that were fetched. */
export async function sweepRequests(database: FleetDatabase): Promise<void> {
  await database.query(
    `DELETE FROM requests WHERE id IN
      (SELECT id FROM requests WHERE expires_at < ${now} - ${outcomeMs} ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
  );
}
