import { toRandom } from './random.ts';
import { toAllowance, toDifferenceAt } from './rank-test.ts';
import { medianOf } from './values.ts';

/** Lowest and highest difference that the values allow, both included. */
export type Interval = readonly [low: number, high: number];

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

/**
 * Returns the distances of earlier values from the median of their set, widened for small sets, whose values are too
 * close to it.
 */
export const toDeviations = (earlier: readonly (readonly number[])[]): number[] =>
  earlier
    .filter(set => set.length > 1)
    .flatMap(set => {
      const median = medianOf(set);
      const widening = Math.sqrt(set.length / (set.length - 1));
      return set.map(value => (value - median) * widening);
    });

/**
 * Returns an interval for samples too small to show their variation: the interval of as many values drawn from earlier
 * deviations.
 */
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
