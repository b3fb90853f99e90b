import type { Comparison, Pair } from '../../../contract/analysis/comparison.ts';
import { type Category, categoryNames, type MetricName, metricNames } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import { tidy } from '../numbers.ts';

const toPair = (psi: number | null | undefined, lighthouse: number | null | undefined): Pair => ({
  psi: psi ?? null,
  lighthouse: lighthouse ?? null,
  difference: typeof psi === 'number' && typeof lighthouse === 'number' ? tidy(lighthouse - psi, 6) : null,
});

const byName = <Name extends string, Value>(names: readonly Name[], toValue: (name: Name) => Value) =>
  Object.fromEntries(names.map(name => [name, toValue(name)])) as Record<Name, Value>;

/** The plain differences of two results on the same page and strategy. Pure; swapping the sides negates them. */
export function compareResults(psi: Result, lighthouse: Result): Pick<Comparison, 'scores' | 'metrics'> {
  const categories = categoryNames.filter((name: Category) => name in psi.scores || name in lighthouse.scores);
  return {
    scores: byName(categories, name => toPair(psi.scores[name], lighthouse.scores[name])),
    metrics: byName(metricNames, (name: MetricName) => ({
      ...toPair(psi.metrics[name].value, lighthouse.metrics[name].value),
      unit: lighthouse.metrics[name].unit,
    })),
  };
}
