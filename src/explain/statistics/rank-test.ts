/**
 * The Mann-Whitney test of two samples: U counts the pairs (one value from each sample) whose order is opposite to that
 * of the samples. If the samples do not differ, its distribution depends only on their sizes.
 */

/** Max size for exact probabilities; the normal approximation beyond it allows up to three pairs fewer. */
const exactUpTo = 12;

/** Returns the probability of each U, by recursion on the sample with the largest value. */
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

/** Returns the upper tail of the normal distribution (Abramowitz and Stegun, 26.2.17; absolute error below 1e-7). */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

/** Returns a function for the probability that U is at most `u`. */
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
  /** Max number of pairs in the opposite order; −1 if even zero does not reach the confidence. */
  readonly pairs: number;
  /** Confidence with that number, or with zero if it is −1. */
  readonly confidence: number;
};

const known = new Map<string, Allowance>();
/** Max number of allowances in memory: the sizes and confidences of histories. */
const mostKnown = 20_000;

/** Returns the max number of pairs in the opposite order at a two-sided confidence. */
export function toAllowance(first: number, second: number, confidence: number): Allowance {
  const key = `${Math.min(first, second)} ${Math.max(first, second)} ${confidence}`;
  const allowance = known.get(key) ?? findAllowance(first, second, confidence);
  if (known.size < mostKnown) known.set(key, allowance);
  return allowance;
}

function findAllowance(first: number, second: number, confidence: number): Allowance {
  const atMost = toCumulative(first, second);
  const errorOf = (pairs: number) => 2 * atMost(pairs);
  let pairs = -1;
  while (pairs < (first * second) / 2 && errorOf(pairs + 1) <= 1 - confidence + 1e-12) pairs += 1;
  return { pairs, confidence: Math.max(0, 1 - errorOf(Math.max(0, pairs))) };
}

type Samples = readonly [first: readonly number[], second: readonly number[]];

/** Returns U in the direction with fewer pairs; ties count in both. Both samples must be in ascending order. */
export function countOpposite(first: ArrayLike<number>, second: ArrayLike<number>): number {
  let [below, upTo, larger, smaller] = [0, 0, 0, 0];
  for (let at = 0; at < second.length; at += 1) {
    const value = second[at] as number;
    while (below < first.length && (first[below] as number) < value) below += 1;
    while (upTo < first.length && (first[upTo] as number) <= value) upTo += 1;
    smaller += upTo;
    larger += first.length - below;
  }
  return Math.min(smaller, larger);
}

/** Returns the number of pair differences up to `value`, the largest of them, and the smallest of the others. */
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
 * Returns the difference of a pair (second minus first) at index `place` in ascending order, by bisection. Sorting the
 * ten thousand pairs of a long history would take a hundred times as long. Both samples must be in ascending order.
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
