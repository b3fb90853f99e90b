/**
 * The store of results, limited by age and size. Its input and output are plain data, because the database may be on
 * another machine.
 */

import type { Source } from '../../contract/errors.ts';
import type { Category, CustomMetricName, MetricName, Profile, Strategy } from '../../contract/names.ts';
import type { CustomMetrics } from '../../contract/result/metrics.ts';
import type { SqlDatabase } from '../database/sql.ts';
import type { EntryKind, EntrySource } from '../database/tables.ts';
import type { SweepBounds, WantedBounds } from './bounds.ts';
import type { StoreEvent, StoreFault } from './fault.ts';
import type { ClockDoubt, StoreClock } from './store-clock.ts';

/** Analyser and environment. If they differ between results, they may explain a difference. */
export type AnalyserIdentity = {
  /** Kind of the analyser, as in the `analyser.kind` of a result. */
  kind: string;
  host: string | null;
  lighthouseVersion: string | null;
  browserVersion: string | null;
  machineId: string | null;
};

/** Facts of an entry that lists, searches and charts need, so that they need not read the result itself. */
export type EntryFacts = {
  /** Id that sorts by time and cannot be guessed: see result-id.ts. */
  id: string;
  kind: EntryKind;
  groupId: string | null;
  /** Canonical URL with its query, because a permalink shows what was measured. */
  url: string;
  host: string;
  source: EntrySource;
  strategy: Strategy;
  profile: Profile | null;
  /** Label, such as a build or a commit; at most 100 characters. */
  label: string | null;
  /** Name of the conditions of the load; null for a page as any visitor gets it. */
  conditions: string | null;
  analyser: AnalyserIdentity;
  /** Milliseconds since the epoch. */
  measuredAtMs: number;
  /** 0 to 100; null if there is no score. */
  scores: Readonly<Record<Category, number | null>>;
  metrics: Readonly<Record<MetricName, number | null>>;
  /** User timings and CPU time of the main thread; null if unknown. */
  customMetrics: Readonly<CustomMetrics> | null;
  /**
   * Whether the times of the load, or of one side of a comparison, were affected by something other than the page; null
   * if unknown.
   */
  disturbed: boolean | null;
  /** CPU throttling; null if the analyser does not report it. */
  cpuSlowdown: number | null;
  /** Speed of the machine by Lighthouse's benchmark; null if the analyser does not report it. */
  benchmarkIndex: number | null;
  /** Range of the performance score over the runs of a result, or over earlier results of its page; null if unknown. */
  performanceRange: { readonly min: number; readonly max: number } | null;
  /** Error code of a failure. */
  errorCode: string | null;
  /** HTTP status of the page. */
  pageStatus: number | null;
};

export type Entry = EntryFacts & {
  /** The result, failure or comparison as JSON, without full data: at most 128 KB. */
  summary: string;
};

/** A whole Lighthouse result. The store does not read its content. */
export type FullResult = {
  bytes: Uint8Array;
  /** Compression of the bytes, such as `zstd`. */
  coding: string;
};

export type NewEntry = Entry & {
  full: FullResult | null;
  /** Size of its artifacts in bytes, if they were stored before; otherwise absent. */
  artifactBytes?: number | undefined;
};

/** Outcome of storing an entry. A fault of the database is never thrown: the client gets its answer with a warning. */
export type Kept =
  | { kept: true }
  /** `isWaiting`: the entry waits in memory, and is written when the fault is over. */
  | { kept: false; isWaiting: boolean; fault: StoreFault };

/** Position in a list. Opaque to clients. */
export type Cursor = string;

export type ListQuery = {
  url?: string;
  host?: string;
  source?: EntrySource;
  strategy?: Strategy;
  label?: string;
  /** Name of conditions; null for results without any. */
  conditions?: string | null;
  /** Kind of the analyser, as in the `analyser.kind` of a result. */
  analyser?: string;
  groupId?: string;
  kinds?: readonly EntryKind[];
  /** Milliseconds since the epoch, inclusive. */
  sinceMs?: number;
  /** Milliseconds since the epoch, exclusive. */
  untilMs?: number;
  /** 1 to 1,000; 50 when absent. */
  limit?: number;
  cursor?: Cursor;
};

