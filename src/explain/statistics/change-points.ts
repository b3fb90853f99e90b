/**
 * Finds the lasting changes of a series as somebody would who looks at it after every new point. Two kinds of evidence
 * count: order (ranks, for small steps among many points) and size (a step many times the usual spread, for which a few
 * points are enough). A change stays until later values contradict it. `npm run bench:change -- --only looks` has the
 * figures that chose the constants.
 */

import { isMeasured, type MeasuredValue, medianOf, tidy } from '../../presentation/values.ts';
import { type Interval, isApart, tidyInterval, toRankInterval, toStandardError } from './interval.ts';
import { countOpposite, toAllowance } from './rank-test.ts';
import { type Direction, type SmallestEffect, toSmallest } from './smallest-effect.ts';

/** A median of a history; a point without a value is a gap. */
export type TimedValue<Time> = { readonly time: Time; readonly value: MeasuredValue };

export type ChangePoint<Time> = {
  /** Index of the first point after the change, among all given points. */
  readonly index: number;
  readonly time: Time;
  /** Time of the last point before the change, which happened between the two. */
  readonly previous_time: Time;
  /** Medians of the segments before and after the change, each of at most a hundred points. */
  readonly before: number;
  readonly after: number;
  /** Difference of the medians, after minus before. */
  readonly difference: number;
  readonly interval: Interval;
  readonly confidence: number;
  readonly status: 'better' | 'worse';
};

export type SeriesOptions = {
  readonly direction: Direction;
  readonly smallestEffect: SmallestEffect;
  /** Indices at which the page is known to have changed: a change of these values a few points away is the same event. */
  readonly events?: readonly number[];
};

/** Confidence of the intervals in answers. */
const confidence = 0.98;
/** Confidence of ranks for a new change. It is high because every point is another chance for a false one. */
const newConfidence = 0.9998;
/** Max number of points on each side of a border that count. */
const nearest = 100;
/** Min numbers of points before and after a new change. Two points between others are outliers. */
const [fewestBefore, fewestAfter] = [3, 2];
/** Numbers of latest points that are compared with those before them. */
const lengths = [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 32, 40, 50, 65, 80, 100] as const;
/** Longer ones are tried at every so many points only: their first points were tried as shorter ones. */
const toStride = (length: number): number => Math.max(1, Math.floor(length / 10));
/** Shares of many and of few latest points that must be on one side of the median before them: less is never clear. */
const [leastOneSided, leastOneSidedOfFew, fewPoints] = [0.65, 0.8, 12];
/** Min size of a step in standard errors, with two points after it and with more. */
const [leastErrorsOfTwo, leastErrors] = [7, 4];
/** A step of so many smallest effects (30 points of a score) without overlap is clear from three points a side. */
const obvious = 15;
/** Number of points after a change from which ranks may contradict it. */
const enoughToContradict = 12;
/** Max distance in points by which new values move a known change. */
const mostMoved = 6;
/** Max distance in points between the changes of two values that are one event. */
export const oneEvent = 3;

/** A border, and the ends of the segments before and after it. */
type Ends = { readonly from: number; readonly at: number; readonly to: number };

/** Returns the values in ascending order. Typed arrays sort several times as fast. */
const toSample = (values: Float64Array, from: number, to: number): Float64Array => values.slice(from, to).sort();

function toSides(values: Float64Array, { from, at, to }: Ends) {
  const before = toSample(values, Math.max(from, at - nearest), at);
  const after = toSample(values, at, Math.min(to, at + nearest));
  const medians = [medianOf(before), medianOf(after)] as const;
  return { before, after, medians, difference: medians[1] - medians[0] };
}
type SplitSides = ReturnType<typeof toSides>;

const toError = ({ before, after, medians }: SplitSides, effect: SmallestEffect): number =>
  toStandardError(before, after, toSmallest(effect, medians[0]));

const hasZero = ([low, high]: Interval): boolean => low <= 0 && high >= 0;
const matters = ({ difference, medians }: SplitSides, effect: SmallestEffect): boolean =>
  Math.abs(difference) >= toSmallest(effect, medians[0]);

