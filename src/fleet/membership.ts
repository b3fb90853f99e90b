/**
 * Sends heartbeats of this instance, and reads which other instances are alive, with one statement every few seconds.
 */

import { hostname } from 'node:os';
import { beatMs } from '../storage/database/availability.ts';
import { nowMs } from './migrations.ts';
import type { FleetContext } from './queue/context.ts';
import { leaseMs, type Notice, toTopic } from './queue/messages.ts';
import { giveBackLost, isOfDead, removeDeadInstances } from './queue/statements.ts';

export type Role = 'all' | 'api' | 'worker';

/** State of the whole fleet in the latest answer of the database. */
export type FleetView = {
  isReachable: boolean;
  instances: number;
  /** Number of slots for parallel audits, on all machines that take jobs of this queue. */
  slots: number;
  waiting: number;
  running: number;
  /** Names of the keys with which machines of this queue can open accesses. */
  accessKeys: readonly string[];
  /** The instances that are alive, this one first. */
  members: readonly Member[];
};

type Member = {
  /** Host name; null if the version of the instance does not report it. */
  name: string | null;
  role: Role;
  version: string;
  /** Number of slots; 0 if the instance does not audit. */
  slots: number;
  running: number;
};

/** Attempts of audits by their ids. */
export type OwnedAudits = Readonly<Record<string, number>>;

export type Membership = {
  view(): FleetView;
  /** Returns the time since the last confirmed heartbeat, in milliseconds. */
  silentForMs(): number;
  /** Resolves after the first heartbeat, or after its failure. */
  start(): Promise<void>;
  /** Removes this instance, so that others need not wait until it counts as dead. */
  close(): Promise<void>;
};

type MembershipHooks = {
  /** Returns how long an audit usually occupies its slot here, in milliseconds; undefined before the first audit. */
  stayMs: () => number | undefined;
  /** Called before each heartbeat. The returned function gets the audits that this instance still owns. */
  beforeBeat: () => (owned: OwnedAudits) => void;
  /**
   * Called after each heartbeat that the database answered, with the ids of all instances, except those found dead. Must
   * not throw.
   */
  onContact: (known: readonly string[]) => void;
};

const signOfLifeMs = 3_000;

type BeatFacts = { dead: string[] | null; lost: number; owned: OwnedAudits; known: string[] };

/** Sends a heartbeat and reads the state of the fleet, in one statement. */
const beatSql = `
  WITH beat AS (
    INSERT INTO instances (id, role, version, queue, slots, stay_ms, name, access_keys, seen_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${nowMs})
    ON CONFLICT (id) DO UPDATE SET stay_ms = excluded.stay_ms, slots = excluded.slots, seen_at = excluded.seen_at
  ), others AS (
    SELECT *, seen_at > ${nowMs} - ${leaseMs} AS is_alive FROM instances WHERE id <> $1
  ), members AS (
    SELECT 0 AS place, $1 AS id, $7 AS name, $2 AS role, $3 AS version, $5::int AS slots
    UNION ALL SELECT 1, id, name, role, version, slots FROM others WHERE is_alive
  ), busy AS (
    SELECT worker, count(*) AS running FROM audits WHERE outcome IS NULL GROUP BY worker
  )
  SELECT 1 + (SELECT count(*) FROM others WHERE is_alive) AS instances,
    $5::int + (SELECT coalesce(sum(slots), 0) FROM others WHERE is_alive AND queue = $4) AS slots,
    (SELECT count(*) FROM audits WHERE queue = $4 AND worker IS NULL) AS waiting,
    (SELECT count(*) FROM audits WHERE queue = $4 AND worker IS NOT NULL AND outcome IS NULL) AS running,
    (SELECT count(*) FROM audits WHERE queue = $4 AND outcome IS NULL AND ${isOfDead}) AS lost,
    (SELECT coalesce(json_object_agg(id, attempt), '{}') FROM audits WHERE worker = $1 AND outcome IS NULL) AS owned,
    array(SELECT $1 UNION ALL SELECT id FROM others) AS known,
    $8::text[] || (SELECT coalesce(array_agg(key), '{}') FROM others, unnest(access_keys) AS key
      WHERE is_alive AND queue = $4) AS "accessKeys",
    (SELECT json_agg(json_build_object('name', name, 'role', role, 'version', version, 'slots', slots,
      'running', coalesce(running, 0)) ORDER BY place, name, id)
      FROM members LEFT JOIN busy ON worker = id) AS members,
    (SELECT array_agg(id) FROM others WHERE NOT is_alive) AS dead`;

export function createMembership(
  { database, notices, instance: id, role, version, queueName: queue, slots, pool, vault }: FleetContext,
  { stayMs, beforeBeat, onContact }: MembershipHooks,
): Membership {
  const { availability } = database;
  const own = pool ? { slots, keys: vault?.keyIds ?? [] } : { slots: 0, keys: [] };
  const facts = [id, role, version, queue, own.slots];

  /** Removes the rows of dead instances, and cancels what they have requested. */
  async function removeDead(ids: readonly string[]): Promise<void> {
    for (const { id: job, worker } of await removeDeadInstances(database, ids))
      if (worker !== null) void notices.publish(toTopic(worker), { job, event: 'cancelled' } satisfies Notice);
  }

  let counts: Omit<FleetView, 'isReachable'> = {
    ...{ instances: 0, slots: 0, waiting: 0, running: 0 },
    ...{ accessKeys: [], members: [] },
  };
  let contactAt = Number.NEGATIVE_INFINITY;
  /**
   * Start of the current contact with the database. An instance that was disconnected does not know which others are
   * dead.
   */
  let inContactSince = Number.NEGATIVE_INFINITY;

  async function giveOnce(): Promise<void> {
    const at = performance.now();
    const judge = beforeBeat();
    const { rows } = await availability.askAnyway(() =>
      database.query(beatSql, [...facts, stayMs() ?? null, hostname(), own.keys]),
    );
    const { dead, lost, owned, known, ...found } = rows[0] as typeof counts & BeatFacts;
    counts = found;
    // A process that was paused has also missed heartbeats of others.
    if (at - contactAt > leaseMs / 2) inContactSince = at;
    contactAt = at;
    judge(owned);
    onContact(known);
    if (at - inContactSince <= leaseMs) return;
    // Audits of lost workers go to other ones.
    if (lost > 0) await giveBackLost(database, queue);
    if (dead) await removeDead(dead);
  }

  let giving: Promise<void> | undefined;
  const giveSignOfLife = (): Promise<void> => {
    giving ??= giveOnce().finally(() => {
      giving = undefined;
    });
    return giving;
  };

  const stops = [
    availability.onBeat(async () => {
      if (performance.now() - contactAt >= signOfLifeMs - beatMs / 2) await giveSignOfLife();
    }),
    availability.onChange(isThere => {
      if (isThere) giveSignOfLife().catch(() => {});
    }),
  ];

  return {
    silentForMs: () => performance.now() - contactAt,
    view: () => ({ isReachable: availability.isThere && contactAt > 0, ...counts }),
    start: () => giveSignOfLife().catch(() => {}),
    async close() {
      for (const stop of stops) stop();
      await giving?.catch(() => {});
      // Closing does not wait for an unavailable database, because the other instances notice the missing heartbeats.
      if (availability.isThere) await database.query('DELETE FROM instances WHERE id = $1', [id]).catch(() => {});
    },
  };
}
