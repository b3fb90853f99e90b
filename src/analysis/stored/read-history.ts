import type { History } from '../../contract/stored/history.ts';
import { othersOf } from '../../explain/history/to-history.ts';
import { type Caller, createTurns } from '../../measure/fair-turns.ts';
import type { Bytes } from '../../measure/lhr/measured.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { Threads } from '../threads/threads.ts';

type HistoryWanted = { readonly conditions: string | null } & Pick<
  History,
  'url' | 'strategy' | 'source' | 'metric' | 'label'
> & {
    /** Start of the history as an ISO 8601 time, inclusive. */
    readonly since: string | null;
    /** End of the history as an ISO 8601 time, exclusive. */
    readonly until: string | null;
    readonly format: 'json' | 'csv';
  };

/** @throws AnalysisError if too many requests wait, StoreFaultError, and the signal's reason */
export type ReadHistory = (store: ResultStore, wanted: HistoryWanted, caller: Caller) => Promise<Bytes>;

/** Max number of points that the store returns. */
const limit = 10_000;

/**
 * Reads the stored results of one page. Change points of a long history take tenths of a second in the thread that also
 * reads audit results, so histories take turns, and audit results are read in between.
 */
export function createReadHistory({ threads }: { threads: Pick<Threads, 'writeHistory'> }): ReadHistory {
  const takeTurn = createTurns();

  return (store, { since, until, format, conditions, ...wanted }, caller) =>
    takeTurn(async () => {
      const series = await store.series({
        url: wanted.url,
        strategy: wanted.strategy,
        source: wanted.source,
        metric: wanted.metric,
        others: othersOf(wanted.metric),
        limit,
        conditions,
        kinds: ['result', 'run'],
        ...(wanted.label === null ? {} : { label: wanted.label }),
        ...(since === null ? {} : { sinceMs: Date.parse(since) }),
        ...(until === null ? {} : { untilMs: Date.parse(until) }),
      });
      caller.signal.throwIfAborted();
      return threads.writeHistory({ ...wanted, series, limit, format }, caller);
    }, caller);
}
