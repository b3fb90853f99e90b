/**
 * Writes entries, and holds those in memory that the database cannot take now. While there is a fault only the retries
 * try: no answer waits for a database that is known to be away.
 */
import type { Backlog } from './backlog.ts';
import { isLasting, type StoreEvent, type StoreFault, StoreFaultError, toFaultError } from './fault.ts';
import type { Recovery } from './recovery.ts';
import type { SqlDatabase } from './sql/database.ts';
import type { StoredEntry } from './sql/entries.ts';
import type { Kept } from './store.ts';

/** Shows that the database can be written when no entry waits. */
const probe = {
  sql: `INSERT INTO store_state (name, value) VALUES ('probed_at', ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
};

/** A server that has fallen silent would hold up an answer for as long as a long statement may take. */
async function within<T>(ms: number | undefined, work: Promise<T>): Promise<T> {
  if (ms === undefined) return work;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new StoreFaultError('unavailable', `The database did not answer within ${ms / 1000} s.`)),
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
  /** Writes what waits, oldest first, until the database refuses. */
  retry(): Promise<void>;
};

export function createKeeper({
  database,
  backlog,
  recovery,
  now,
  onEvent,
  onWritten,
  patienceMs,
}: {
  database: SqlDatabase;
  backlog: Backlog;
  recovery: Recovery;
  now: () => number;
  onEvent: (event: StoreEvent) => void;
  onWritten: (entry: StoredEntry) => void;
  /** How long an answer waits for its entry to be written; undefined: until the database says something. */
  patienceMs?: number | undefined;
}): Keeper {
  const write = async (entry: StoredEntry): Promise<void> => {
    const [added] = await database.write(entry.statements);
    if (added) onWritten(entry);
  };

  const hold = (entry: StoredEntry, fault: StoreFault): Kept => ({
    kept: false,
    isWaiting: !isLasting(fault.code) && backlog.add(entry),
    fault,
  });

  const writeFirst = async (entry: StoredEntry): Promise<void> => {
    try {
      await write(entry);
    } catch (error) {
      const { code, message } = toFaultError(error);
      if (code !== 'not_acceptable') throw error;
      // It would keep all others from being written.
      onEvent({ event: 'dropped', id: entry.id, reason: message });
    }
    backlog.remove(entry.id);
  };

  return {
    async keep(entry) {
      if (recovery.current) return hold(entry, recovery.current);
      try {
        // Written twice, it is there once.
        await within(patienceMs, write(entry));
        return { kept: true };
      } catch (error) {
        return hold(entry, recovery.report(toFaultError(error)));
      }
    },
    async retry() {
      try {
        await database.write([{ ...probe, values: [now()] }]);
        for (let entry = backlog.first(); entry; entry = backlog.first()) await writeFirst(entry);
        recovery.succeeded();
      } catch (error) {
        recovery.report(toFaultError(error));
      }
    },
  };
}