/** @property search part of a URL or a label; A to Z also match a to z, other letters only themselves */
export type SitesQuery = { search?: string; limit: number };

/** A recent measurement of a page, device and source. `results` counts all measurements of them. */
export type SiteRow = Pick<
  EntryFacts,
  | 'id'
  | 'url'
  | 'host'
  | 'strategy'
  | 'label'
  | 'profile'
  | 'analyser'
  | 'cpuSlowdown'
  | 'measuredAtMs'
  | 'errorCode'
  | 'pageStatus'
  | 'disturbed'
  | 'conditions'
> & {
  largestContentfulPaint: number | null;
  totalBlockingTime: number | null;
  cumulativeLayoutShift: number | null;
  benchmarkIndex: number | null;
  kind: 'result' | 'failure';
  source: Source;
  performance: number | null;
  /** Range over the runs of the result, or over earlier results of its page. */
  performanceRange: { min: number; max: number } | null;
  results: number;
};

/** Entries, newest first. `next` is null at the end. */
export type ResultPage = { results: EntryFacts[]; next: Cursor | null };

export type SeriesQuery = Omit<ListQuery, 'cursor' | 'host'> & {
  url: string;
  strategy: Strategy;
  source: EntrySource;
  metric: MetricName | Category | CustomMetricName;
  /** Further values of each point. */
  others?: readonly (MetricName | Category)[];
  /** Max number of points: the newest ones are returned. The default, 10,000, is also the maximum. */
  limit?: number;
};

export type SeriesPoint = {
  id: string;
  kind: EntryKind;
  groupId: string | null;
  measuredAtMs: number;
  value: number | null;
  others: Readonly<Partial<Record<MetricName | Category, number | null>>>;
  label: string | null;
  profile: Profile | null;
  analyser: AnalyserIdentity;
  disturbed: boolean | null;
  cpuSlowdown: number | null;
  benchmarkIndex: number | null;
};

/** Reason for a gap in a series. */
export type SeriesFailure = { id: string; measuredAtMs: number; errorCode: string | null; pageStatus: number | null };

/** Points, oldest first. */
export type Series = { points: SeriesPoint[]; failures: SeriesFailure[] };

/** The same points as bytes, newest first: see packed-series.ts. */
export type PackedSeries = {
  points: Uint8Array;
  failures: Uint8Array;
  /** Names of the further values, in the order of their columns. */
  others: readonly (MetricName | Category)[];
};

/** Limits of the store that this process sets, and the size of its cache. */
export type SweepOrder = WantedBounds & { readonly cache?: { readonly maxBytes: number; readonly maxAgeMs: number } };

type Swept = {
  entries: number;
  artifacts: number;
  /** Fault that stopped the sweep; the next sweep continues from there. */
  fault: StoreFault | null;
};

/** Names of artifacts. `gathered`: settings and small artifacts, which an audit of the trace needs. */
export const artifactNames = ['trace', 'network_log', 'gathered'] as const;
export type ArtifactName = (typeof artifactNames)[number];

/** Files to copy into the store. They are not changed, and may be removed afterwards. */
export type ArtifactSources = Readonly<Partial<Record<ArtifactName, string>>>;

/** A file of the store. `isPacked`: compressed with gzip, which happens after the response. */
export type ArtifactFile = { path: string; bytes: number; isPacked: boolean };

/** Files of the store, valid until the entry is removed. */
export type ArtifactFiles = Readonly<Partial<Record<ArtifactName, ArtifactFile>>>;

export type CachedValue = { value: Uint8Array; storedAtMs: number };

/** Clears of the cache, and values stored after a number, by any process. */
export type CacheChanges = {
  /** Number of clears so far. */
  readonly generation: number;
  /** Number to ask for next time. */
  readonly lastNumber: number;
  readonly stored: readonly { readonly name: string; readonly storedAtMs: number }[];
};

