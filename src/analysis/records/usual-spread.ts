import { categoryNames, metricNames } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { UsualSpread } from '../../contract/result/runs.ts';
import { toSpread } from '../../measure/lhr/runs.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';
import { readAlike, toSegments } from './page-history.ts';

/** Min number of results from which a range is computed. */
const leastResults = 3;
/** Max number of results: older ones describe an earlier state of the page. */
const mostResults = 20;
const mostRead = 60;

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
  const range = { untilMs: facts.measuredAtMs, limit: mostRead };
  const alike = await readAlike(store, facts, range).catch(() => []);
  const others = alike.filter(({ groupId }) => !facts.groupId || groupId !== facts.groupId);
  // The result itself may confirm a change: those before the change then describe another state.
  const segments = toSegments(isDisturbed(facts) ? others : [...others, facts]);
  const entries = (segments.at(-1) ?? []).filter(entry => entry !== facts).slice(-mostResults);
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
