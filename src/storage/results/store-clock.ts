/**
 * The clock of a store. Instances on one PostgreSQL use the clock of the database instead of their own. A file has no
 * clock: the store records the last time it saw, and doubts a clock that differs by more than a day. While the clock is
 * in doubt, no data are removed by age.
 */
import { StoreFaultError } from '../database/fault.ts';
import type { SqlDatabase, Statement } from '../database/sql.ts';
import type { StoreEvent } from './fault.ts';
import { readState, toState, toStateRemoval } from './sql/store-state.ts';

const dayMs = 24 * 60 * 60_000;
const plausibleMs = dayMs;
/**
 * Time after which a doubted clock is trusted if no other clock contradicts it, because the store was probably not in
 * use.
 */
const trustAfterMs = dayMs;
const lookEveryMs = 30_000;
const writeEveryMs = 60_000;
/** Twice the interval in which another process writes its time. */
const otherClockMs = 2 * writeEveryMs;
const differsMs = 5 * 60_000;

export type ClockDoubt = { nowMs: number; seenAtMs: number };

export type StoreClock = {
  /** Milliseconds since the epoch, by the clock of the database or, if it has none, of this process. */
  now(): number;
  /**
   * Time for a new row; undefined if the database sets it. While the clock is in doubt, it continues from the last time
   * seen.
   */
  storedAtMs(): number | undefined;
  /** Compares the clock with the last time that the store saw, without writing to the store. @throws StoreFaultError */
  look(): Promise<void>;
  /** Works like `look`, at most every 30 s, and writes the time into the store. @throws StoreFaultError */
  observe(): Promise<void>;
  /** Reason why no data are removed by age now. */
  readonly doubt: ClockDoubt | undefined;
  /**
   * Returns whether schedules and callbacks may use `now`. A doubted clock may be used after two minutes, unless
   * another process reports a different time in between. Therefore schedules continue after a long pause of the
   * service, and two clocks never compete.
   */
  mayAct(): boolean;
};

export type StoreClockParts = {
  database: SqlDatabase;
  /** The clock of this process. */
  now: () => number;
  /** Monotonic time in milliseconds. */
  monotonicMs?: (() => number) | undefined;
  onEvent: (event: StoreEvent) => void;
};

/** Result of the last check. */
type Look = {
  atMs: number;
  nowMs: number;
  seenAtMs: number;
  /**
   * Time that doubted clocks have run since the store saw its last time, in milliseconds; undefined if the clock is not
   * in doubt.
   */
  doubtedMs: number | undefined;
};

const stateNames = ['seen_at', 'doubted_at', 'doubted_ms'] as const;

/** State of the store and of the clock at one moment. */
type Seen = {
  state: Partial<Record<(typeof stateNames)[number], number>>;
  atMs: number;
  nowMs: number;
  seenAtMs: number;
};

/**
 * Ignores a fault. The time is known in memory and written later: the disk may be full, and the sweep that follows may
 * free space.
 */
const ignoreFault = (error: unknown): void => {
  if (!(error instanceof StoreFaultError)) throw error;
};

type StateTables = Pick<SqlDatabase, 'rows' | 'write' | 'nowSql'>;

/** Returns the newest time in a store that has not recorded its time yet. */
async function readNewest(database: StateTables): Promise<number | undefined> {
  const [row] = await database.rows({ sql: 'SELECT max(coalesce(stored_at, measured_at)) FROM results', values: [] });
  return typeof row?.[0] === 'number' ? row[0] : undefined;
}

