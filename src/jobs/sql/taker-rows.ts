/** What instances take, as rows: instances that take the same share one. */
import { createHash } from 'node:crypto';
import type { SqlDatabase, Statement } from '../../storage/database/sql.ts';
import type { Published, Takers } from '../takes.ts';

const toId = (takes: Published): string => createHash('sha256').update(JSON.stringify(takes)).digest('base64url');

/** It is there, or gone: then others with the same soon say that they are there. */
export const toTaker = (takes: Published, seenAtMs: number): Statement => ({
  sql: `INSERT INTO job_takers (id, targets, takes, seen_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
  values: [toId(takes), takes.targets, JSON.stringify(takes), seenAtMs],
});

/** @param silentMs one that was not heard of for so long, or whose clock is as far ahead, does not run */
export async function readTakers(
  database: SqlDatabase,
  { own, nowMs, silentMs }: { own: Published; nowMs: number; silentMs: number },
): Promise<Takers> {
  const rows = await database.rows({ sql: 'SELECT targets, takes, seen_at FROM job_takers', values: [] });
  const running = rows.filter(([, , seenAtMs]) => Math.abs(Number(seenAtMs) - nowMs) <= silentMs);
  return {
    running: [own, ...running.map(([, takes]) => JSON.parse(String(takes)) as Published)],
    targets: rows.map(([targets]) => String(targets)),
  };
}
