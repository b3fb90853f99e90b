import { toRandom } from './random.ts';
import { toAllowance, toDifferenceAt } from './rank-test.ts';
import { medianOf } from './values.ts';

/** From the lowest to the highest difference that the values leave possible, both included. */
export type Interval = readonly [low: number, high: number];

export type ConfidentInterval = { readonly interval: Interval; readonly confidence: number };

/** One value of each sample: any pair is a difference, and none says how far off it is. */
const isEnough = (before: readonly number[], after: readonly number[]): boolean => before.length + after.length > 2;

/**
 * Interval of the difference (after minus before) by ranks: it holds for any distribution, two modes and zeros too. It
 * reaches out to the difference of the medians, which two modes can take out of it. Both samples in ascending order.
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

/** Fewer say too little about a second mode. */
const fewestEarlier = 20;
/** One value may be the run in twenty that is far off, where the median of three is not: it takes more to know of those. */
const fewestEarlierForSingles = 100;
const isSingles = (sample: readonly number[]) => sample.length < 3;
const draws = 4000;

/** How far the values of earlier sets lie from the median of their set; sets of few values lie too near to it. */
export const toDeviations = (earlier: readonly (readonly number[])[]): number[] =>
  earlier
    .filter(set => set.length > 1)
    .flatMap(set => {
      const median = medianOf(set);
      const widening = Math.sqrt(set.length / (set.length - 1));
      return set.map(value => (value - median) * widening);
    });

/** Interval for samples too small to say how far they spread: that of as many values drawn from earlier deviations. */
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