function isClearBySize(sides: SplitSides, effect: SmallestEffect): boolean {
  const [before, after] = [sides.before.length, sides.after.length];
  if (before < fewestBefore || after < fewestAfter || !isApart(sides.before, sides.after)) return false;
  const size = Math.abs(sides.difference);
  if (after > fewestAfter && size >= obvious * toSmallest(effect, sides.medians[0])) return true;
  const least = after === fewestAfter ? leastErrorsOfTwo : leastErrors;
  return size >= toError(sides, effect) * least * (1 + (before + after - 2) ** -1.5);
}

function isClearByRanks({ before, after }: SplitSides): boolean {
  const { pairs } = toAllowance(before.length, after.length, newConfidence);
  return pairs >= 0 && countOpposite(before, after) <= pairs;
}

/** Returns the interval of the difference: by ranks or, for few points, by size (Student's t, approximately). */
function toInterval(sides: SplitSides, effect: SmallestEffect) {
  const byRanks = toRankInterval([...sides.before], [...sides.after], confidence);
  if (byRanks && byRanks.confidence >= confidence && !hasZero(byRanks.interval)) return byRanks;
  const freedom = sides.before.length + sides.after.length - 2;
  const reach = toError(sides, effect) * 2.33 * (1 + 2.4 / freedom);
  return { interval: [sides.difference - reach, sides.difference + reach] as const, confidence };
}

function isContradicted(sides: SplitSides, effect: SmallestEffect): boolean {
  if (!matters(sides, effect)) return true;
  if (hasZero(toInterval(sides, effect).interval)) return true;
  if (sides.after.length < enoughToContradict) return false;
  const byRanks = toRankInterval([...sides.before], [...sides.after], confidence);
  return byRanks !== undefined && hasZero(byRanks.interval);
}

/** Returns the border that best separates two medians: the least sum of distances to them. */
function refine(values: Float64Array, { from, at, to }: Ends): number {
  const [before, after] = toSides(values, { from, at, to }).medians;
  let [sum, least, best] = [0, Number.POSITIVE_INFINITY, at];
  for (let border = from + 1; border <= to - fewestAfter; border += 1) {
    const value = values[border - 1] as number;
    sum += Math.abs(value - before) - Math.abs(value - after);
    // The tolerance prefers the earlier of two equal borders, whatever the rounding of sums.
    if (border - from >= fewestAfter && sum < least - 1e-9) [least, best] = [sum, border];
  }
  return best;
}

