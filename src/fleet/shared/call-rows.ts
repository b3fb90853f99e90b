/** Statements of the limits for remote calls: slots with leases, and the times of calls in the last minute. */
import type { FleetDatabase } from '../database.ts';
import { nowMs } from '../migrations.ts';

/** Lease of a slot. Slots of a dead instance are free afterwards. */
const slotLeaseMs = 5000;
const minuteMs = 60_000;

/** Creates the rows before the first call, and again if the tables were created again. */
export async function prepareCalls({ query }: FleetDatabase, name: string, slots: number): Promise<void> {
  const sql = 'INSERT INTO call_slots (name, number) SELECT $1, generate_series(1, $2::int) ON CONFLICT DO NOTHING';
  await query(sql, [name, slots]);
  await query('INSERT INTO call_starts (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
}

/** @returns whether a slot was free */
export async function takeSlot(
  { query }: FleetDatabase,
  { name, slots, holder }: { name: string; slots: number; holder: string },
): Promise<boolean> {
  const { rowCount } = await query(
    `UPDATE call_slots SET holder = $3, expires_at = ${nowMs} + ${slotLeaseMs}
      WHERE name = $1 AND number = (SELECT number FROM call_slots
        WHERE name = $1 AND number <= $2 AND (holder IS NULL OR expires_at < ${nowMs})
        ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)`,
    [name, slots, holder],
  );
  return Number(rowCount) > 0;
}

/** Locks rows in a fixed order, because two instances could otherwise wait for each other. */
const changeHeld = (change: string): string => `
  WITH locked AS (SELECT name, number FROM call_slots WHERE holder = ANY($1) ORDER BY name, number FOR UPDATE)
  UPDATE call_slots SET ${change} FROM locked
  WHERE call_slots.name = locked.name AND call_slots.number = locked.number`;

export const renewSlots = async ({ query }: FleetDatabase, holders: readonly string[]): Promise<void> =>
  void (await query(changeHeld(`expires_at = ${nowMs} + ${slotLeaseMs}`), [holders]));

export const freeSlots = async ({ query }: FleetDatabase, holders: readonly string[]): Promise<void> =>
  void (await query(changeHeld('holder = NULL, expires_at = 0'), [holders]));

const recent = `FROM unnest(starts) AS each WHERE each > ${nowMs} - ${minuteMs}`;

/**
 * Records the start of a call, unless the last minute already contains the max number of calls. A single statement
 * ensures that simultaneous requests of two instances are served one after the other.
 * @returns the time to wait in milliseconds; 0 if the call may start
 */
export async function noteStart({ query }: FleetDatabase, name: string, ratePerMinute: number): Promise<number> {
  const { rowCount } = await query(
    `UPDATE call_starts SET starts = array_append(ARRAY(SELECT each ${recent} ORDER BY each), ${nowMs})
      WHERE name = $1 AND (SELECT count(*) ${recent}) < $2`,
    [name, ratePerMinute],
  );
  if (Number(rowCount) > 0) return 0;
  const { rows } = await query(
    `SELECT starts[cardinality(starts) - $2::int + 1] + ${minuteMs} - ${nowMs} AS wait FROM call_starts WHERE name = $1`,
    [name, ratePerMinute],
  );
  return Math.max(1, Number(rows[0]?.wait ?? 1));
}
