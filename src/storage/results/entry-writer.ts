/**
 * Writes entries, and queues entries in memory that the database cannot accept now. During a fault, only retries try to
 * write, so no response waits for an unavailable database.
 */
import { isLasting, StoreFaultError, toFaultError } from '../database/fault.ts';
import type { SqlDatabase } from '../database/sql.ts';
import type { StoreEvent, StoreFault } from './fault.ts';
import type { Recovery } from './recovery.ts';
import type { StoredEntry } from './sql/entries.ts';
import { removeEntries } from './sql/remove.ts';
import { toState } from './sql/store-state.ts';
import type { Kept, NewEntry } from './store.ts';
import type { WaitingFiles } from './waiting-files.ts';

/* Entries that wait in memory while the database cannot be written. */

const maxEntries = 1000;

type EntryBacklog = {
  readonly size: number;
  /** Queues an entry. @returns false if the queue is full */
  add(entry: StoredEntry): boolean;
  has(id: string): boolean;
  get(id: string): StoredEntry | undefined;
  /** Returns the waiting entries, oldest first. */
  all(): readonly StoredEntry[];
  remove(id: string): boolean;
};

export function createBacklog(maxBytes: number): EntryBacklog {
  const entries = new Map<string, StoredEntry>();
  let bytes = 0;

  return {
    get size() {
      return entries.size;
    },
    add(entry) {
      if (entries.has(entry.id)) return true;
      if (entries.size >= maxEntries || bytes + entry.bytes > maxBytes) return false;
      entries.set(entry.id, entry);
      bytes += entry.bytes;
      return true;
    },
    has: id => entries.has(id),
    get: id => entries.get(id),
    all: () => [...entries.values()],
    remove(id) {
      bytes -= entries.get(id)?.bytes ?? 0;
      return entries.delete(id);
    },
  };
}

/**
 * Limits the wait for work, because a silent server would delay a response for as long as the longest statement may
 * take.
 */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new StoreFaultError('unavailable', `The database did not respond within ${ms / 1000} s.`)),
    ms,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export type Keeper = {
  keep(entry: StoredEntry): Promise<Kept>;
  /** Writes waiting entries, oldest first, until a fault occurs. Entries that the database refuses are dropped. */
  retry(): Promise<void>;
  /** Loads the entries that an earlier process could not write. `retry` writes them. */
  takeUp(): Promise<void>;
};

export function createKeeper({
  database,
  backlog,
  recovery,
  now,
  onEvent,
  onWritten,
  files,
  toStored,
  patienceMs,
}: {
  database: SqlDatabase;
  backlog: EntryBacklog;
  recovery: Recovery;
  now: () => number;
  onEvent: (event: StoreEvent) => void;
  onWritten: (entry: StoredEntry) => void;
  files: WaitingFiles;
  toStored: (entry: NewEntry) => StoredEntry;
  /** Max time that a response waits for its entry to be written, in milliseconds. */
  patienceMs: number;
}): Keeper {
  const write = async (entry: StoredEntry): Promise<void> => {
    const [added] = await database.write(entry.statements);
    if (added) onWritten(entry);
  };

  const hold = async (entry: StoredEntry, fault: StoreFault): Promise<Kept> => {
    const isWaiting = !isLasting(fault.code) && backlog.add(entry);
    if (isWaiting) await files.write(entry.entry);
    // The entry may have been written in the meantime, or a client may have removed it.
    if (isWaiting && !backlog.has(entry.id)) await files.remove(entry.id);
    return { kept: false, isWaiting, fault };
  };

  const end = async ({ id }: StoredEntry): Promise<void> => {
    backlog.remove(id);
    await files.remove(id);
  };

  const writeWaiting = async (entry: StoredEntry): Promise<void> => {
    if (await files.isGone(entry.id)) return end(entry);
    try {
      await write(entry);
    } catch (error) {
      const { code, message } = toFaultError(error);
      if (code !== 'not_acceptable' && code !== 'invalid_input') throw error;
      // This entry would block all others.
      onEvent({ event: 'dropped', id: entry.id, reason: message });
    }
    // A client removed the entry while it was being written.
    if (!backlog.has(entry.id)) await removeEntries(database, [entry.id]);
    await end(entry);
  };

  /** Loads the entries of an earlier process until the queue is full. */
  const takeUp = async (): Promise<void> => {
    for await (const entry of files.takeUp()) if (!backlog.add(toStored(entry))) return;
  };

  let retrying: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    try {
      // This tests the database if no entry is waiting.
      await database.write([toState('probed_at', now())]);
      do {
        await takeUp();
        for (const entry of backlog.all()) if (backlog.has(entry.id)) await writeWaiting(entry);
      } while (backlog.size > 0);
      retrying = undefined;
      recovery.succeeded();
    } catch (error) {
      retrying = undefined;
      recovery.report(toFaultError(error));
    }
  };

  return {
    takeUp,
    async keep(entry) {
      if (recovery.current) return hold(entry, recovery.current);
      try {
        // Writing an entry twice stores it once.
        await within(patienceMs, write(entry));
        return { kept: true };
      } catch (error) {
        return hold(entry, recovery.report(toFaultError(error)));
      }
    },
    retry() {
      // There is only one retry at a time: each of two would mistake entries that the other has written for entries
      // that a client removed.
      retrying ??= writeAll();
      return retrying;
    },
  };
}
