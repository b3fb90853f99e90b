/** The store over a database of either engine: its queries, and what becomes of a fault. */

import { createArtifactKeeper } from './artifact-keeper.ts';
import type { ArtifactFolder } from './artifacts.ts';
import { createBacklog } from './backlog.ts';
import { findEntryProblem } from './check-entry.ts';
import { InvalidCursorError, type StoreFault, type StoreFaultError, toFaultError } from './fault.ts';
import { createKeeper } from './keeper.ts';
import { createRecovery, type Schedule, scheduleByTimer } from './recovery.ts';
import { isResultId } from './result-id.ts';
import { machinesWithArtifacts, sizeOfArtifacts } from './sql/artifact-rows.ts';
import { clearValues, evictValues, readValue, removeValue, sizeOfValues, writeValue } from './sql/cached-values.ts';
import type { SqlDatabase } from './sql/database.ts';
import { readEntry, readFull, toStoredEntry } from './sql/entries.ts';
import { listByLabel, listEntries, readSeries } from './sql/find.ts';
import { readTotals, removeEntries, removeUrl } from './sql/remove.ts';
import type { Kept, ResultStore, StoreListener, ValueCache } from './store.ts';
import { createSweeper } from './sweeper.ts';

const keepPatienceMs = 5000;
/** A server that was away is back all at once, and answers of the whole fleet wait for it; a full disk stays full. */
const longestPostgresPauseMs = 4000;
const usualBacklogBytes = 32 * 1024 * 1024;

export type StoreOptions = {
  database: SqlDatabase;
  folder?: ArtifactFolder | undefined;
  /** Tells this machine's artifacts from those of others. */
  machineId?: string;
  onEvent?: StoreListener;
  now?: () => number;
  schedule?: Schedule;
  backlogBytes?: number;
};

/** A store, and what only the one that opens it calls. */
export type OpenableStore = ResultStore & {
  /** @throws StoreFaultError of code `newer_database`. Any other fault is reported, and the store recovers by itself. */
  open(): Promise<void>;
  /** After the database was replaced. */
  refresh(): Promise<void>;
};

export function createResultStore({
  database,
  folder,
  machineId = '',
  onEvent = () => {},
  now = Date.now,
  schedule = scheduleByTimer,
  backlogBytes = usualBacklogBytes,
}: StoreOptions): OpenableStore {
  const backlog = createBacklog(backlogBytes);
  const totals = { entries: 0, bytes: 0, artifactBytes: 0 };
  let isReadable = false;
  const isPostgres = database.engine === 'postgres';
  const longestPauseMs = isPostgres ? longestPostgresPauseMs : undefined;
  const recovery = createRecovery({ now, schedule, onEvent, retry: () => void recover(), longestPauseMs });
  const keeper = createKeeper({
    database,
    backlog,
    recovery,
    now,
    onEvent,
    patienceMs: isPostgres ? keepPatienceMs : undefined,
    onWritten: ({ bytes }) => {
      totals.entries += 1;
      totals.bytes += bytes;
    },
  });
  const sweeper = createSweeper({ database, folder, machineId, now });

  const recover = async (): Promise<void> => {
    await keeper.retry();
    if (!recovery.current) await refresh();
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
      isReadable = false;
      throw failed(error);
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
      // Reported already.
    }
  };

  const notKept = (fault: StoreFault): Kept => ({ kept: false, isWaiting: false, fault });
  const refuse = (message: string): Kept => notKept({ code: 'not_acceptable', message, atMs: now() });

  const keepArtifacts = createArtifactKeeper({
    database,
    folder,
    machineId,
    now,
    backlog,
    recovery,
    onEvent,
    removeArtifacts: sweeper.removeArtifacts,
    onKept: bytes => {
      totals.artifactBytes += bytes;
    },
  });

  const cache: ValueCache = {
    get: key => read(() => readValue(database, key)).catch(() => undefined),
    async set(key, value) {
      if (recovery.current) return notKept(recovery.current);
      try {
        await writeValue(database, key, value, now());
        return { kept: true };
      } catch (error) {
        return notKept(recovery.report(toFaultError(error)));
      }
    },
    remove: key => change(() => removeValue(database, key)),
    clear: () => change(() => clearValues(database)),
    evict: ({ maxBytes, maxAgeMs }) =>
      change(() => evictValues(database, { maxBytes, storedBeforeMs: now() - maxAgeMs })),
    size: () => read(() => sizeOfValues(database)),
  };

  return {
    cache,
    database,
    refresh,
    async open() {
      try {
        await database.open();
      } catch (error) {
        if (failed(error).code === 'newer_database') {
          recovery.close();
          await database.close();
          throw error;
        }
      }
      await refresh();
    },
    async keep(entry) {
      const problem = findEntryProblem(entry);
      return problem === undefined ? keeper.keep(toStoredEntry(entry)) : refuse(problem);
    },
    keepArtifacts,
    get: id => read(() => readEntry(database, id)),
    full: id => read(() => readFull(database, id)),
    artifacts: async id => (isResultId(id) ? folder?.find(id) : undefined),
    artifactsElsewhere: id => read(() => machinesWithArtifacts(database, machineId, id)),
    list: query => read(() => listEntries(database, query)),
    series: query => read(() => readSeries(database, query)),
    byLabel: (label, query = {}) => read(() => listByLabel(database, label, query)),
    async forget(id) {
      if (!isResultId(id)) return false;
      const wasWaiting = backlog.remove(id);
      const removed = await change(() => removeEntries(database, [id]));
      await change(() => sweeper.removeArtifacts([id]));
      await refresh();
      return wasWaiting || removed > 0;
    },
    async forgetUrl(url) {
      const waited = backlog.removeUrl(url);
      const removed = await change(() => removeUrl(database, url, sweeper.removeArtifacts));
      await refresh();
      return waited + removed;
    },
    async sweep(bounds) {
      const swept = { entries: 0, artifacts: 0, fault: null };
      try {
        swept.entries = await sweeper.entries(bounds);
        swept.artifacts = await sweeper.artifacts(bounds);
        await sweeper.reclaim();
        return swept;
      } catch (error) {
        return { ...swept, fault: recovery.report(toFaultError(error)) };
      } finally {
        await refresh();
      }
    },
    status: () => ({
      engine: database.engine,
      location: database.location,
      isReadable,
      isWritable: recovery.current === undefined,
      ...totals,
      waiting: backlog.size,
      lastFault: recovery.last ?? null,
    }),
    async close() {
      recovery.close();
      if (backlog.size > 0) await keeper.retry();
      await database.close();
    },
  };
}
