/** Opens the storage of an instance: the store, its recorder and its retention sweeps. */
import type { Logger } from 'pino';
import type { Postgres } from '../../storage/database/postgres/postgres.ts';
import type { WantedBounds } from '../../storage/results/bounds.ts';
import type { RemovedKind, StoreEvent } from '../../storage/results/fault.ts';
import { openResultStore } from '../../storage/results/open-store.ts';
import type { ResultStore, SweepOrder } from '../../storage/results/store.ts';
import { createRecorder, noRecorder, type Recorder } from './recorder.ts';

const everyMs = 15 * 60_000;
const growthEveryMs = 5000;
/**
 * A sweep starts early if this share of KEEP_SIZE was written since the last one, or if artifacts exceed KEEP_ARTIFACTS
 * by this share.
 */
const growthShare = 1 / 50;

/** Sweeps the store at the start, every quarter of an hour, and after large writes. Two sweeps never overlap. */
export function sweepByTimer(store: ResultStore, order: SweepOrder): { stop(): void } {
  let isSweeping = false;
  let sweptAtBytes = 0;
  const sweep = async (): Promise<void> => {
    if (isSweeping) return;
    isSweeping = true;
    sweptAtBytes = store.status().writtenBytes;
    // The store reports its own failures.
    await store.sweep(order);
    isSweeping = false;
  };
  const sweepIfGrown = (): void => {
    const { writtenBytes, artifactBytes, bounds, isWritable } = store.status();
    const hasGrown = writtenBytes - sweptAtBytes > bounds.keepBytes * growthShare;
    const hasTooMuch = artifactBytes > bounds.keepArtifactBytes * (1 + growthShare);
    if (isWritable && (hasGrown || hasTooMuch)) void sweep();
  };
  void sweep();
  const timers = [setInterval(() => void sweep(), everyMs), setInterval(sweepIfGrown, growthEveryMs)];
  for (const timer of timers) timer.unref();
  return { stop: () => timers.forEach(clearInterval) };
}

export type Records = {
  /** Store of the results; undefined if none are stored. */
  readonly store: ResultStore | undefined;
  readonly recorder: Recorder;
  /** Removes what the limits do not keep, once. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

type RecordSettings = WantedBounds & {
  cacheMaxBytes: number;
  cacheTtlMs: number;
  cacheStaleMs: number;
  dataDir: string | undefined;
  databaseUrl: string | undefined;
  role: string;
};

const messages: Readonly<Record<StoreEvent['event'], readonly ['info' | 'warn', string]>> = {
  fault: ['warn', 'results cannot be stored now'],
  recovered: ['info', 'results are stored again'],
  moved_aside: [
    'warn',
    'the database file was damaged: its readable rows are in a new file, and the damaged file was renamed',
  ],
  file_gone: ['warn', 'the database file was replaced while it was open'],
  left_waiting: ['warn', 'results are waiting in files: the next start writes them to the database'],
  dropped: ['warn', 'a result that was waiting to be stored is lost'],
  copied: ['info', 'the database file was copied before its upgrade'],
  not_copied: ['warn', 'the database file is upgraded without a copy'],
  clock_doubted: [
    'warn',
    'the clock differs by more than a day from the last time in the store: nothing is removed by age until the clock has run for a day. If the clock is right, run rangelight store trust-clock',
  ],
  clock_believed: ['info', 'the clock is trusted again: results are removed by age'],
  clock_differs: ['warn', 'the clock of this machine differs from that of the database'],
  bound_changed: ['info', 'a limit of the store was changed'],
  removed: ['info', 'retention removed data'],
};

const toTime = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `${ms} ms` : time.toISOString();
};

const settingOf: Readonly<Record<string, string>> = {
  keepDays: 'KEEP_DAYS',
  keepBytes: 'KEEP_SIZE',
  keepArtifactBytes: 'KEEP_ARTIFACTS',
};

function toFacts({ event: _event, ...facts }: StoreEvent): object {
  if ('seenAtMs' in facts) return { clock: toTime(facts.nowMs), last_seen: toTime(facts.seenAtMs) };
  if ('byMs' in facts) return { seconds: Math.round(facts.byMs / 1000) };
  if (!('bound' in facts)) return facts;
  const { bound, from, to } = facts;
  const toShown = (value: number): string => (bound === 'keepDays' ? `${value} days` : `${value / 1_000_000} MB`);
  return { setting: settingOf[bound], from: toShown(from), to: toShown(to) };
}

/**
 * @param isAlone true for a command, which ends soon. Commands and workers leave retention to the service
 * @throws StoreFaultError if the database is of a newer version
 */
export async function openRecords(
  settings: RecordSettings,
  machineId: string,
  {
    log,
    postgres,
    isAlone,
    onRemoved,
  }: {
    log: Logger;
    /** The connections to `databaseUrl`; the caller closes them. */
    postgres: Postgres | undefined;
    isAlone: boolean;
    onRemoved: (kind: RemovedKind, count: number) => void;
  },
): Promise<Records> {
  const { dataDir, databaseUrl, role } = settings;
  if (dataDir === undefined && databaseUrl === undefined)
    return { store: undefined, recorder: noRecorder, sweep: async () => {}, close: async () => {} };
  const onEvent = (event: StoreEvent): void => {
    const [level, message] = messages[event.event];
    log[level](toFacts(event), message);
    if (event.event === 'removed') onRemoved(event.kind, event.count);
  };
  const store = await openResultStore({ dataDir, databaseUrl, postgres }, { machineId, onEvent });
  const { keepDays, keepBytes, keepArtifactBytes, cacheMaxBytes, cacheTtlMs, cacheStaleMs } = settings;
  const order = {
    keepDays,
    keepBytes,
    keepArtifactBytes,
    cache: { maxBytes: cacheMaxBytes, maxAgeMs: cacheTtlMs + cacheStaleMs },
  };
  const sweeping = isAlone || role === 'worker' ? undefined : sweepByTimer(store, order);
  return {
    store,
    // Audits on other machines leave no artifacts here.
    recorder: createRecorder({ store, machineId, keepsArtifacts: dataDir !== undefined && role !== 'api' }),
    async sweep() {
      await store.sweep(order);
    },
    async close() {
      sweeping?.stop();
      await store.close();
    },
  };
}
