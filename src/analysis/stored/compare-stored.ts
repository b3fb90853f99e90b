import type { KeptOrder } from '../../explain/change/compare-stored-sides.ts';
import { type KeptSide, orderByMedian } from '../../explain/change/kept-side.ts';
import { type Caller, createTurns } from '../../measure/fair-turns.ts';
import type { Bytes } from '../../measure/lhr/measured.ts';
import type { EntryFacts, FullResult, ResultStore } from '../../storage/results/store.ts';
import { toKind } from '../records/page-history.ts';
import type { Threads } from '../threads/threads.ts';
import { type AuditAgainSources, createAuditAgain } from './audit-again.ts';
import { areUploadAndPage, type FoundSide, findSides, type SidesWanted } from './find-sides.ts';
import { type AlikeSources, createSimulateAlike } from './simulate-alike.ts';

export type KeptWanted = SidesWanted & Pick<KeptOrder, 'smallestEffects' | 'areBuilds' | 'looks'>;

/** @throws AnalysisError `result_not_found`, UnclearSideError, StoreFaultError, and the signal's reason */
export type CompareKept = (store: ResultStore, wanted: KeptWanted, caller: Caller) => Promise<Bytes>;

/** Max number of runs whose settings and failed audits are compared: more would add little. */
const mostSummaries = 10;
/** Max number of runs to try: if the full result of one is missing, the next represents the side nearly as well. */
const mostTries = 3;

/** Returns undefined for a damaged result, so that a different run represents its side. */
const unlessDamaged = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch(error => {
    if (error.code !== 'corrupt') throw error;
    return undefined;
  });

async function readShown(store: ResultStore, nearest: readonly EntryFacts[]): Promise<KeptSide['shown']> {
  for (const { id } of nearest.slice(0, mostTries)) {
    const full: FullResult | undefined = await unlessDamaged(store.full(id));
    if (full) return { id, full };
  }
  return { id: nearest[0]?.id ?? '', full: null };
}

async function readSide(store: ResultStore, { asked, by, entries, history }: FoundSide): Promise<KeptSide> {
  const nearest = orderByMedian(entries);
  const read = await Promise.all(nearest.slice(0, mostSummaries).map(({ id }) => unlessDamaged(store.get(id))));
  const summaries = read.flatMap(entry => (entry ? [entry.summary] : []));
  return { asked, by, entries, history, summaries, shown: await readShown(store, nearest) };
}

/** Min number of runs of a side that show their own range. */
const enoughRuns = 5;
const mostEarlier = 1000;

/**
 * Reads earlier requests with several runs that were measured like both sides. They show the noise of sides with few
 * runs.
 */
async function readEarlier(store: ResultStore, sides: readonly FoundSide[]): Promise<KeptOrder['earlier']> {
  const compared = sides.flatMap(({ entries }) => entries);
  const [first] = compared;
  if (!first || sides.every(({ entries }) => entries.length >= enoughRuns)) return [];
  const kind = toKind(first);
  if (compared.some(entry => toKind(entry) !== kind)) return [];
  const { url, source, strategy } = first;
  const { results } = await store.list({ url, source, strategy, kinds: ['result', 'run'], limit: mostEarlier });
  const ids = new Set(compared.map(({ id }) => id));
  const groups = Map.groupBy(
    results.filter(entry => entry.groupId !== null && !ids.has(entry.id) && toKind(entry) === kind),
    ({ groupId }) => groupId,
  );
  return [...groups.values()].filter(({ length }) => length > 1);
}

export type CompareKeptSources = { threads: Pick<Threads, 'compareKept'> } & AuditAgainSources & AlikeSources;

/** Compares two results, or two labels with several runs. A thread reads the full results. */
export function createCompareKept({ threads, ...sources }: CompareKeptSources): CompareKept {
  const auditAgain = createAuditAgain(sources);
  const simulateAlike = createSimulateAlike(sources);
  // Comparisons take turns, because each needs the bytes of full results in memory.
  const takeTurn = createTurns();

  return (store, { smallestEffects, areBuilds: areNamedBuilds = false, looks = 1, ...wanted }, caller) =>
    takeTurn(async () => {
      const { signal } = caller;
      const sides = await findSides(store, wanted);
      signal.throwIfAborted();
      const areBuilds = areNamedBuilds || areUploadAndPage(sides);
      const [before, after] = [await readSide(store, sides[0]), await readSide(store, sides[1])];
      const earlier = await readEarlier(store, sides);
      const alike = await simulateAlike(store, sides, { signal, areBuilds });
      const again = await auditAgain(store, sides, signal);
      signal.throwIfAborted();
      return threads.compareKept({ before, after, smallestEffects, areBuilds, looks, earlier, again, alike }, caller);
    }, caller);
}
