/** Custom metrics of two sides. They decide no verdict: it would need more runs the more a page measures itself. */

import type { Difference, ResultsComparison } from '../../contract/stored/change.ts';
import { toCounted } from '../../measure/lhr/runs.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import type { EntryFacts } from '../../storage/results/store.ts';
import { compareSamples } from '../statistics/compare-samples.ts';
import { compareSets, type MeasureComparison, type SetOptions, toMeasures } from '../statistics/compare-sets.ts';
import { directionOf, type MeasureName, smallestEffectOf } from '../statistics/smallest-effect.ts';

const valuesOf = ({ customMetrics }: EntryFacts) => customMetrics ?? {};

function compareLone(name: string, sides: readonly (readonly EntryFacts[])[]): MeasureComparison {
  const [before = [], after = []] = sides.map(side => side.map(entry => valuesOf(entry)[name]));
  const options = { direction: directionOf('main-thread'), smallestEffect: smallestEffectOf('main-thread') };
  return { ...compareSamples(before, after, options), p_value: null };
}

/**
 * @param differences conditions that differ between the measured values: those that prevent a verdict prevent one here
 */
export function toCustomChanges(
  before: readonly EntryFacts[],
  after: readonly EntryFacts[],
  { differences, ...options }: SetOptions & { differences: readonly Pick<Difference, 'effect'>[] },
): ResultsComparison['custom_metrics'] {
  const sides = [toCounted(before), toCounted(after)] as const;
  const [one = [], other = []] = sides.map(side => [...new Set(side.flatMap(entry => Object.keys(valuesOf(entry))))]);
  const [runsBefore = [], runsAfter = []] = sides.map(side =>
    side.map(entry => ({ scores: {}, metrics: valuesOf(entry) })),
  );
  // The comparison only reads the values of the names that it gets.
  const names = one.filter(name => other.includes(name)) as MeasureName[];
  const compared = compareSets(runsBefore, runsAfter, { ...options, names }).metrics;
  const isPrevented =
    differences.some(({ effect }) => effect === 'no_verdict') || sides.some(side => side.every(isDisturbed));
  const prevented = isPrevented ? ({ status: 'undecided', more_runs: null, p_value: null } as const) : {};
  return toMeasures({
    ...Object.fromEntries(Object.entries(compared).map(([name, change]) => [name, { ...change, ...prevented }])),
    ...Object.fromEntries(
      [...one, ...other]
        .filter(name => !one.includes(name) || !other.includes(name))
        .map(name => [name, compareLone(name, sides)]),
    ),
  });
}
