/** That this instance is there, which others are, and whether the database can be reached: told every few seconds. */

import type { FleetDatabase } from './database.ts';
import { nowMs } from './migrations.ts';
import { leaseMs } from './queue/job.ts';

export type Role = 'all' | 'api' | 'worker';

/** Of the whole fleet, as the database said last. */
export type FleetView = {
  isReachable: boolean;
  instances: number;
  /** Audits that can run at once, on all machines that take jobs of this queue. */
  slots: number;
  waiting: number;
  running: number;
};

export type Membership = {
  view(): FleetView;
  /** Since the database last answered. */
  silentForMs(): number;
  /** Calls back after each answer of the database. Must not throw. */
  onContact(handler: () => void): void;
  /** Something failed for want of the database: it is tried at once, and then every second until it answers. */
  suspect(): void;
  /** Settles after the first try. */
  start(): Promise<void>;
  /** Says goodbye, so that nobody has to wait until this instance counts as dead. */
  close(): Promise<void>;
};

export type MembershipSettings = {
  id: string;
  role: Role;
  version: string;
  queue: string;
  slots: number;
  /** How long an audit holds its slot here; undefined before the first one. */
  stayMs: () => number | undefined;
  /** Removes what dead instances have left behind. */
  removeDead: (ids: readonly string[]) => Promise<void>;
  /** Gives audits of lost workers to others. */
  giveBackLost: () => Promise<void>;
  onState: (state: 'reachable' | 'gone', error?: unknown) => void;
};

const beatMs = 3_000;
const retryMs = 1_000;

/** One statement: a sign of life, and what the fleet looks like. */
const beatSql = `
  WITH beat AS (
    INSERT INTO instances (id, role, version, queue, slots, stay_ms, seen_at) VALUES ($1, $2, $3, $4, $5, $6, ${nowMs})
    ON CONFLICT (id) DO UPDATE SET stay_ms = excluded.stay_ms, slots = excluded.slots, seen_at = excluded.seen_at
  ), others AS (
    SELECT *, seen_at > ${nowMs} - ${leaseMs} AS is_alive FROM instances WHERE id <> $1
  )
  SELECT 1 + (SELECT count(*) FROM others WHERE is_alive) AS instances,
    $5::int + (SELECT coalesce(sum(slots), 0) FROM others WHERE is_alive AND queue = $4) AS slots,
    (SELECT count(*) FROM audits WHERE queue = $4 AND worker IS NULL) AS waiting,
    (SELECT count(*) FROM audits WHERE queue = $4 AND worker IS NOT NULL AND outcome IS NULL) AS running,
    (SELECT count(*) FROM audits WHERE queue = $4 AND worker IS NOT NULL AND outcome IS NULL
      AND lease_until < ${nowMs}) AS lost,
    (SELECT array_agg(id) FROM others WHERE NOT is_alive) AS dead`;

export function createMembership(database: Pick<FleetDatabase, 'query'>, settings: MembershipSettings): Membership {
  const { id, role, version, queue, slots, stayMs, removeDead, giveBackLost, onState } = settings;
  const handlers: (() => void)[] = [];
  let view: FleetView = { isReachable: false, instances: 0, slots: 0, waiting: 0, running: 0 };
  let lastContact = performance.now();
  /** Who was away itself does not know who else is dead. */
  let inContactSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | undefined;
  let isClosed = false;

  async function contact(at: number): Promise<void> {
    const { rows } = await database.query(beatSql, [id, role, version, queue, slots, stayMs() ?? null]);
    const { dead, lost, ...counts } = rows[0] as Omit<FleetView, 'isReachable'> & {
      dead: string[] | null;
      lost: number;
    };
    if (!view.isReachable) onState('reachable');
    view = { isReachable: true, ...counts };
    // A process that was stopped for a while has missed signs of life, too.
    const wasAway = at - lastContact > leaseMs / 2;
    lastContact = at;
    inContactSince = wasAway ? at : (inContactSince ?? at);
    if (lost > 0) await giveBackLost();
    if (dead && at - inContactSince > leaseMs) await removeDead(dead);
  }

  async function beat(): Promise<void> {
    try {
      await contact(performance.now());
      for (const handler of handlers) handler();
    } catch (error) {
      if (view.isReachable) onState('gone', error);
      view = { ...view, isReachable: false };
      inContactSince = undefined;
    }
  }

  const next = (): void => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(run, view.isReachable ? beatMs : retryMs).unref();
  };

  const run = (): void => {
    clearTimeout(timer);
    beating ??= beat().finally(() => {
      beating = undefined;
      next();
    });
  };

  return {
    view: () => view,
    silentForMs: () => performance.now() - lastContact,
    onContact: handler => void handlers.push(handler),
    suspect: run,
    async start() {
      run();
      await beating;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await beating;
      // Nobody waits for a database that is away: the others find out.
      if (view.isReachable) await database.query('DELETE FROM instances WHERE id = $1', [id]).catch(() => {});
    },
  };
}
