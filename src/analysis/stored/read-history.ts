import type { History } from '../../contract/stored/history.ts';
import { othersOf } from '../../explain/history/to-history.ts';
import { type Caller, createTurns } from '../../measure/fair-turns.ts';
import type { Bytes } from '../../measure/lhr/measured.ts';
import { listNotes, toNote } from '../../storage/notes.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { Threads } from '../threads/threads.ts';

type HistoryWanted = Pick<History, 'url' | 'strategy' | 'source' | 'metric' | 'label'> & {
  /** Start of the history as an ISO 8601 time, inclusive. */
  readonly since: string | null;
  /** End of the history as an ISO 8601 time, exclusive. */
  readonly until: string | null;
  readonly format: 'json' | 'csv';
  /** Max number of points; the newest ones count. */
  readonly limit?: number;
};

/** @throws AnalysisError if too many requests wait, StoreFaultError, and the signal's reason */
export type ReadHistory = (store: ResultStore, wanted: HistoryWanted, caller: Caller) => Promise<Bytes>;

/** Max number of points that the store returns. */
const maxPoints = 10_000;
const maxNotes = 200;

/**
 * Reads the stored results of one page. Change points of a long history take tenths of a second in the thread that also
 * reads audit results, so histories take turns, and audit results are read in between.
 */
export function createReadHistory({ threads }: { threads: Pick<Threads, 'writeHistory'> }): ReadHistory {
  const takeTurn = createTurns();

  return (store, { since, until, format, limit = maxPoints, ...wanted }, caller) =>
    takeTurn(async () => {
      const between = {
        ...(since === null ? {} : { sinceMs: Date.parse(since) }),
        ...(until === null ? {} : { untilMs: Date.parse(until) }),
      };
      const about = { ...between, url: wanted.url, host: new URL(wanted.url).host, limit: maxNotes };
      const notes = (await listNotes(store.database, about)).map(toNote);
      const series = await store.series({
        url: wanted.url,
        strategy: wanted.strategy,
        source: wanted.source,
        metric: wanted.metric,
        others: othersOf(wanted.metric),
        limit,
        kinds: ['result', 'run'],
        ...(wanted.label === null ? {} : { label: wanted.label }),
        ...between,
      });
      caller.signal.throwIfAborted();
      return threads.writeHistory({ ...wanted, notes, series, limit, format }, caller);
    }, caller);
}