/** Removes a value from an ascending sample of `size` values, and returns the new size. */
function remove(sample: Float64Array, size: number, value: number): number {
  let [low, high] = [0, size - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sample[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  sample.copyWithin(low, low + 1, size);
  return size - 1;
}

/** Returns whether the points from `at` to `to` are mostly on one side of a value: a quick test. */
function isOneSided(values: Float64Array, at: number, to: number, middle: number): boolean {
  let [above, below] = [0, 0];
  for (let place = at; place < to; place += 1) {
    const value = values[place] as number;
    if (value > middle) above += 1;
    else if (value < middle) below += 1;
  }
  const length = to - at;
  return Math.max(above, below) >= (length > fewPoints ? leastOneSided : leastOneSidedOfFew) * length;
}

/** Returns the border of a change among the points from `from` to `to`, if the latest of them show one. */
function findNew(values: Float64Array, from: number, to: number, effect: SmallestEffect): number | undefined {
  const earlier = toSample(values, Math.max(from, to - 2 * nearest), to);
  let size = earlier.length;
  let at = to;
  for (const length of lengths) {
    for (; at > to - length; at -= 1) size = remove(earlier, size, values[at - 1] as number);
    if (at - from < fewestBefore) return undefined;
    if (to % toStride(length) > 0 || !isOneSided(values, at, to, medianOf(earlier, size))) continue;
    const ends = { from, at, to };
    const sides = toSides(values, ends);
    if (matters(sides, effect) && (isClearBySize(sides, effect) || isClearByRanks(sides))) return refine(values, ends);
  }
  return undefined;
}

/** Moves the last border to where the values up to `to` put it, and removes it if they contradict it. */
function review(values: Float64Array, borders: number[], to: number, effect: SmallestEffect): void {
  const [at, from] = [borders.at(-1), borders.at(-2) ?? 0];
  if (at === undefined || to - at > nearest) return;
  const near = { from: Math.max(from, at - mostMoved), at, to: Math.min(to, at + 2 * mostMoved) };
  const moved = refine(values, near);
  const place = moved - from >= fewestBefore ? moved : at;
  borders.pop();
  if (!isContradicted(toSides(values, { from, at: place, to }), effect)) borders.push(place);
}

/**
 * Returns the borders between segments. @param look receives the borders after each point
 */
export function findBorders(
  series: Iterable<number>,
  effect: SmallestEffect,
  look?: (points: number, borders: readonly number[]) => void,
): readonly number[] {
  const values = Float64Array.from(series);
  const borders: number[] = [];
  for (let to = fewestBefore + fewestAfter; to <= values.length; to += 1) {
    const at = findNew(values, borders.at(-1) ?? 0, to, effect);
    // The values of a new step say nothing about the last one.
    review(values, borders, at ?? to, effect);
    if (at !== undefined) borders.push(at);
    look?.(to, borders);
  }
  return borders;
}

/** Moves borders to known events that are near, unless the values contradict it. */
function toEvents(values: Float64Array, borders: readonly number[], events: readonly number[], effect: SmallestEffect) {
  return borders.map((at, place) => {
    const [from, to] = [borders[place - 1] ?? 0, borders[place + 1] ?? values.length];
    const event = events
      .filter(other => Math.abs(other - at) <= oneEvent && other - from > oneEvent && to - other > 1)
      .toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at))
      .find(other => !isContradicted(toSides(values, { from, at: other, to }), effect));
    return event ?? at;
  });
}

export type PointDifference = Pick<ChangePoint<unknown>, 'before' | 'after' | 'difference' | 'status'>;

/** Returns how values differ before and after a known change, or undefined if they do not differ by what matters. */
export function compareAround(
  series: readonly MeasuredValue[],
  { from, at, to }: Ends,
  { direction, smallestEffect }: SeriesOptions,
): PointDifference | undefined {
  const [before, after] = [series.slice(from, at), series.slice(at, to)].map(side => side.filter(isMeasured));
  if (!before || !after || before.length < fewestBefore || after.length < fewestAfter) return undefined;
  const ends = { from: 0, at: before.length, to: before.length + after.length };
  const sides = toSides(Float64Array.from([...before, ...after]), ends);
  return isContradicted(sides, smallestEffect) ? undefined : toDifference(sides, direction);
}

function toDifference({ medians, difference }: SplitSides, direction: Direction): PointDifference {
  const status = difference > 0 === (direction === 'higher_is_better') ? 'better' : 'worse';
  return { before: tidy(medians[0]), after: tidy(medians[1]), difference: tidy(difference), status };
}

/** Finds lasting changes of a series with an effect that matters. The points are in the order of their times. */
export function findChangePoints<Time>(
  points: readonly TimedValue<Time>[],
  { direction, smallestEffect, events = [] }: SeriesOptions,
): ChangePoint<Time>[] {
  const measured = points.flatMap(({ time, value }, index) => (isMeasured(value) ? [{ time, value, index }] : []));
  const values = Float64Array.from(measured, ({ value }) => value);
  const places = events.map(event => measured.findIndex(({ index }) => index >= event));
  const borders = toEvents(values, findBorders(values, smallestEffect), places, smallestEffect);
  return borders.flatMap((at, place) => {
    const [point, previous] = [measured[at], measured[at - 1]];
    if (!point || !previous) return [];
    const ends = { from: borders[place - 1] ?? 0, at, to: borders[place + 1] ?? values.length };
    const sides = toSides(values, ends);
    const { interval, confidence: reached } = toInterval(sides, smallestEffect);
    return {
      ...toDifference(sides, direction),
      index: point.index,
      time: point.time,
      previous_time: previous.time,
      interval: tidyInterval(interval),
      confidence: tidy(reached),
    };
  });
}
