/**
 * Limits on the age and size of stored data. They are in the store, so that all processes that sweep it use the same
 * limits.
 */
import { type SqlDatabase, sql } from '../database/sql.ts';
import { readState, toState } from './sql/store-state.ts';

const megabyte = 1_000_000;

export type SweepBounds = {
  /** Days; zero removes everything older than the current time. */
  keepDays: number;
  keepBytes: number;
  keepArtifactBytes: number;
};

/** Default limits of a store. */
export const usualBounds: SweepBounds = { keepDays: 90, keepBytes: 2048 * megabyte, keepArtifactBytes: 512 * megabyte };

const names = { keepDays: 'keep_days', keepBytes: 'keep_bytes', keepArtifactBytes: 'keep_artifact_bytes' } as const;
const keys = Object.keys(names) as (keyof SweepBounds)[];

export async function readBounds(database: SqlDatabase): Promise<SweepBounds> {
  const state = await readState(database, Object.values(names));
  const stored = keys.map(key => [key, state[names[key]] ?? usualBounds[key]]);
  return Object.fromEntries(stored) as SweepBounds;
}

/** Limits in the settings of a service. Undefined ones are not changed in the store. */
export type WantedBounds = { readonly [Key in keyof SweepBounds]?: SweepBounds[Key] | undefined };

export type BoundChange = { bound: keyof SweepBounds; from: number; to: number };

/** Stores the limits. @returns those that changed */
export async function writeBounds(database: SqlDatabase, wanted: WantedBounds): Promise<BoundChange[]> {
  const former = await readBounds(database);
  const set = keys.flatMap(bound => {
    const to = wanted[bound];
    return to === undefined ? [] : [{ bound, from: former[bound], to }];
  });
  if (set.length > 0) await database.write(set.map(({ bound, to }) => toState(names[bound], Math.floor(to))));
  return set.filter(({ from, to }) => from !== to);
}

const leaseMs = 10 * 60_000;
const leaseName = 'swept_until';

/**
 * Claims the sweep, so that only one process sweeps at a time. If that process ends during the sweep, others wait ten
 * minutes.
 */
export async function takeSweep(database: SqlDatabase, nowMs: number): Promise<boolean> {
  // No lease ends that late: a process with a wrong clock wrote this time.
  const [taken] = await database.write([
    sql`${toState(leaseName, Math.floor(nowMs) + leaseMs)}
      WHERE store_state.value < ${nowMs} OR store_state.value > ${nowMs + leaseMs}`,
  ]);
  return taken === 1;
}

export const endSweep = async (database: SqlDatabase): Promise<void> => {
  await database.write([toState(leaseName, 0)]);
};
