/**
 * The Mann-Whitney test of two samples: U counts the pairs (one value of each sample) that are the other way round than
 * the samples. Under no difference its distribution depends on the two sizes only, whatever the values' own is.
 */

/** Above this many values of each sample: the normal approximation, which allows up to three pairs less and so is on the safe side. */
const exactUpTo = 12;

/** Probability of each U: the largest value of all is either of the first sample, above all of the second, or it is not. */
function toExactProbabilities(first: number, second: number): Float64Array {
  const none = Float64Array.of(1);
  let rows = Array.from({ length: second + 1 }, () => none);
  for (let left = 1; left <= first; left += 1) {
    const next = [none];
    for (let right = 1; right <= second; right += 1) {
      const [without, within] = [rows[right] as Float64Array, next[right - 1] as Float64Array];
      const share = left / (left + right);
      const row = new Float64Array(left * right + 1);
      for (let u = 0; u < within.length; u += 1) row[u] = (1 - share) * (within[u] as number);
      for (let u = 0; u < without.length; u += 1)
        row[u + right] = (row[u + right] as number) + share * (without[u] as number);
      next.push(row);
    }
    rows = next;
  }
  return rows[second] as Float64Array;
}

/** Abramowitz and Stegun 26.2.17; absolute error below 1e-7. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

/** Probability of at most `u`, for each `u` from 0. */
function toCumulative(first: number, second: number): (u: number) => number {
  if (first > exactUpTo && second > exactUpTo) {
    const scale = Math.sqrt((first * second * (first + second + 1)) / 12);
    return u => normalTail(((first * second) / 2 - u - 0.5) / scale);
  }
  let sum = 0;
  const sums = toExactProbabilities(first, second).map(probability => {
    sum += probability;
    return sum;
  });
  return u => sums[u] ?? 1;
}

export type Allowance = {
  /** How many pairs may be the other way round; −1 where even none does not reach the confidence. */
  readonly pairs: number;
  /** The confidence that this many give. */
  readonly confidence: number;
};

/** How many pairs may be the other way round at a two-sided confidence. */
export function toAllowance(first: number, second: number, confidence: number): Allowance {
  const atMost = toCumulative(first, second);
  const errorOf = (pairs: number) => 2 * atMost(pairs);
  let pairs = -1;
  while (pairs < (first * second) / 2 && errorOf(pairs + 1) <= 1 - confidence + 1e-12) pairs += 1;
  return { pairs, confidence: Math.max(0, 1 - errorOf(Math.max(0, pairs))) };
}

type Samples = readonly [first: readonly number[], second: readonly number[]];

/** How many differences of pairs are at most `value`, the largest of these, and the smallest of the others. */
function lookAround([first, second]: Samples, value: number) {
  let [count, below, above] = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  let at = 0;
  for (const before of first) {
    while (at < second.length && (second[at] as number) - before <= value) at += 1;
    count += at;
    if (at > 0) below = Math.max(below, (second[at - 1] as number) - before);
    if (at < second.length) above = Math.min(above, (second[at] as number) - before);
  }
  return { count, below, above };
}

/**
 * The difference of a pair (second minus first) that `place` others are below, by halves of what is left: to list and
 * sort the ten thousand pairs of a long history takes a hundred times as long. Both samples in ascending order.
 */
export function toDifferenceAt(samples: Samples, place: number): number {
  const [first, second] = samples;
  let low = (second[0] as number) - (first.at(-1) as number);
  let high = (second.at(-1) as number) - (first[0] as number);
  while (low < high) {
    const middle = low + (high - low) / 2;
    const { count, below, above } = lookAround(samples, middle < high ? middle : low);
    if (count > place) high = below;
    else low = above;
  }
  return high;
}
