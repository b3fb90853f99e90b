import { medianOf, tidy } from '../../presentation/values.ts';
import { toRandom } from './random.ts';
import { toAllowance, toDifferenceAt } from './rank-test.ts';

/** Lowest and highest difference that the values allow, both included. */
export type Interval = readonly [low: number, high: number];

export const tidyInterval = ([low, high]: Interval): Interval => [tidy(low), tidy(high)];

export type ConfidentInterval = { readonly interval: Interval; readonly confidence: number };

/** Returns whether the samples have enough values: single values show no variation. */
const isEnough = (before: readonly number[], after: readonly number[]): boolean => before.length + after.length > 2;

/**
 * Returns the interval of the difference (after minus before) by ranks: valid for any distribution, including those
 * with two modes or many zeros. It is extended to include the difference of the medians, which may lie outside if there
 * are two modes. Both samples must be sorted in ascending order.
 */
export function toRankInterval(
  before: readonly number[],
  after: readonly number[],
  wanted: number,
): ConfidentInterval | undefined {
  if (!isEnough(before, after)) return undefined;
  const { pairs, confidence } = toAllowance(before.length, after.length, wanted);
  const place = Math.max(0, pairs);
  const low = toDifferenceAt([before, after], place);
  const high = toDifferenceAt([before, after], before.length * after.length - 1 - place);
  const difference = medianOf(after) - medianOf(before);
  return { interval: [Math.min(low, difference), Math.max(high, difference)], confidence };
}

/** Min number of earlier values: fewer show too little about a second mode. */
const fewestEarlier = 20;
/** Min number of earlier values for single runs: a single run may be an outlier, a median of three is not. */
const fewestEarlierForSingles = 100;
const isSingles = (sample: readonly number[]) => sample.length < 3;
const draws = 4000;

/** Returns distances from the median of each set, widened for small sets, which are too close to theirs. */
export const toDeviations = (earlier: readonly (readonly number[])[]): number[] =>
  earlier
    .filter(set => set.length > 1)
    .flatMap(set => {
      const median = medianOf(set);
      const widening = Math.sqrt(set.length / (set.length - 1));
      return set.map(value => (value - median) * widening);
    });

/** Returns the interval of as many values drawn from earlier deviations, for samples too small for their own. */
export function toEarlierInterval(
  before: readonly number[],
  after: readonly number[],
  { deviations, confidence }: { deviations: readonly number[]; confidence: number },
): ConfidentInterval | undefined {
  const fewest = isSingles(before) || isSingles(after) ? fewestEarlierForSingles : fewestEarlier;
  if (deviations.length < fewest || before.length === 0 || after.length === 0) return undefined;
  const random = toRandom(before, after, deviations);
  const drawn = new Float64Array(Math.max(before.length, after.length));
  const drawMedian = (size: number) => {
    for (let at = 0; at < size; at += 1) drawn[at] = deviations[Math.floor(random() * deviations.length)] as number;
    return size === 1 ? (drawn[0] as number) : medianOf(drawn.subarray(0, size).sort());
  };
  const errors = Float64Array.from({ length: draws }, () =>
    Math.abs(drawMedian(after.length) - drawMedian(before.length)),
  ).sort();
  const reach = errors[Math.min(draws - 1, Math.ceil(confidence * draws))] as number;
  const difference = medianOf(after) - medianOf(before);
  return { interval: [difference - reach, difference + reach], confidence };
}

/** Chance at which the values after a step may be outliers like some of those before it, and the most of these. */
const [outlierChance, mostOutliers] = [0.001, 0.25];
type Sample = ArrayLike<number>;

/**
 * Returns whether all values after are beyond those before, apart from outliers before: so few that as many values after
 * in a row would hardly be outliers, too. Both samples are in ascending order.
 */
export function isApart(before: Sample, after: Sample): boolean {
  const medians = [medianOf(before), medianOf(after)] as const;
  const sign = medians[1] > medians[0] ? 1 : -1;
  const [end, nearest] = sign > 0 ? [before.length - 1, after[0]] : [0, after[after.length - 1]];
  const toBeyond = (value: number | undefined, limit: number): number => sign * ((value as number) - limit);
  if (toBeyond(before[end], nearest as number) < 0) return true;
  const middle = (medians[0] + medians[1]) / 2;
  let outliers = 0;
  while (outliers < before.length && toBeyond(before[end - sign * outliers], middle) >= 0) outliers += 1;
  const chance = ((outliers + 1) / (before.length + 2)) ** after.length;
  return toBeyond(nearest, middle) > 0 && outliers <= mostOutliers * before.length && chance <= outlierChance;
}

/** Least standard deviation, as a share of the smallest effect: a few equal values do not mean that none varies. */
const leastSpread = 0.4;

/**
 * Returns the standard error of the difference between two medians, from mean distances to them, which outliers affect
 * little. @param smallest smallest difference that matters
 */
export function toStandardError(before: Sample, after: Sample, smallest: number): number {
  const distances = [before, after].reduce((sum, values) => {
    const median = medianOf(values);
    let distance = 0;
    for (let at = 0; at < values.length; at += 1) distance += Math.abs((values[at] as number) - median);
    return sum + distance;
  }, 0);
  const toDeviation = Math.sqrt(Math.PI / 2) / Math.max(1, before.length + after.length - 2);
  return Math.hypot(leastSpread * smallest, toDeviation * distances) * Math.sqrt(1 / before.length + 1 / after.length);
}

/** Min number of values of one side that show the usual spread of a page. */
export const fewestUsual = 8;
/** Standard errors from which a step is clear: generous, because single loads have heavy tails. */
export const usualErrors = 6;
/** Smallest effects from which a step is clear without a usual spread: 16 points, or 40 % of a time. */
export const effectsAlone = 8;

/**
 * Returns an interval for a side with too few values for ranks, by the spread of the other one: other results of the
 * page. It includes zero if the sides overlap. If both have too few, the interval is as wide as any page needs.
 */
export function toUsualInterval(
  before: readonly number[],
  after: readonly number[],
  { smallest, confidence }: { smallest: number; confidence: number },
): ConfidentInterval | undefined {
  if (before.length === 0 || after.length === 0) return undefined;
  const difference = medianOf(after) - medianOf(before);
  const least = Math.max(before.length, after.length) < fewestUsual ? effectsAlone * smallest : 0;
  const error = Math.max(least, usualErrors * toStandardError(before, after, smallest));
  const reach = isApart(before, after) && isApart(after, before) ? error : Math.max(error, Math.abs(difference));
  return { interval: [difference - reach, difference + reach], confidence };
}
