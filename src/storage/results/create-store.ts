/** Creates the store over a database of either engine: its queries, and its handling of faults. */
import { StoreFaultError, toFaultError } from '../database/fault.ts';
import type { SqlDatabase, Statement } from '../database/sql.ts';
import { createArtifactKeeper } from './artifact-keeper.ts';
import {
  endSweep,
  readBounds,
  type SweepBounds,
  takeSweep,
  usualBounds,
  type WantedBounds,
  writeBounds,
} from './bounds.ts';
import type { StoreContext } from './context.ts';
import { createKeeper } from './entry-writer.ts';
import {
  InvalidCursorError,
  type RemovedKind,
  removedKinds,
  type Salvaged,
  type StoreEvent,
  type StoreFault,
} from './fault.ts';
import { createRecovery, type SetTimer, scheduleByTimer } from './recovery.ts';
import { type Reserve, withRemovalRoom } from './removal-room.ts';
import { isResultId } from './result-id.ts';
import { knownArtifacts, machinesWithArtifacts, sizeOfArtifacts } from './sql/artifact-rows.ts';
import { createValueCache, evictValues } from './sql/cached-values.ts';
import { findEntryProblem, readEntry, readFull, type StoredEntry, toStoredEntry } from './sql/entries.ts';
import { listByLabel, listEntries, listSites, readSeries } from './sql/find.ts';
import { readTotals, removeEntries, removeUrl } from './sql/remove.ts';
import type { Kept, NewEntry, ResultStore, StoreListener, SweepOrder } from './store.ts';
import { createStoreClock } from './store-clock.ts';
import { createSweeper } from './sweeper.ts';
import { createWaiting } from './waiting.ts';

/**
 * Max pause between retries. It is short for a server, because the whole fleet waits for it. A full disk usually
 * remains full for longer.
 */
const longestPostgresPauseMs = 4000;
const megabyte = 1024 * 1024;
const usualBacklogBytes = 32 * megabyte;
const dayMs = 24 * 60 * 60_000;

/** Divides KEEP_SIZE within a file: the log, the reserve, at most a quarter for the cache, and the rest for results. */
const toShares = ({ keepBytes }: SweepBounds) => {
  const logBytes = Math.min(32 * megabyte, Math.floor(keepBytes / 8));
  const reserveBytes = Math.min(8 * megabyte, Math.floor(keepBytes / 8));
  return {
    logBytes,
    reserveBytes,
    fileBytes: keepBytes - logBytes - reserveBytes,
    cacheBytes: Math.floor(keepBytes / 4),
  };
};

/** Estimates the size of a statement's values in bytes. Large writes start a sweep early. */
const bytesOf = ({ values }: Statement): number =>
  values.reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + value.length;
    return value instanceof Uint8Array ? sum + value.byteLength : sum;
  }, 0);

export type StoreOptions = Pick<StoreContext, 'database'> &
  Partial<StoreContext> & {
    /** Reserve on the disk of a SQLite file. */
    reserve?: Reserve | undefined;
    /** Folder of the files for entries that must wait longer than this process runs. */
    waitingFolder?: string | undefined;
    /** Monotonic time in milliseconds. */
    monotonicMs?: () => number;
    schedule?: SetTimer;
    backlogBytes?: number;
  };

/** A store with the methods for the code that opens it. */
export type OpenableStore = ResultStore & {
  /**
   * Opens the store.
   * @throws StoreFaultError of code `newer_database`. Other faults are reported, and the store recovers by itself.
   */
  open(): Promise<void>;
  /** Reports that the store now uses another file. */
  replaced(event: StoreEvent): void;
};

const lastOf = (one: StoreFault | null, other: StoreFault | null): StoreFault | null =>
  one && other ? (one.atMs > other.atMs ? one : other) : (one ?? other);

const sumOf = (tables: Salvaged['tables']): number => tables.reduce((sum, { lost }) => sum + lost, 0);

