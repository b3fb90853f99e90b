import { type Category, type MetricName, metricNames } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { ConfidenceInterval, Runs, Spread } from '../../contract/result/runs.ts';
import { isDisturbed, pageValue, toShown } from '../../presentation/undisturbed.ts';
import { medianOf, tidy, toSorted } from '../../presentation/values.ts';

/** Returns the spread of the values that are numbers; undefined for fewer than two. */
export function toSpread(values: readonly (number | null | undefined)[]): Spread | undefined {
  const sorted = toSorted(values);
  const [min, next] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || next === undefined || max === undefined) return undefined;
  return { min, median: medianOf(sorted), max, spread: tidy(max - min) };
}

/** Returns the values that are compared between runs. Undefined if the run lacks one of them. */
const toValues = (result: Result): { score: number; lcp: number } | undefined => {
  const { value: score } = toShown(result, 'performance');
  const { value: lcp } = toShown(result, 'largest_contentful_paint');
  return score !== null && lcp !== null ? { score, lcp } : undefined;
};

/**
 * Selects the representative of several results: the one nearest to the medians of score and largest contentful paint.
 * A disturbed run is selected only if all are disturbed.
 */
export function chooseRun(results: readonly Result[]): { index: number; by: Runs['selected_by'] } {
  if (results.length === 1) return { index: 0, by: 'only_run' };
  const measured = results.flatMap((result, index) => {
    const values = toValues(result);
    return values ? [{ index, isDisturbed: isDisturbed(result), ...values }] : [];
  });
  const quiet = measured.filter(({ isDisturbed }) => !isDisturbed);
  const runs = quiet.length > 0 ? quiet : measured;
  const [first] = runs;
  const firstQuiet = results.findIndex(result => !isDisturbed(result));
  if (!first) return { index: Math.max(0, firstQuiet), by: 'first_run' };
  const [scores, lcps] = [toSpread(runs.map(({ score }) => score)), toSpread(runs.map(({ lcp }) => lcp))];
  // Distances are relative to the spread of each value, so that milliseconds do not outweigh points.
  const toShare = (value: number, spread: Spread | undefined) =>
    spread ? Math.abs(value - spread.median) / (spread.spread || 1) : 0;
  const toDistance = ({ score, lcp }: { score: number; lcp: number }) => toShare(score, scores) + toShare(lcp, lcps);
  const nearest = runs.reduce((best, run) => (toDistance(run) < toDistance(best) ? run : best), first);
  return { index: nearest.index, by: 'median_run' };
}

/** Max number of automatic local runs. Another run would narrow the interval by less than the page varies. */
export const mostRuns = 9;
const wantedConfidence = 0.9;
/** Max width of a narrow interval: at most 2 points to either side. */
const narrowPoints = 4;

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);

/**
 * Returns the probability that the median of all loads lies between the values, with `left` values skipped at either
 * end (exact sign test).
 */
const confidenceOf = (count: number, left: number): number => {
  let outside = 0;
  for (let k = 0; k <= left; k += 1) outside += choose(count, k);
  return 1 - (2 * outside) / 2 ** count;
};

/**
 * Returns the narrowest confidence interval of the median with at least 90 % confidence, for any distribution;
 * undefined for fewer than five runs.
 */
export function toConfidenceInterval(values: readonly number[]): ConfidenceInterval | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const { length } = sorted;
  let left = -1;
  while (confidenceOf(length, left + 1) >= wantedConfidence && left + 1 < length / 2) left += 1;
  const [low, high] = [sorted[left], sorted[length - 1 - left]];
  if (low === undefined || high === undefined) return undefined;
  return { low, high, confidence: tidy(confidenceOf(length, left)) };
}

const numbersOf = (results: readonly Result[], name: Category): number[] =>
  results.flatMap(result => pageValue(result, name) ?? []);

/** Returns the runs whose values count: the undisturbed ones, or all if other work disturbed each of them. */
export function toCounted<T extends Pick<Result, 'disturbed'>>(results: readonly T[]): readonly T[] {
  const quiet = results.filter(result => !isDisturbed(result));
  return quiet.length > 0 ? quiet : results;
}

/** Returns whether no more runs are needed: undisturbed ones show the median of every score to ±2 points. */
export function isSteady(results: readonly Result[]): boolean {
  const quiet = results.filter(result => !isDisturbed(result));
  const names = Object.keys(results[0]?.scores ?? {}) as Category[];
  return names.every(name => {
    const interval = toConfidenceInterval(numbersOf(name === 'performance' ? quiet : results, name));
    return interval !== undefined && interval.high - interval.low <= narrowPoints;
  });
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

const withInterval = (interval: ConfidenceInterval | undefined) => (interval ? { score_interval: interval } : {});

const withRepeated = (repeated: number) => (repeated > 0 ? { repeated } : {});

/** Adds to a result how often its page was loaded again because other work had disturbed the load. */
export const withRepeats = (result: Result, repeated = 0): Result =>
  repeated === 0
    ? result
    : { ...result, runs: { ...toRuns([result], { asked: 1, chosen: chooseRun([result]) }), repeated } };

type ToValue = (result: Result, name: Category | MetricName) => number | null;

/**
 * Returns the ranges of scores and metrics, and the runs whose timed values count.
 * @param toValue default: the values of the page, without a disturbance, if they are known
 */
export function toRanges(results: readonly Result[], toValue: ToValue = pageValue) {
  const isTimed = results.some(({ scores }) => typeof scores.performance === 'number');
  const counted = isTimed ? toCounted(results) : results;
  return {
    counted,
    scores: spreads(Object.keys(results[0]?.scores ?? {}) as Category[], name =>
      (name === 'performance' ? counted : results).map(result => toValue(result, name)),
    ),
    metrics: spreads(metricNames as readonly MetricName[], name => counted.map(result => toValue(result, name))),
  };
}

/** Returns the facts of several runs, in addition to the displayed result. */
export function toRuns(
  results: readonly Result[],
  { asked, chosen, failures = [] }: { asked: number; chosen: ReturnType<typeof chooseRun>; failures?: string[] },
): Runs {
  const { counted, ...ranges } = toRanges(results);
  return {
    requested: asked,
    completed: results.length,
    ...(failures.length > 0 ? { failures } : {}),
    selected: chosen.index + 1,
    selected_by: chosen.by,
    ...withInterval(toConfidenceInterval(numbersOf(counted, 'performance'))),
    disturbed: results.filter(isDisturbed).length,
    ...(counted.length < results.length ? { counted: counted.length } : {}),
    ...withRepeated(results.reduce((sum, { runs }) => sum + (runs?.repeated ?? 0), 0)),
    ...ranges,
  };
}
