/** Stored results of a page that were measured alike, and the segments between its changes. */

import { categoryNames } from '../../contract/names.ts';
import { toMinor } from '../../explain/change/differences.ts';
import { findBorders, oneEvent } from '../../explain/statistics/change-points.ts';
import { effectsAlone, toStandardError, usualErrors } from '../../explain/statistics/interval.ts';
import { isScore, type MeasureName, smallestEffectOf, toSmallest } from '../../explain/statistics/smallest-effect.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { medianOf, toSorted } from '../../presentation/values.ts';
import { scoredMetrics } from '../../presentation/words.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';

/** Key of the facts that must be equal for results to be comparable. */
export const toKind = ({ url, source, strategy, profile, cpuSlowdown, conditions, analyser }: EntryFacts): string =>
  JSON.stringify([
    url,
    source,
    strategy,
    profile,
    cpuSlowdown,
    conditions,
    analyser.kind,
    analyser.host,
    toMinor(analyser.lighthouseVersion),
  ]);

/** Removes repeated measurements: a PSI server answers requests in quick succession with the same measurement. */
export const withoutRepeats = <Entry extends EntryFacts>(entries: readonly Entry[]): Entry[] => [
  ...new Map(
    entries.map(entry => [JSON.stringify([entry.measuredAtMs, entry.scores, entry.metrics]), entry] as const),
  ).values(),
];

/** Returns undisturbed results measured like this one, oldest first. @throws StoreFaultError */
export async function readAlike(
  store: Pick<ResultStore, 'list'>,
  like: EntryFacts,
  range: { untilMs?: number; limit: number },
): Promise<EntryFacts[]> {
  const { url, source, strategy } = like;
  const { results } = await store.list({ url, source, strategy, kinds: ['result', 'run'], ...range });
  const kind = toKind(like);
  return withoutRepeats(results.filter(entry => toKind(entry) === kind && !isDisturbed(entry))).toReversed();
}

/** Values by which a state of a page is known: the performance score and its metrics, or another score. */
const stateNames = (entries: readonly EntryFacts[]): readonly MeasureName[] => {
  const first = categoryNames.find(name => entries.some(({ scores }) => scores[name] !== null)) ?? 'performance';
  return first === 'performance' ? [first, ...scoredMetrics] : [first];
};

const readValue = ({ scores, metrics }: EntryFacts, name: MeasureName): number | null =>
  ({ ...scores, ...metrics })[name] ?? null;

/** Returns the indices of entries at which a value changed. */
function bordersOf(entries: readonly EntryFacts[], name: MeasureName): number[] {
  const measured = entries.flatMap((entry, index) => {
    const value = readValue(entry, name);
    return value === null ? [] : [{ value, index }];
  });
  const borders = findBorders(
    measured.map(({ value }) => value),
    smallestEffectOf(name),
  );
  return borders.flatMap(border => measured[border]?.index ?? []);
}

/** Splits results where the page changed: where its score or one of its metrics did. @param entries oldest first */
export function toSegments(entries: readonly EntryFacts[]): EntryFacts[][] {
  const names = stateNames(entries);
  const measured = entries.filter(entry => names[0] && readValue(entry, names[0]) !== null);
  const ends: number[] = [];
  for (const at of names.flatMap(name => bordersOf(measured, name)))
    if (ends.every(other => Math.abs(at - other) > oneEvent)) ends.push(at);
  ends.sort((one, other) => one - other);
  return [0, ...ends].map((from, at) => measured.slice(from, ends[at]));
}

/** Returns whether no value of some results is far beyond the usual spread of others: they are of one state of a page. */
export const areInOneState = (entries: readonly EntryFacts[], others: readonly EntryFacts[]): boolean =>
  stateNames(others).every(name => {
    const [own, usual] = [entries, others].map(of => toSorted(of.map(entry => readValue(entry, name)))) as [
      number[],
      number[],
    ];
    if (own.length === 0 || usual.length === 0) return true;
    const smallest = toSmallest(smallestEffectOf(name), medianOf(usual));
    // A metric has modes, so a single one may be far from the others by chance.
    const least = isScore(name) ? smallest : effectsAlone * smallest;
    const reach = Math.max(least, usualErrors * toStandardError(usual, own, smallest));
    return Math.abs(medianOf(own) - medianOf(usual)) < reach;
  });
