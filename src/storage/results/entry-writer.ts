/**
 * Writes entries, and queues entries in memory that the database cannot accept now. During a fault, only retries try to
 * write, so no response waits for an unavailable database.
 */
import { isLasting, StoreFaultError, toFaultError } from '../database/fault.ts';
import type { StoreContext } from './context.ts';
import type { StoreFault } from './fault.ts';
import type { Recovery } from './recovery.ts';
import type { StoredEntry } from './sql/entries.ts';
import { removeEntries } from './sql/remove.ts';
import { toState } from './sql/store-state.ts';
import type { Kept } from './store.ts';
import type { Waiting } from './waiting.ts';

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

/** Max wait for a silent server. Copying a damaged file of several GB also takes a while. */
const patienceMs = 5000;

type KeeperParts = {
  waiting: Waiting;
  recovery: Recovery;
  onWritten: (entry: StoredEntry) => void;
  /** Loads the entries that another process could not write, until there are too many. */
  takeUp: () => Promise<void>;
};

export function createKeeper(
  { database, now, onEvent }: Pick<StoreContext, 'database' | 'now' | 'onEvent'>,
  { waiting, recovery, onWritten, takeUp }: KeeperParts,
) {
  const write = async (entry: StoredEntry): Promise<void> => {
    const [added] = await database.write(entry.statements);
    if (added) onWritten(entry);
  };

  const hold = async (entry: StoredEntry, fault: StoreFault): Promise<Kept> => ({
    kept: false,
    isWaiting: !isLasting(fault.code) && (await waiting.add(entry)),
    fault,
  });

  const writeWaiting = async (entry: StoredEntry): Promise<void> => {
    if (await waiting.isGone(entry.id)) return waiting.remove(entry.id);
    try {
      await write(entry);
    } catch (error) {
      const { code, message } = toFaultError(error);
      if (code !== 'not_acceptable' && code !== 'invalid_input') throw error;
      // This entry would block all others.
      onEvent({ event: 'dropped', id: entry.id, reason: message });
    }
    // A client removed the entry while it was being written.
    if (!waiting.has(entry.id)) await removeEntries(database, [entry.id]);
    await waiting.remove(entry.id);
  };

  let retrying: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    try {
      // This tests the database if no entry is waiting.
      await database.write([toState('probed_at', now())]);
      do {
        await takeUp();
        for (const entry of waiting.all()) if (waiting.has(entry.id)) await writeWaiting(entry);
      } while (waiting.size > 0);
      retrying = undefined;
      recovery.succeeded();
    } catch (error) {
      retrying = undefined;
      recovery.report(toFaultError(error));
    }
  };

  return {
    async keep(entry: StoredEntry): Promise<Kept> {
      if (recovery.current) return hold(entry, recovery.current);
      try {
        // Writing an entry twice stores it once.
        await within(patienceMs, write(entry));
        return { kept: true };
      } catch (error) {
        return hold(entry, recovery.report(toFaultError(error)));
      }
    },
    /** Writes waiting entries, oldest first, until a fault occurs. Entries that the database refuses are dropped. */
    retry(): Promise<void> {
      // There is only one retry at a time: each of two would mistake entries that the other has written for entries
      // that a client removed.
      retrying ??= writeAll();
      return retrying;
    },
  };
}
