/**
 * The store of results: what was measured, for as long as there is room. Everything that goes in and out is plain data,
 * because the database may be on another machine.
 */

import type { Source } from '../../contract/errors.ts';
import type { Category, MetricName, Profile, Strategy } from '../../contract/names.ts';
import type { SqlDatabase } from '../database/sql.ts';
import type { SweepBounds, WantedBounds } from './bounds.ts';
import type { StoreEvent, StoreFault } from './fault.ts';
import type { ClockDoubt, StoreClock } from './store-clock.ts';

/** `run`: one of several, of which another is shown as the result. All of them share a `groupId`. */
export const entryKinds = ['result', 'run', 'failure', 'comparison', 'experiment'] as const;
export type EntryKind = (typeof entryKinds)[number];

export type EntrySource = Source | 'compare';

/** Who measured, and with what: a different one may be the cause of a different result. */
export type AnalyserIdentity = {
  /** As the `analyser.kind` of a result. */
  kind: string;
  host: string | null;
  lighthouseVersion: string | null;
  browserVersion: string | null;
  machineId: string | null;
};

/** What can be searched, listed and drawn without reading the result itself. */
export type EntryFacts = {
  /** See result-id.ts: ordered by time, not to be guessed. */
  id: string;
  kind: EntryKind;
  groupId: string | null;
  /** Canonical, with its query: a permalink has to say what was measured. */
  url: string;
  host: string;
  source: EntrySource;
  strategy: Strategy;
  profile: Profile | null;
  /** A build, a commit: at most 100 characters. */
  label: string | null;
  analyser: AnalyserIdentity;
  /** Milliseconds since the epoch. */
  measuredAtMs: number;
  /** 0 to 100; null where there is none. */
  scores: Readonly<Record<Category, number | null>>;
  metrics: Readonly<Record<MetricName, number | null>>;
  /** Whether something other than the page changed the times of its load; of a comparison, that of a side. Null: not known. */
  disturbed: boolean | null;
  /** How much the CPU was slowed down; null if the analyser does not say. */
  cpuSlowdown: number | null;
  /** Of the performance score: over the runs of a result, or over earlier results of its page; null: not known. */
  performanceRange: { readonly min: number; readonly max: number } | null;
  /** Of a failure. */
  errorCode: string | null;
  /** HTTP status with which the page itself answered. */
  pageStatus: number | null;
};

export type Entry = EntryFacts & {
  /** The result, failure or comparison as JSON, without full data: at most 128 KB. */
  summary: string;
};

/** A whole Lighthouse result. The store does not look inside. */
export type FullResult = {
  bytes: Uint8Array;
  /** How the bytes are compressed, such as `zstd`. */
  coding: string;
};

export type NewEntry = Entry & {
  full: FullResult | null;
  /** What its artifacts take, where they were taken before; else absent. */
  artifactBytes?: number | undefined;
};

/** What became of an entry. A fault of the database is never thrown: the answer goes out, with a warning. */
export type Kept =
  | { kept: true }
  /** `isWaiting`: it is held in memory and written once the cause is gone. */
  | { kept: false; isWaiting: boolean; fault: StoreFault };

/** Where a list goes on. Opaque to clients. */
export type Cursor = string;