/**
 * Values by name that survive a restart and are not history. A name is short, because it is indexed, and contains no
 * URL. A fault counts as a miss in `get`. The other methods throw a StoreFaultError.
 */
export type ValueCache = {
  get(name: string): Promise<CachedValue | undefined>;
  /**
   * @param generation generation of the cache when production of the value started. A value older than the last clear
   * is not stored.
   * @param storedAtMs time from which the age of the value counts, by default now
   */
  set(name: string, value: Uint8Array, generation?: number, storedAtMs?: number): Promise<void>;
  /** Reads what any process has changed. */
  readChanges(afterNumber: number): Promise<CacheChanges>;
  /** @param storedUpToMs a value that was stored later remains */
  remove(name: string, storedUpToMs?: number): Promise<boolean>;
  /** Removes all values that exist when it is called, and returns their number. */
  clear(): Promise<number>;
};

/** State of the store when this process last used it. Reading it makes no query. */
export type StoreStatus = {
  engine: 'sqlite' | 'postgres';
  /** Path of the file; for PostgreSQL, the host and the name of the database. */
  location: string;
  isReadable: boolean;
  isWritable: boolean;
  entries: number;
  bytes: number;
  artifactBytes: number;
  /** Number of entries in memory that wait for the database. */
  waiting: number;
  /** Bytes that this process has written, including data that was removed since. */
  writtenBytes: number;
  /** Number of retention sweeps of this process. */
  sweeps: number;
  /** Limits on age and size, as of the last sweep. */
  bounds: SweepBounds;
  /** Reason why no data are removed by age now. */
  clockDoubt: ClockDoubt | null;
  /** Number of entries that this process lost. */
  lost: number;
  /** Damage that this process found. A repaired copy may have replaced the file since. */
  damage: StoreFault | null;
  /** Number of damaged files that this process has replaced. */
  movedAside: number;
  /** Latest fault, even after it is over, for diagnosis. */
  lastFault: StoreFault | null;
};

/** Reads and removals throw a StoreFaultError if the database cannot be used; storing never throws. */
export type ResultStore = {
  keep(entry: NewEntry): Promise<Kept>;
  /**
   * Stores artifacts for an entry that is about to be stored.
   * @returns their size in bytes; undefined if they could not be stored. Never throws.
   */
  takeArtifacts(id: string, sources: ArtifactSources): Promise<number | undefined>;
  /** Returns the ids of those entries that have artifacts on this machine. */
  withArtifacts(ids: readonly string[]): Promise<ReadonlySet<string>>;
  get(id: string): Promise<Entry | undefined>;
  full(id: string): Promise<FullResult | undefined>;
  artifacts(id: string): Promise<ArtifactFiles | undefined>;
  /** Returns the ids of other machines that have artifacts of this entry on their disks. */
  artifactsElsewhere(id: string): Promise<readonly string[]>;
  /** @throws InvalidCursorError if the cursor is not from a list of results */
  list(query: ListQuery): Promise<ResultPage>;
  /** Returns the last 30 measurements of each page, up to `limit` pages, the most recently measured page first. */
  sites(query: SitesQuery): Promise<SiteRow[]>;
  series(query: SeriesQuery): Promise<PackedSeries>;
  /** Returns at most 1,000 entries, newest first. */
  byLabel(label: string, query?: Omit<ListQuery, 'label' | 'cursor'>): Promise<EntryFacts[]>;
  forget(id: string): Promise<boolean>;
  /** Removes every entry of a page, and returns their number. */
  forgetUrl(url: string): Promise<number>;
  /** Removes entries beyond the age and size limits, oldest first, in small steps. Never throws. */
  sweep(order: SweepOrder): Promise<Swept>;
  readonly cache: ValueCache;
  readonly clock: StoreClock;
  /** The database, for other data with their own tables. */
  readonly database: SqlDatabase;
  status(): StoreStatus;
  /** Writes waiting entries, if the database accepts them, and closes the store. */
  close(): Promise<void>;
};

export type StoreListener = (event: StoreEvent) => void;
