import { computeMedianRun, filterToValidRuns } from 'lighthouse/core/lib/median-run.js';
import type { Lhr } from './lhr.ts';
import { type Category, type MetricName, metricNames, type Report, type Runs, type Spread } from './report.ts';

const medianOf = (sorted: readonly number[]): number => {
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
};

/** A difference of floating-point numbers without its noise. */
const tidy = (value: number): number => Number(value.toFixed(6));

/** How far values lie apart; those that are absent do not count. Undefined for less than two: one has no spread. */
export function toSpread(values: readonly (number | null | undefined)[]): Spread | undefined {
  const sorted = values.filter(value => typeof value === 'number').sort((a, b) => a - b);
  const [min, next] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || next === undefined || max === undefined) return undefined;
  return { min, median: medianOf(sorted), max, spread: tidy(max - min) };
}

/** Which of several results stands for all of them. Lighthouse's rule needs two metrics that a run may not have. */
export function chooseRun(lhrs: readonly Lhr[]): { index: number; by: Runs['chosen_by'] } {
  if (lhrs.length === 1) return { index: 0, by: 'only_run' };
  const valid = filterToValidRuns(lhrs as unknown as Parameters<typeof filterToValidRuns>[0]);
  if (valid.length === 0) return { index: 0, by: 'first_run' };
  const chosen = computeMedianRun(valid) as unknown as Lhr;
  return { index: lhrs.indexOf(chosen), by: 'median_run' };
}

const spreads = <Name extends string>(
  names: readonly Name[],
  toValues: (name: Name) => (number | null | undefined)[],
) =>
  Object.fromEntries(
    names.flatMap(name => {
      const spread = toSpread(toValues(name));
      return spread ? [[name, spread]] : [];
    }),
  );

/** What several runs came to, beside the one that is shown. */
export const toRuns = (
  reports: readonly Report[],
  { asked, chosen }: { asked: number; chosen: ReturnType<typeof chooseRun> },
): Runs => ({
  asked,
  completed: reports.length,
  chosen: chosen.index + 1,
  chosen_by: chosen.by,
  scores: spreads(Object.keys(reports[0]?.scores ?? {}) as Category[], name =>
    reports.map(({ scores }) => scores[name]),
  ),
  metrics: spreads(metricNames as readonly MetricName[], name => reports.map(({ metrics }) => metrics[name].value)),
});
