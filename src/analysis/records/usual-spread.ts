import { categoryNames, metricNames } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { UsualSpread } from '../../contract/result/runs.ts';
import { findChangePoints } from '../../explain/statistics/change-points.ts';
import { directionOf, smallestEffectOf } from '../../explain/statistics/smallest-effect.ts';
import { toSpread } from '../../measure/lhr/runs.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';

/** Min number of results from which a range is computed. */
const leastResults = 3;
/** Max number of results: older ones describe an earlier state of the page. */
const mostResults = 20;
const mostRead = 60;

/** Key of the settings that must be equal for results to be comparable. */
const toKind = ({ profile, cpuSlowdown, analyser }: EntryFacts): string =>
  JSON.stringify([profile, cpuSlowdown, analyser.kind, analyser.host, analyser.lighthouseVersion]);

/** Removes repeated measurements: a PSI server answers requests in quick succession with the same measurement. */
const withoutRepeats = (entries: readonly EntryFacts[]): EntryFacts[] => [
  ...new Map(
    entries.map(entry => [JSON.stringify([entry.measuredAtMs, entry.scores, entry.metrics]), entry] as const),
  ).values(),
];

/** Returns the results since the page last changed. @param entries oldest first */
function sinceChange(entries: readonly EntryFacts[]): readonly EntryFacts[] {
  const name = categoryNames.find(category => entries.some(({ scores }) => scores[category] !== null)) ?? 'performance';
  const measured = entries.filter(({ scores }) => scores[name] !== null);
  const changes = findChangePoints(
    measured.map(({ measuredAtMs: time, scores }) => ({ time, value: scores[name] ?? 0 })),
    { direction: directionOf(name), smallestEffect: smallestEffectOf(name) },
  );
  return measured.slice(changes.at(-1)?.index ?? 0);
}

const spreadsOf = <Name extends string>(
  names: readonly Name[],
  toValues: (name: Name) => readonly (number | null)[],
): UsualSpread['scores'] =>
  Object.fromEntries(
    names.flatMap(name => {
      const values = toValues(name).filter(value => value !== null);
      const spread = values.length < leastResults ? undefined : toSpread(values);
      return spread ? [[name, spread]] : [];
    }),
  );

/**
 * Returns the usual range of a page's stored results: undisturbed ones with the same settings and version, since the
 * page last changed.
 * @param facts of the result itself, which is not included
 * @returns undefined for fewer than three results, and if the store cannot be read
 */
export async function findUsualSpread(
  store: Pick<ResultStore, 'list'>,
  result: Pick<Result, 'scores' | 'metrics'>,
  facts: EntryFacts,
): Promise<UsualSpread | undefined> {
  const { url, source, strategy, measuredAtMs } = facts;
  const query = { url, source, strategy, kinds: ['result', 'run'] as const, untilMs: measuredAtMs, limit: mostRead };
  const page = await store.list(query).catch(() => undefined);
  const kind = toKind(facts);
  const alike = withoutRepeats(page?.results ?? []).filter(
    entry => toKind(entry) === kind && entry.disturbed !== true && (!facts.groupId || entry.groupId !== facts.groupId),
  );
  const entries = sinceChange(alike.toReversed()).slice(-mostResults);
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last || entries.length < leastResults) return undefined;
  const names = categoryNames.filter(name => typeof result.scores[name] === 'number');
  const metrics = metricNames.filter(name => result.metrics[name].value !== null);
  return {
    results: entries.length,
    from: new Date(first.measuredAtMs).toISOString(),
    to: new Date(last.measuredAtMs).toISOString(),
    scores: spreadsOf(names, name => entries.map(({ scores }) => scores[name])),
    metrics: spreadsOf(metrics, name => entries.map(entry => entry.metrics[name])),
  };
}