/** Describes damage for users. The log contains the path and each table. */
const toDamageMessage = ({ tables, damagedPages }: Salvaged): string =>
  [
    'The database file was damaged, and a repaired copy has replaced it:',
    `${sumOf(tables)} rows, and those on ${damagedPages} damaged pages, cannot be read.`,
    'The damaged file is still in the data folder.',
  ].join(' ');

export function createResultStore({
  database: plain,
  folder,
  reserve,
  waitingFolder,
  machineId = '',
  onEvent: tell = () => {},
  now = Date.now,
  monotonicMs,
  schedule = scheduleByTimer,
  backlogBytes = usualBacklogBytes,
}: StoreOptions): OpenableStore {
  const waiting = createWaiting(waitingFolder, {
    maxBytes: backlogBytes,
    onUnreadable: id => onEvent({ event: 'dropped', id, reason: 'The file in which it waited cannot be read.' }),
  });
  const totals = { entries: 0, bytes: 0, artifactBytes: 0 };
  let isReadable = false;
  let lost = 0;
  let movedAside = 0;
  let damage: StoreFault | null = null;
  const onEvent: StoreListener = event => {
    if (event.event === 'dropped') lost += 1;
    tell(event);
  };
  let writtenBytes = 0;
  let sweeps = 0;
  let bounds = usualBounds;
  /**
   * Limits that this process has already stored. Each limit is stored once, so that two processes do not overwrite each
   * other's limits in turn.
   */
  let told: { [Key in keyof SweepBounds]?: number | undefined } = {};
  let removed: Partial<Record<RemovedKind, number>> = {};
  const countRemoved = (kind: RemovedKind, count: number): void => {
    removed[kind] = (removed[kind] ?? 0) + count;
  };

  const counted: SqlDatabase = {
    ...plain,
    write(statements) {
      for (const statement of statements) writtenBytes += bytesOf(statement);
      return plain.write(statements);
    },
  };
  const reclaim = async (): Promise<void> => {
    while (await plain.reclaim(toShares(bounds).logBytes));
  };
  const database: SqlDatabase = reserve
    ? withRemovalRoom({
        database: counted,
        reserve,
        reclaim,
        reserveBytes: () => toShares(bounds).reserveBytes,
        async removeArtifacts() {
          const ids = await sweeper.artifactFiles(toShares(bounds).reserveBytes);
          countRemoved('artifacts', ids.length);
          return ids.length > 0;
        },
      })
    : counted;
  const clock = createStoreClock({ database: counted, now, monotonicMs, onEvent });
  const isPostgres = database.engine === 'postgres';
  const longestPauseMs = isPostgres ? longestPostgresPauseMs : undefined;
  const recovery = createRecovery({ now, schedule, onEvent, retry: () => void recover(), longestPauseMs });
  const toStored = (entry: NewEntry): StoredEntry => {
    const storedAtMs = clock.storedAtMs();
    return toStoredEntry(entry, { storedAtMs, keptAtMs: Math.floor(storedAtMs ?? clock.now()), machineId });
  };
  const context = { database, folder, machineId, now, onEvent };
  const keeper = createKeeper(context, {
    waiting,
    recovery,
    takeUp: () => waiting.takeUp(toStored),
    onWritten: ({ bytes }) => {
      totals.entries += 1;
      totals.bytes += bytes;
    },
  });
  const sweeper = createSweeper(context, { waiting, onRemoved: countRemoved });

  const recover = async (): Promise<void> => {
    await keeper.retry();
    if (!recovery.current) await refresh();
  };

  const noteDamage = (message: string): void => {
    if (damage?.message !== message) onEvent({ event: 'fault', fault: { code: 'corrupt', message, atMs: now() } });
    damage = { code: 'corrupt', message, atMs: now() };
  };

  const failed = (error: unknown): StoreFaultError => {
    const fault = toFaultError(error);
    recovery.report(fault);
    return fault;
  };

  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const found = await work();
      isReadable = true;
      return found;
    } catch (error) {
      if (error instanceof InvalidCursorError) throw error;
      // Damage affects only the read that finds it.
      if (error instanceof StoreFaultError && error.code === 'corrupt') {
        noteDamage(error.message);
        throw error;
      }
      const fault = failed(error);
      if (fault.code !== 'invalid_input') isReadable = false;
      throw fault;
    }
  };

  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw failed(error);
    }
  };

  const refresh = async (): Promise<void> => {
    try {
      Object.assign(totals, await read(() => readTotals(database)));
      totals.artifactBytes = await read(() => sizeOfArtifacts(database, machineId));
    } catch {
      // The fault was already reported.
    }
  };

  /** Retries waiting entries, because a removal may have freed space for them. */
  const takeRoom = async (): Promise<void> => {
    if (recovery.current) await keeper.retry();
    await refresh();
  };

  const notKept = (fault: StoreFault): Kept => ({ kept: false, isWaiting: false, fault });
  const refuse = (message: string): Kept => notKept({ code: 'not_acceptable', message, atMs: now() });

  const artifacts = createArtifactKeeper(context, bytes => {
    totals.artifactBytes += bytes;
  });

  /** Stores an entry. Its artifacts are compressed afterwards, or removed if the entry is lost. */
  const keep = async (entry: NewEntry): Promise<Kept> => {
    const problem = findEntryProblem(entry);
    // No response waits for this check, because the clock was checked when the store was opened.
    if (!isPostgres && !recovery.current) void clock.observe().catch(() => {});
    const kept = problem === undefined ? await keeper.keep(toStored(entry)) : refuse(problem);
    const isLost = !kept.kept && !kept.isWaiting;
    if (isLost) lost += 1;
    if (entry.artifactBytes === undefined) return kept;
    if (isLost) await artifacts.discard(entry.id);
    else artifacts.pack(entry.id);
    return kept;
  };

  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    if (recovery.current) throw new StoreFaultError(recovery.current.code, recovery.current.message);
    return change(work);
  };
  const cache = createValueCache(database, { read, write, clear: change, now });

  const evictCache = ({ maxBytes, maxAgeMs }: { maxBytes: number; maxAgeMs: number }): Promise<number> => {
    // While the clock is in doubt, no value expires by its age.
    const storedBeforeMs = clock.doubt ? 0 : now() - maxAgeMs;
    return evictValues(database, { maxBytes: Math.min(maxBytes, toShares(bounds).cacheBytes), storedBeforeMs });
  };

  /** Stores the limits that a service sets, and adopts the others from the store. */
  async function agreeOnBounds(wanted: WantedBounds): Promise<void> {
    const isNews = Object.entries(wanted).some(([key, value]) => told[key as keyof SweepBounds] !== value);
    const changes = isNews ? await writeBounds(database, wanted) : [];
    for (const change of changes) onEvent({ event: 'bound_changed', ...change });
    Object.assign(told, wanted);
    bounds = await readBounds(database);
  }

  async function sweepEntries(): Promise<void> {
    if (!(await takeSweep(database, clock.now()))) return;
    try {
      if (clock.doubt === undefined) {
        await sweeper.dateBack(clock.now());
        await sweeper.older(clock.now() - bounds.keepDays * dayMs, clock.now());
      }
      await sweeper.excess(isPostgres ? bounds.keepBytes : toShares(bounds).fileBytes);
    } finally {
      await endSweep(database);
    }
  }

  /** Removes data beyond the limits. Artifacts come first, because removing files needs no space in the database. */
  async function sweep({ cache: cached, ...wanted }: SweepOrder): Promise<void> {
    await clock.observe();
    await agreeOnBounds(wanted);
    // Compressed files may fit within the limit.
    await artifacts.packAll();
    await sweeper.artifacts(bounds.keepArtifactBytes, clock.doubt === undefined);
    if (cached) await evictCache(cached);
    await sweepEntries();
    await reclaim();
    await reserve?.take(toShares(bounds).reserveBytes);
  }

  /** Discards waiting entries, in memory and in their files. */
  const forgetWaiting = async (isMeant: (entry: NewEntry) => boolean): Promise<number> => {
    const meant = waiting.all().filter(({ entry }) => isMeant(entry));
    for (const { id } of meant) {
      await waiting.remove(id);
      await folder?.remove([id]);
    }
    return meant.length;
  };

  return {
    cache,
    clock,
    database,
    replaced(event) {
      // The limits are not stored in the new file yet.
      told = {};
      if (event.event === 'moved_aside') {
        movedAside += 1;
        damage = { code: 'corrupt', message: toDamageMessage(event.salvaged), atMs: now() };
      }
      void refresh();
    },
    async open() {
      await waiting.takeUp(toStored);
      try {
        await database.open();
      } catch (error) {
        if (failed(error).code === 'newer_database') {
          recovery.close();
          await database.close();
          throw error;
        }
      }
      if (waiting.size > 0 && !recovery.current) await keeper.retry();
      await refresh();
      await clock.look().catch(() => {});
    },
    keep,
    takeArtifacts: artifacts.take,
    async get(id) {
      const held = waiting.get(id)?.entry;
      if (held === undefined) return isResultId(id) ? read(() => readEntry(database, id)) : undefined;
      const { full: _, artifactBytes: __, ...entry } = held;
      return entry;
    },
    async full(id) {
      const held = waiting.get(id)?.entry;
      if (held !== undefined) return held.full ?? undefined;
      return isResultId(id) ? read(() => readFull(database, id)) : undefined;
    },
    artifacts: async id => (isResultId(id) ? folder?.find(id) : undefined),
    withArtifacts: async ids => (folder ? read(() => knownArtifacts(database, machineId, ids)) : new Set()),
    artifactsElsewhere: async id => (isResultId(id) ? read(() => machinesWithArtifacts(database, machineId, id)) : []),
    list: query => read(() => listEntries(database, query)),
    sites: query => read(() => listSites(database, query)),
    series: query => read(() => readSeries(database, query)),
    byLabel: (label, query = {}) => read(() => listByLabel(database, label, query)),
    async forget(id) {
      if (!isResultId(id)) return false;
      const waited = await forgetWaiting(entry => entry.id === id);
      // Files are removed first, because the database needs their space on a full disk.
      await folder?.remove([id]).catch(() => {});
      const forgotten = await change(() => removeEntries(database, [id]));
      await change(() => sweeper.removeArtifacts([id]));
      await takeRoom();
      return waited + forgotten > 0;
    },
    async forgetUrl(url) {
      const waited = await forgetWaiting(entry => entry.url === url);
      const forgotten = await change(() => removeUrl(database, url, sweeper.removeArtifacts));
      await takeRoom();
      return waited + forgotten;
    },
    async sweep(order) {
      let fault: StoreFault | null = null;
      removed = {};
      try {
        await sweep(order);
      } catch (error) {
        fault = recovery.report(toFaultError(error));
      }
      for (const kind of removedKinds) {
        const count = removed[kind] ?? 0;
        if (count > 0) onEvent({ event: 'removed', kind, count });
      }
      const swept = { entries: removed.results ?? 0, artifacts: removed.artifacts ?? 0, fault };
      removed = {};
      sweeps += 1;
      await (fault === null ? takeRoom() : refresh());
      return swept;
    },
    status: () => ({
      engine: database.engine,
      location: database.location,
      isReadable,
      isWritable: recovery.current === undefined,
      ...totals,
      waiting: waiting.size,
      writtenBytes,
      sweeps,
      bounds,
      clockDoubt: clock.doubt ?? null,
      lost,
      damage,
      movedAside,
      lastFault: lastOf(recovery.last ?? null, damage),
    }),
    async close() {
      recovery.close();
      if (waiting.size > 0) await keeper.retry();
      const left = waiting.all();
      const inFiles = left.filter(({ id }) => waiting.hasFile(id));
      if (inFiles.length > 0) onEvent({ event: 'left_waiting', count: inFiles.length });
      for (const { id } of left)
        if (!waiting.hasFile(id))
          onEvent({ event: 'dropped', id, reason: 'The database cannot be reached, and no file could be written.' });
      await artifacts.settled();
      await database.close();
    },
  };
}
