/**
 * The clock of a store. Instances on one PostgreSQL use the clock of the database instead of their own. A file has no
 * clock: the store records the last time it saw, and doubts a clock that differs by more than a day. While the clock is
 * in doubt, no data are removed by age.
 */
import { StoreFaultError } from '../database/fault.ts';
import { type SqlDatabase, sql } from '../database/sql.ts';
import type { StoreEvent } from './fault.ts';
import { readState, toState } from './sql/store-state.ts';

const dayMs = 24 * 60 * 60_000;
const plausibleMs = dayMs;
/**
 * Time after which a process trusts a doubted clock if no other process records another time, because the store was
 * probably not in use.
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
  /** Time for a new row; undefined if the database sets it. While the clock is in doubt, it is the last time seen. */
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

type StateTables = Pick<SqlDatabase, 'rows' | 'write' | 'nowSql'>;

/** Returns the newest time in a store that has not recorded its time yet. */
async function readNewest(database: StateTables): Promise<number | undefined> {
  const [row] = await database.rows(sql`SELECT max(coalesce(stored_at, measured_at)) FROM results`);
  return typeof row?.[0] === 'number' ? row[0] : undefined;
}

type SeenClock = ClockDoubt & { isRecorded: boolean };

async function readSeen(database: StateTables, processNow: () => number): Promise<SeenClock> {
  const state = await readState(database, ['seen_at']);
  const nowMs = state.now ?? processNow();
  const seenAtMs = state.seen_at ?? (await readNewest(database)) ?? nowMs;
  return { nowMs, seenAtMs, isRecorded: state.seen_at !== undefined };
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= plausibleMs;

/** Records a time that is trusted from now on. Rows written in doubt, which have the last time seen, get it, too. */
async function writeTrusted(database: StateTables, { nowMs, seenAtMs }: SeenClock): Promise<void> {
  const redate = sql`UPDATE results SET stored_at = ${Math.floor(nowMs)}
    WHERE stored_at IS NOT NULL AND coalesce(stored_at, measured_at) >= ${seenAtMs}`;
  await database.write([...(database.nowSql === undefined ? [redate] : []), toState('seen_at', nowMs)]);
}

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
  const { nowMs, seenAtMs } = seen;
  if (isNear(nowMs, seenAtMs)) return undefined;
  await writeTrusted(database, seen);
  return { nowMs, seenAtMs };
}

export function createStoreClock({
  database,
  now: processNow,
  monotonicMs = () => performance.now(),
  onEvent,
}: StoreClockParts): StoreClock {
  const isShared = database.nowSql !== undefined;
  /** Result of the last check, and the monotonic time at which it was made. */
  let last: (ClockDoubt & { atMs: number; isDoubted: boolean }) | undefined;
  let observing: Promise<void> | undefined;
  let comparedAtMs: number | undefined;
  /** Start of the time in which this process has used a doubted clock that no other process contradicts. */
  let alone: { seenAtMs: number; sinceMs: number } | undefined;
  let saidDoubt = false;
  let saidDifference = false;

  const expected = (): number | undefined => last && last.nowMs + (monotonicMs() - last.atMs);
  const now = (): number => (isShared ? Math.round(expected() ?? processNow()) : processNow());
  /** Returns whether the clock was not set since the last check. */
  const isSteady = (): boolean => last !== undefined && isNear(now(), expected() ?? 0);

  const noticeDifference = (nowMs: number): void => {
    const byMs = processNow() - nowMs;
    if (!isShared || saidDifference || Math.abs(byMs) < differsMs) return;
    saidDifference = true;
    onEvent({ event: 'clock_differs', byMs });
  };

  async function look(): Promise<SeenClock> {
    const seen = await readSeen(database, processNow);
    const { nowMs, seenAtMs } = seen;
    const isDoubted = !isNear(nowMs, seenAtMs);
    last = { nowMs, seenAtMs: isDoubted ? seenAtMs : nowMs, atMs: monotonicMs(), isDoubted };
    return seen;
  }

  const trust = (nowMs: number): void => {
    last = { nowMs, seenAtMs: nowMs, atMs: monotonicMs(), isDoubted: false };
    alone = undefined;
    if (saidDoubt) onEvent({ event: 'clock_believed' });
    saidDoubt = false;
  };

  async function compare(): Promise<void> {
    const seen = await look();
    const { nowMs, seenAtMs, isRecorded } = seen;
    comparedAtMs = monotonicMs();
    noticeDifference(nowMs);
    if (last?.isDoubted) {
      if (alone?.seenAtMs !== seenAtMs) alone = { seenAtMs, sinceMs: comparedAtMs };
      if (!saidDoubt) onEvent({ event: 'clock_doubted', nowMs, seenAtMs });
      saidDoubt = true;
      if (comparedAtMs - alone.sinceMs < trustAfterMs) return;
      await writeTrusted(database, seen);
    } else if (!isRecorded || Math.abs(nowMs - seenAtMs) >= writeEveryMs) {
      // The time is written later if the disk is full: the sweep that follows may free space.
      await database.write([toState('seen_at', nowMs)]).catch(error => {
        if (!(error instanceof StoreFaultError)) throw error;
      });
    }
    trust(nowMs);
  }

  return {
    now,
    async look() {
      await look();
    },
    storedAtMs() {
      if (isShared) return undefined;
      if (last?.isDoubted) return last.seenAtMs;
      return isSteady() ? processNow() : Math.floor(expected() ?? processNow());
    },
    observe() {
      if (comparedAtMs !== undefined && monotonicMs() - comparedAtMs < lookEveryMs && isSteady())
        return Promise.resolve();
      observing ??= compare().finally(() => {
        observing = undefined;
      });
      return observing;
    },
    get doubt() {
      return last?.isDoubted ? { nowMs: now(), seenAtMs: last.seenAtMs } : undefined;
    },
    mayAct() {
      if (!last?.isDoubted) return isSteady();
      return isShared || (alone !== undefined && monotonicMs() - alone.sinceMs >= otherClockMs);
    },
  };
}