export type ListQuery = {
  url?: string;
  host?: string;
  source?: EntrySource;
  strategy?: Strategy;
  label?: string;
  /** As the `analyser.kind` of a result. */
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

/** @property search part of a URL, in upper or lower case */
export type SitesQuery = { search?: string; limit: number };

/** One of the last measurements of a page, device and side; `results` counts all of them. */
export type SiteRow = Pick<
  EntryFacts,
  'id' | 'url' | 'host' | 'strategy' | 'label' | 'measuredAtMs' | 'errorCode' | 'pageStatus' | 'disturbed'
> & {
  kind: 'result' | 'failure';
  source: Source;
  performance: number | null;
  /** Over the runs of the result, or over earlier results of its page. */
  performanceRange: { min: number; max: number } | null;
  results: number;
};

/** Newest first. `next` is null at the end. */
export type ResultPage = { results: EntryFacts[]; next: Cursor | null };

export type SeriesQuery = Omit<ListQuery, 'cursor' | 'host'> & {
  url: string;
  strategy: Strategy;
  source: EntrySource;
  metric: MetricName | Category;
  /** The newest this many points; 10,000 when absent, which is also the most. */
  limit?: number;
};

export type SeriesPoint = {
  id: string;
  kind: EntryKind;
  groupId: string | null;
  measuredAtMs: number;
  value: number | null;
  label: string | null;
  profile: Profile | null;
  analyser: AnalyserIdentity;
  disturbed: boolean | null;
};

/** Why a series has a gap. */
export type SeriesFailure = { id: string; measuredAtMs: number; errorCode: string | null; pageStatus: number | null };

/** Oldest first. */
export type Series = { points: SeriesPoint[]; failures: SeriesFailure[] };

/** The same as bytes: see packed-series.ts. */
export type PackedSeries = { points: Uint8Array; failures: Uint8Array };

/** Bounds that this process wants the store to have from now on, and what its cache may take. */
export type SweepOrder = WantedBounds & { readonly cache?: { readonly maxBytes: number; readonly maxAgeMs: number } };

type Swept = {
  entries: number;
  artifacts: number;
  /** What kept the sweep from its end; the next one goes on from there. */
  fault: StoreFault | null;
};

/** `gathered`: settings and what is small, without which a trace cannot be audited again. */
export const artifactNames = ['trace', 'network_log', 'gathered'] as const;
export type ArtifactName = (typeof artifactNames)[number];

/** Files to take over: they may be removed afterwards, and are not changed. */
export type ArtifactSources = Readonly<Partial<Record<ArtifactName, string>>>;

/** `isPacked`: compressed with gzip, which happens after the answer. */
export type ArtifactFile = { path: string; bytes: number; isPacked: boolean };

/** Files of the store. Valid until the entry is forgotten or its room is needed. */
export type ArtifactFiles = Readonly<Partial<Record<ArtifactName, ArtifactFile>>>;

export type CachedValue = { value: Uint8Array; storedAtMs: number };

/**
 * What outlives a restart and is no history: keys and values. A fault counts as a miss, except in `clear`, which must
 * not seem to have happened.
 */
export type ValueCache = {
  get(key: string): Promise<CachedValue | undefined>;
  /** @param generation of the cache when the value was begun: one from before a clear is not stored */
  set(key: string, value: Uint8Array, generation?: number): Promise<Kept>;
  /** Grows with each clear, by whichever process. @throws StoreFaultError */
  generation(): Promise<number>;
  /** @throws StoreFaultError */
  remove(key: string): Promise<boolean>;
  /** Empties it of what was there when it was called, and returns how many values that were. @throws StoreFaultError */
  clear(): Promise<number>;
  /** Removes the oldest values that are too old or too many bytes, and returns how many. @throws StoreFaultError */
  evict(bounds: { maxBytes: number; maxAgeMs: number }): Promise<number>;
  /** @throws StoreFaultError */
  size(): Promise<{ entries: number; bytes: number }>;
};

/** As this process last saw it: asking it asks no database. */
export type StoreStatus = {
  engine: 'sqlite' | 'postgres';
  /** The file; for PostgreSQL the host and the name of the database. */
  location: string;
  isReadable: boolean;
  isWritable: boolean;
  entries: number;
  bytes: number;
  artifactBytes: number;
  /** Entries that wait for the database, in memory and in files. */
  waiting: number;
  /** All that this process has written since its start, removed or not. */
  writtenBytes: number;
  /** How often this process has swept it. */
  sweeps: number;
  /** As the last sweep found them in the store. */
  bounds: SweepBounds;
  /** Why nothing is removed by its age now. */
  clockDoubt: ClockDoubt | null;
  /** Entries that this process could neither write nor let wait. */
  lost: number;
  /** What this process found damaged; the file may be replaced by a sound one since. */
  damage: StoreFault | null;
  /** How many damaged files this process has replaced. */
  movedAside: number;
  /** Also after it is over: it may be what a person looks for. */
  lastFault: StoreFault | null;
};

/** Reading and forgetting throw a StoreFaultError where the database cannot be used; keeping never throws. */
export type ResultStore = {
  keep(entry: NewEntry): Promise<Kept>;
  /**
   * Takes artifacts over, for an entry that is about to be stored with them.
   * @returns what they take; undefined where they could not be stored. Never throws.
   */
  takeArtifacts(id: string, sources: ArtifactSources): Promise<number | undefined>;
  /** Which of these entries have artifacts on this machine. */
  withArtifacts(ids: readonly string[]): Promise<ReadonlySet<string>>;
  get(id: string): Promise<Entry | undefined>;
  full(id: string): Promise<FullResult | undefined>;
  artifacts(id: string): Promise<ArtifactFiles | undefined>;
  /** The ids of other machines that have artifacts of this entry on their disks. */
  artifactsElsewhere(id: string): Promise<readonly string[]>;
  /** @throws InvalidCursorError for a cursor that is none of ours */
  list(query: ListQuery): Promise<ResultPage>;
  /** The last 30 measurements of every page; the page that was measured last is first. */
  sites(query: SitesQuery): Promise<SiteRow[]>;
  series(query: SeriesQuery): Promise<PackedSeries>;
  /** The newest 1,000 at most, newest first. */
  byLabel(label: string, query?: Omit<ListQuery, 'label' | 'cursor'>): Promise<EntryFacts[]>;
  forget(id: string): Promise<boolean>;
  /** Forgets every entry of a page, and returns how many. */
  forgetUrl(url: string): Promise<number>;
  /** Removes what is too old or too much by the bounds of the store, oldest first, in small steps. Never throws. */
  sweep(order: SweepOrder): Promise<Swept>;
  readonly cache: ValueCache;
  readonly clock: StoreClock;
  /** For what else is kept beside results, in tables of its own. */
  readonly database: SqlDatabase;
  status(): StoreStatus;
  /** Writes what waits, if the database lets it, and ends. */
  close(): Promise<void>;
};

export type StoreListener = (event: StoreEvent) => void;
