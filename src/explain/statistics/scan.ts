import { type Random, shuffle } from './random.ts';

/** A segment of a series; `to` is exclusive. */
export type Stretch = { readonly from: number; readonly to: number };

/** Min number of points of a segment: fewer may be outliers. */
export const shortestStretch = 4;
/** Max number of borders to test in a long series; the exact border is found among all points afterwards. */
const mostBorders = 300;
/** Number of shuffles: a change must be clearer than in all of them, so p is at most 0.0025. */
const shuffles = 399;

/** Returns ranks in ascending order; equal values share their mean rank. */
export function toRanks(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranks = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to += 1;
    for (let at = from; at < to; at += 1) ranks[order[at] as number] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

const toBorders = (length: number): Int32Array => {
  const stride = Math.max(1, Math.ceil(length / mostBorders));
  const inner = Array.from({ length: Math.ceil(length / stride) }, (_, at) => at * stride);
  return Int32Array.from([0, ...inner.filter(at => at >= shortestStretch && at <= length - shortestStretch), length]);
};

/**
 * Returns cumulative sums of centred ranks at each border: the sum of a segment is the difference of two of them.
 * Writes into `sums`, which is reused for all shuffles.
 */
function toSums(ranks: Float64Array, borders: Int32Array, sums: Float64Array): Float64Array {
  const mean = (ranks.length - 1) / 2;
  for (let at = 0, sum = 0, border = 1; at < ranks.length; at += 1) {
    sum += (ranks[at] as number) - mean;
    if (at + 1 !== borders[border]) continue;
    sums[border] = sum;
    border += 1;
  }
  return sums;
}

/** Returns the segment whose ranks differ most from those of all other points, and its clearness. */
function findClearest(sums: Float64Array, borders: Int32Array, length: number): Stretch & { clearness: number } {
  let best = { from: 0, to: length, clearness: 0 };
  for (let first = 0; first < borders.length; first += 1) {
    const [from, before] = [borders[first] as number, sums[first] as number];
    for (let last = first + 1; last < borders.length; last += 1) {
      const inside = (borders[last] as number) - from;
      const outside = length - inside;
      if (inside < shortestStretch || outside < shortestStretch) continue;
      const sum = (sums[last] as number) - before;
      const clearness = (sum * sum) / (inside * outside);
      if (clearness > best.clearness) best = { from, to: borders[last] as number, clearness };
    }
  }
  return best;
}

type Scan = {
  readonly sums: Float64Array;
  readonly borders: Int32Array;
  readonly length: number;
  /** Min clearness of the segment. */
  readonly clearness: number;
};

const isClear = ({ sums, borders, length, clearness }: Scan, first: number, last: number): boolean => {
  const inside = (borders[last] as number) - (borders[first] as number);
  if (inside < shortestStretch || length - inside < shortestStretch) return false;
  const sum = (sums[last] as number) - (sums[first] as number);
  return sum * sum >= clearness * inside * (length - inside);
};

/** Returns whether a clear segment starts at this border. @param furthest upper bound of all its squared sums */
function hasClearFrom(scan: Scan, first: number, furthest: number): boolean {
  const { borders, length, clearness } = scan;
  const from = borders[first] as number;
  const isTooLong = (last: number) => {
    const inside = (borders[last] as number) - from;
    return clearness * inside * (length - inside) > furthest;
  };
  let last = first + 1;
  for (; last < borders.length && !isTooLong(last); last += 1) if (isClear(scan, first, last)) return true;
  // A segment that leaves few points outside counts as short, like one with few points inside.
  for (let late = borders.length - 1; late > last && !isTooLong(late); late -= 1)
    if (isClear(scan, first, late)) return true;
  return false;
}

/**
 * Returns whether any segment is clear. Only segments that are short, or leave few points outside, need to be tested:
 * usually a few percent. This function is called hundreds of times.
 */
function hasClear(scan: Scan): boolean {
  const { sums } = scan;
  let [least, most] = [0, 0];
  for (const sum of sums) {
    if (sum < least) least = sum;
    if (sum > most) most = sum;
  }
  for (let first = 0; first + 1 < sums.length; first += 1) {
    const before = sums[first] as number;
    if (hasClearFrom(scan, first, Math.max(most - before, before - least) ** 2)) return true;
  }
  return false;
}

/** Probability of an equally clear shuffle below which shuffling is skipped. */
const rarely = 1e-4;

/**
 * Returns whether chance is practically excluded. The deviation of a drawn rank is bounded by that of a normal variable
 * (the uniform distribution is strictly sub-Gaussian, and ties only combine ranks), and so is the sum of draws, even
 * without replacement (Hoeffding, 1963, theorem 4). So the sum of a segment, or of all points outside it if they are
 * fewer, deviates by `z` standard deviations in at most 2·exp(−z²/4) of all shuffles. For long series with clear
 * changes, this avoids most of the shuffling.
 */
const isBeyondChance = (clearness: number, { length }: Float64Array, borders: Int32Array): boolean => {
  const squaredZ = (12 * clearness) / (length + 1);
  return squaredZ / 4 >= Math.log(borders.length ** 2 / rarely);
};

/**
 * Finds the segment of a series that differs from the rest more clearly than by chance: at the beginning, at the end,
 * or in between (a change and its reversal). Ranks make it independent of the distribution; shuffles of the same points
 * represent chance.
 */
export function findStretch(values: readonly number[], random: Random): Stretch | undefined {
  if (values.length < 2 * shortestStretch) return undefined;
  const ranks = Float64Array.from(toRanks(values));
  const borders = toBorders(values.length);
  const sums = new Float64Array(borders.length);
  const { length } = values;
  const { from, to, clearness } = findClearest(toSums(ranks, borders, sums), borders, length);
  if (isBeyondChance(clearness, ranks, borders)) return { from, to };
  // The tolerance covers rounding errors of the sums.
  const scan = { sums, borders, length, clearness: clearness - 1e-9 };
  for (let count = 0; count < shuffles; count += 1) {
    toSums(shuffle(ranks, random), borders, sums);
    if (hasClear(scan)) return undefined;
  }
  return { from, to };
}