async function readSeen(database: StateTables, processNow: () => number): Promise<Omit<Seen, 'atMs'>> {
  const state = await readState(database, stateNames);
  const nowMs = state.now ?? processNow();
  return { state, nowMs, seenAtMs: state.seen_at ?? (await readNewest(database)) ?? nowMs };
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= plausibleMs;

/** Returns the statements that move the dates of rows written in doubt to the time of the clock that is now trusted. */
const toBelieved = (
  { nowSql }: StateTables,
  { nowMs, seenAtMs }: Omit<Seen, 'atMs'>,
  doubtedMs: number,
): Statement[] =>
  nowSql !== undefined
    ? []
    : [
        {
          sql: `UPDATE results SET stored_at = stored_at + ? WHERE stored_at IS NOT NULL
            AND coalesce(stored_at, measured_at) >= ?
            AND EXISTS (SELECT 1 FROM store_state WHERE name = 'seen_at' AND value = ?)`,
          values: [Math.floor(nowMs - seenAtMs - doubtedMs), seenAtMs, seenAtMs],
        },
      ];

const writeSeen = (database: StateTables, nowMs: number, ...others: readonly Statement[]): Promise<unknown> =>
  database.write([...others, toState('seen_at', nowMs), toStateRemoval('doubted_at', 'doubted_ms')]);

/**
 * Trusts the clock immediately at the request of an operator, instead of after a day. No service may have opened the
 * file of the store: until its next check, it would date rows by the former time. A database with its own clock dates
 * them itself.
 * @param processNow the clock of this process; a database with its own clock ignores it
 * @returns the doubt that this ends; undefined if the clock was not in doubt
 * @throws StoreFaultError
 */
export async function trustClock(database: StateTables, processNow = Date.now): Promise<ClockDoubt | undefined> {
  const seen = await readSeen(database, processNow);
  const { state, nowMs, seenAtMs } = seen;
  if (isNear(nowMs, seenAtMs)) return undefined;
  await writeSeen(database, nowMs, ...toBelieved(database, seen, state.doubted_ms ?? 0));
  return { nowMs, seenAtMs };
}

export function createStoreClock({
  database,
  now: processNow,
  monotonicMs = () => performance.now(),
  onEvent,
}: StoreClockParts): StoreClock {
  const isShared = database.nowSql !== undefined;
  let last: Look | undefined;
  let observing: Promise<void> | undefined;
  /** Start of the time in which this process has used a doubted clock that no other clock contradicts. */
  let alone: { seenAtMs: number; sinceMs: number } | undefined;
  let comparedAtMs: number | undefined;
  let saidDoubt = false;
  let saidDifference = false;

  const expected = (look: Look): number => look.nowMs + (monotonicMs() - look.atMs);

  const noticeDifference = (nowMs: number): void => {
    const byMs = processNow() - nowMs;
    if (saidDifference || Math.abs(byMs) < differsMs) return;
    saidDifference = true;
    onEvent({ event: 'clock_differs', byMs });
  };

  const read = async (): Promise<Seen> => {
    const seen = await readSeen(database, processNow);
    return { ...seen, atMs: monotonicMs() };
  };

  const believe = (atMs: number, nowMs: number): void => {
    last = { atMs, nowMs, seenAtMs: nowMs, doubtedMs: undefined };
    alone = undefined;
  };

  async function look(): Promise<void> {
    const { state, atMs, nowMs, seenAtMs } = await read();
    if (isNear(nowMs, seenAtMs)) believe(atMs, nowMs);
    else last = { atMs, nowMs, seenAtMs, doubtedMs: state.doubted_ms ?? 0 };
  }

  const sayBelieved = (): void => {
    if (saidDoubt) onEvent({ event: 'clock_believed' });
    saidDoubt = false;
  };

  async function seePlausible({ state, atMs, nowMs, seenAtMs }: Seen): Promise<void> {
    believe(atMs, nowMs);
    const isDue = state.seen_at === undefined || Math.abs(nowMs - seenAtMs) >= writeEveryMs;
    if (isDue || state.doubted_at !== undefined) await writeSeen(database, nowMs).catch(ignoreFault);
    sayBelieved();
  }

  /** Returns how long doubted clocks have run, in milliseconds. Time that several processes have seen counts once. */
  const toDoubtedMs = ({ state, atMs, nowMs }: Seen): number => {
    const doubtedAtMs = state.doubted_at ?? nowMs;
    if (nowMs < doubtedAtMs - plausibleMs) return 0;
    const ranMs = comparedAtMs === undefined ? 0 : Math.min(atMs - comparedAtMs, Math.max(0, nowMs - doubtedAtMs));
    return (state.doubted_ms ?? 0) + ranMs;
  };

  async function seeDoubtful(seen: Seen): Promise<void> {
    const { state, atMs, nowMs, seenAtMs } = seen;
    const doubtedMs = toDoubtedMs(seen);
    last = { atMs, nowMs, seenAtMs, doubtedMs };
    if (doubtedMs >= trustAfterMs) {
      await writeSeen(database, nowMs, ...toBelieved(database, seen, doubtedMs));
      believe(atMs, nowMs);
      sayBelieved();
      return;
    }
    if (alone?.seenAtMs !== seenAtMs) alone = { seenAtMs, sinceMs: atMs };
    if (!saidDoubt) onEvent({ event: 'clock_doubted', nowMs, seenAtMs });
    saidDoubt = true;
    await database
      .write([
        ...(state.seen_at === undefined ? [toState('seen_at', seenAtMs)] : []),
        toState('doubted_at', nowMs),
        toState('doubted_ms', Math.floor(doubtedMs)),
      ])
      .catch(ignoreFault);
  }

  async function compare(): Promise<void> {
    const seen = await read();
    if (isShared) noticeDifference(seen.nowMs);
    await (isNear(seen.nowMs, seen.seenAtMs) ? seePlausible(seen) : seeDoubtful(seen));
  }

  const now = (): number => (isShared && last ? Math.round(expected(last)) : processNow());
  const isRecent = (): boolean =>
    last !== undefined &&
    comparedAtMs !== undefined &&
    monotonicMs() - comparedAtMs < lookEveryMs &&
    isNear(now(), expected(last));

  return {
    now,
    look,
    storedAtMs() {
      if (isShared) return undefined;
      const nowMs = processNow();
      if (last === undefined) return nowMs;
      if (last.doubtedMs !== undefined) return Math.floor(last.seenAtMs + last.doubtedMs + (monotonicMs() - last.atMs));
      // The clock was set after the last check.
      return isNear(nowMs, expected(last)) ? nowMs : Math.floor(expected(last));
    },
    observe() {
      if (isRecent()) return Promise.resolve();
      observing ??= compare()
        .then(() => {
          comparedAtMs = last?.atMs;
        })
        .finally(() => {
          observing = undefined;
        });
      return observing;
    },
    get doubt() {
      return last?.doubtedMs === undefined ? undefined : { nowMs: now(), seenAtMs: last.seenAtMs };
    },
    mayAct() {
      if (last === undefined) return false;
      if (last.doubtedMs === undefined) return isNear(now(), expected(last));
      return isShared || (alone !== undefined && monotonicMs() - alone.sinceMs >= otherClockMs);
    },
  };
}
