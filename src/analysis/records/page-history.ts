/** Stored results of a page that were measured alike, and the segments between its changes. */

import { categoryNames } from '../../contract/names.ts';
import { findBorders } from '../../explain/statistics/change-points.ts';
import { smallestEffectOf } from '../../explain/statistics/smallest-effect.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
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
    analyser.lighthouseVersion,
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

/** Splits results where the page changed, by their first scored category. @param entries oldest first */
export function toSegments(entries: readonly EntryFacts[]): EntryFacts[][] {
  const name = categoryNames.find(category => entries.some(({ scores }) => scores[category] !== null)) ?? 'performance';
  const measured = entries.filter(({ scores }) => scores[name] !== null);
  const borders = findBorders(
    measured.map(({ scores }) => scores[name] ?? 0),
    smallestEffectOf(name),
  );
  return [0, ...borders].map((from, at) => measured.slice(from, borders[at]));
}
