/**
 * Other methods of change-point detection, for comparison with the one in use. Each returns borders, without a minimum
 * effect.
 */
import { type Random, shuffle, toRandom } from '../../src/explain/statistics/random.ts';

/** Min number of points of a segment. */
const shortestStretch = 4;

/** Returns ranks in ascending order; equal values share their mean rank. */
function toRanks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranks = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to += 1;
    for (let at = from; at < to; at += 1) ranks[order[at] as number] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

type Split = { at: number; clearness: number };
type FindSplit = (values: readonly number[]) => Split;

const shuffles = 399;
const mostAsClear = 0;

/** Splits top down while no shuffle of the points has a split as clear. */
function bisect(values: readonly number[], findSplit: FindSplit, random: Random): number[] {
  if (values.length < 2 * shortestStretch) return [];
  const { at, clearness } = findSplit(values);
  let asClear = 0;
  for (let count = 0; count < shuffles; count += 1) {
    if (findSplit(shuffle([...values], random)).clearness >= clearness - 1e-9) asClear += 1;
    if (asClear > mostAsClear) return [];
  }
  const later = bisect(values.slice(at), findSplit, random).map(border => border + at);
  return [...bisect(values.slice(0, at), findSplit, random), at, ...later];
}

/** Binary segmentation by the Mann-Whitney statistic (Pettitt). */
const splitByRanks: FindSplit = values => {
  const ranks = toRanks(values);
  const length = values.length;
  let best: Split = { at: 0, clearness: -1 };
  let sum = 0;
  for (let at = 1; at < length; at += 1) {
    sum += (ranks[at - 1] as number) - (length - 1) / 2;
    if (at < shortestStretch || at > length - shortestStretch) continue;
    const clearness = (sum * sum) / (at * (length - at));
    if (clearness > best.clearness) best = { at, clearness };
  }
  return best;
};

/**
 * E-divisive with one border, as in Hunter and Otava: mean pairwise distances, from sums that are updated as the split
 * moves.
 */
const splitByEnergy: FindSplit = values => {
  const length = values.length;
  const distance = (a: number, b: number) => Math.abs((values[a] as number) - (values[b] as number));
  let [left, between, right] = [0, 0, 0];
  for (let a = 0; a < length; a += 1) for (let b = 0; b < a; b += 1) right += distance(a, b);
  let best: Split = { at: 0, clearness: -1 };
  for (let at = 1; at < length; at += 1) {
    let [toLeft, toRight] = [0, 0];
    for (let other = 0; other < at - 1; other += 1) toLeft += distance(at - 1, other);
    for (let other = at; other < length; other += 1) toRight += distance(at - 1, other);
    left += toLeft;
    right -= toRight;
    between += toRight - toLeft;
    if (at < shortestStretch || at > length - shortestStretch) continue;
    const rest = length - at;
    const energy =
      (2 * between) / (at * rest) -
      (2 * left) / (at * Math.max(1, at - 1)) -
      (2 * right) / (rest * Math.max(1, rest - 1));
    const clearness = (energy * at * rest) / length;
    if (clearness > best.clearness) best = { at, clearness };
  }
  return best;
};

/** The optimum that PELT finds, by plain dynamic programming; the cost is the sum of distances from the median. */
function partition(values: readonly number[]): number[] {
  const length = values.length;
  const steps = values.slice(1).map((value, at) => Math.abs(value - (values[at] as number)));
  const noise = (steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0) / 0.954;
  const penalty = 3 * Math.log(length) * Math.max(noise, 1e-9);
  const least = [0, ...new Array<number>(length).fill(Number.POSITIVE_INFINITY)];
  const from = new Array<number>(length + 1).fill(0);
  for (let end = shortestStretch; end <= length; end += 1)
    for (let begin = 0; begin <= end - shortestStretch; begin += 1) {
      if (least[begin] === Number.POSITIVE_INFINITY) continue;
      const part = values.slice(begin, end).sort((a, b) => a - b);
      const median = part[part.length >> 1] as number;
      const cost = part.reduce((sum, value) => sum + Math.abs(value - median), 0);
      const total = (least[begin] as number) + cost + (begin > 0 ? penalty : 0);
      if (total < (least[end] as number)) [least[end], from[end]] = [total, begin];
    }
  const borders: number[] = [];
  for (let end = from[length] as number; end > 0; end = from[end] as number) borders.unshift(end);
  return borders;
}

export type FindBorders = (values: readonly number[]) => number[];
export const otherChangePoints: Readonly<Record<string, FindBorders>> = {
  'binary segmentation, ranks': values => bisect(values, splitByRanks, toRandom(values)),
  'E-divisive, one border': values => bisect(values, splitByEnergy, toRandom(values)),
  'PELT, distance from median': partition,
};
