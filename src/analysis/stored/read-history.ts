import type { History } from '../../contract/stored/history.ts';
import { othersOf } from '../../explain/history/around-change.ts';
import type { Crux } from '../../measure/crux.ts';
import { type Caller, createTurns } from '../../measure/fair-turns.ts';
import type { Bytes } from '../../measure/lhr/measured.ts';
import type { TargetPolicy } from '../../measure/targets/policy.ts';
import { fieldNameOf, toFieldSeries } from '../../presentation/charts/field-points.ts';
import { listNotes, toNote } from '../../storage/notes.ts';
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
    /** Max number of points; the newest ones count. */
    readonly limit?: number;
  };

type HistoryParts = {
  threads: Pick<Threads, 'writeHistory'>;
  /** The CrUX API; undefined without a key, and for a reader that needs no field data. */
  crux?: Crux | undefined;
  policy?: Pick<TargetPolicy, 'isPublicUrl'>;
};

/** @throws AnalysisError if too many requests wait, StoreFaultError, and the signal's reason */
export type ReadHistory = (store: ResultStore, wanted: HistoryWanted, caller: Caller) => Promise<Bytes>;

const maxPoints = 10_000;
const maxNotes = 200;

/**
 * Reads the stored results of one page. Change points of a long history take tenths of a second in the thread that also
 * reads audit results, so histories take turns, and audit results are read in between.
 */
export function createReadHistory({ threads, crux, policy }: HistoryParts): ReadHistory {
  const takeTurn = createTurns();

  /** Returns the field data next to a metric. Only pages that were measured are requested. */
  async function findField(store: ResultStore, { url, strategy, source, metric }: HistoryWanted, signal: AbortSignal) {
    const name = fieldNameOf(metric);
    if (!name || !crux || !policy?.isPublicUrl(url)) return null;
    const { results } = await store.list({ url, strategy, source, kinds: ['result', 'run'], limit: 1 });
    if (results.length === 0) return null;
    const history = await crux.historyOf(url, strategy, { signal }).catch(() => {
      signal.throwIfAborted();
      return null;
    });
    return history && toFieldSeries(history, name);
  }

  return async (store, { since, until, format, conditions, limit = maxPoints, ...wanted }, caller) => {
    const asked = { since, until, format, conditions, ...wanted };
    const field = format === 'csv' || conditions !== null ? null : await findField(store, asked, caller.signal);
    return takeTurn(async () => {
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
        conditions,
        kinds: ['result', 'run'],
        ...(wanted.label === null ? {} : { label: wanted.label }),
        ...between,
      });
      caller.signal.throwIfAborted();
      return threads.writeHistory({ ...wanted, notes, series, limit, format, field }, caller);
    }, caller);
  };
}
