import type { ComparedSide } from '../../contract/stored/change.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { isMeasured, medianOf, toSorted } from '../../presentation/values.ts';
import type { EntryFacts, FullResult } from '../../storage/results/store.ts';
import { decidingNames } from '../statistics/judge-change.ts';
import { type SmallestEffects, smallestEffectOf, toSmallest } from '../statistics/smallest-effect.ts';

/** One side of stored runs. It is plain data, because it is passed to the thread. */
export type KeptSide = {
  /** The requested id or label. */
  readonly asked: string;
  readonly by: 'id' | 'label';
  /** Runs, at least one, all of the same page, strategy and source. */
  readonly entries: readonly EntryFacts[];
  /** Other results of the page in the same state, which show its usual spread. */
  readonly history: readonly EntryFacts[];
  /** JSON of some of the runs, without full data. */
  readonly summaries: readonly string[];
  /** The run nearest to the medians. */
  readonly shown: { readonly id: string; readonly full: FullResult | null };
};

const measuredOf = ({ scores, metrics }: EntryFacts, name: (typeof decidingNames)[number]) =>
  ({ ...scores, ...metrics })[name];

/** Orders runs by their distance from the medians, relative to the smallest effects; in a tie, the newest first. */
export function orderByMedian(entries: readonly EntryFacts[], effects?: SmallestEffects): EntryFacts[] {
  const centers = decidingNames.flatMap(name => {
    const sorted = toSorted(entries.map(entry => measuredOf(entry, name)));
    if (sorted.length === 0) return [];
    const median = medianOf(sorted);
    return [{ name, median, scale: toSmallest(smallestEffectOf(name, effects), median) }];
  });
  const toDistance = (entry: EntryFacts) =>
    centers.reduce((sum, { name, median, scale }) => {
      const value = measuredOf(entry, name);
      // A run that lacks a measure of the others does not represent them.
      return sum + (isMeasured(value) ? Math.abs(value - median) / scale : 1000);
    }, 0);
  return entries
    .map(entry => ({ entry, distance: toDistance(entry) }))
    .sort((a, b) => a.distance - b.distance || b.entry.measuredAtMs - a.entry.measuredAtMs)
    .map(({ entry }) => entry);
}

const toIso = (ms: number): string => new Date(ms).toISOString();

export function toComparedSide({ asked, by, entries, history, shown }: KeptSide): ComparedSide {
  const oldestFirst = entries.toSorted((a, b) => a.measuredAtMs - b.measuredAtMs);
  const [first, last] = [oldestFirst[0], oldestFirst.at(-1)] as [EntryFacts, EntryFacts];
  const labels = new Set(oldestFirst.flatMap(({ label }) => (label === null ? [] : [label])));
  return {
    requested: asked,
    by,
    url: last.url,
    strategy: last.strategy,
    source: last.source as ComparedSide['source'],
    runs: entries.length,
    history: history.length,
    disturbed: entries.filter(isDisturbed).length,
    ids: oldestFirst.map(({ id }) => id),
    labels: [...labels],
    from: toIso(first.measuredAtMs),
    to: toIso(last.measuredAtMs),
    selected_id: shown.id,
    links: { self: `/results/${shown.id}` },
  };
}
