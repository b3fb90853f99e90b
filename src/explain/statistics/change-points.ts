import { type Interval, toRankInterval } from './interval.ts';
import { type Random, toRandom } from './random.ts';
import { findStretch, shortestStretch } from './scan.ts';
import { type Direction, type SmallestEffect, toSmallest } from './smallest-effect.ts';
import { isMeasured, type MeasuredValue, medianOf, tidy, toSorted } from './values.ts';

/** A median of a history; a point without a value is a gap. */
export type SeriesPoint<Time> = { readonly time: Time; readonly value: MeasuredValue };

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

export type SeriesOptions = { readonly direction: Direction; readonly smallestEffect: SmallestEffect };

const confidence = 0.98;
const nearest = 100;
/** Max number of points since a fresh change. With more of them, the scan of all segments finds the change. */
const mostFresh = 12;
/** Confidence for a fresh change. It is high because every new point is another chance for a false one. */
const freshConfidence = 0.9998;

const isBorder = (at: number, length: number) => at > 0 && at < length;

/** Returns the borders between segments, found top down: each segment is searched again. */
function search(values: readonly number[], random: Random): number[] {
  const found: number[] = [];
  const open = [{ from: 0, to: values.length }];
  for (let part = open.pop(); part; part = open.pop()) {
    const { from, to } = part;
    const stretch = findStretch(values.slice(from, to), random);
    if (!stretch) continue;
    const cuts = [stretch.from, stretch.to].filter(at => isBorder(at, to - from)).map(at => at + from);
    found.push(...cuts);
    const ends = [from, ...cuts, to];
    for (const [at, end] of ends.slice(1).entries()) open.push({ from: ends[at] as number, to: end });
  }
  return found.sort((a, b) => a - b);
}

/**
 * Returns the border of a fresh change: the last few points differ from up to a hundred points before them, clearly and
 * by an effect that matters. The scan needs more points for that, because it looks for a change anywhere.
 */
function findFresh(values: readonly number[], effect: SmallestEffect): number | undefined {
  const most = Math.min(mostFresh, Math.floor(values.length / 2));
  for (let fresh = most; fresh >= shortestStretch; fresh -= 1) {
    const at = values.length - fresh;
    const step = toStep(values, { from: 0, at, to: values.length }, freshConfidence);
    if (toWeight(step, effect, freshConfidence) >= 1) return at;
  }
  return undefined;
}

/** A border, and the ends of the segments before and after it. */
type Ends = { readonly from: number; readonly at: number; readonly to: number };

/** Caches judgements by border: when one is removed, only its neighbours are judged again. */
function remember<T>(judge: (ends: Ends) => T): (ends: Ends) => T {
  const known = new Map<string, T>();
  return ends => {
    const key = `${ends.from} ${ends.at} ${ends.to}`;
    const found = known.get(key) ?? judge(ends);
    known.set(key, found);
    return found;
  };
}

/**
 * Returns the border that best separates two medians (least sum of distances) and leaves enough points on both sides.
 */
function refine(values: readonly number[], { from, at, to }: Ends): number {
  const [before, after] = [values.slice(from, at), values.slice(at, to)].map(part => medianOf(toSorted(part)));
  let [sum, least, best] = [0, Number.POSITIVE_INFINITY, at];
  for (let border = from + 1; border < to; border += 1) {
    const value = values[border - 1] as number;
    sum += Math.abs(value - (before as number)) - Math.abs(value - (after as number));
    if (border < from + shortestStretch || border > to - shortestStretch) continue;
    if (sum < least) [least, best] = [sum, border];
  }
  return best;
}

/** Returns each border with its neighbours. */
const withEnds = (borders: readonly number[], length: number): Ends[] =>
  borders.map((at, index) => ({ from: borders[index - 1] ?? 0, at, to: borders[index + 1] ?? length }));

function refineAll(toRefined: (ends: Ends) => number, borders: readonly number[], length: number): number[] {
  let refined = [...borders];
  for (let round = 0; round < 3; round += 1) refined = withEnds(refined, length).map(toRefined);
  return refined;
}

type Step = ReturnType<typeof toStep>;

/** Compares the segments on both sides of a border. */
function toStep(values: readonly number[], { from, at, to }: Ends, wanted = confidence) {
  const before = toSorted(values.slice(Math.max(from, at - nearest), at));
  const after = toSorted(values.slice(at, Math.min(to, at + nearest)));
  const [medianBefore, medianAfter] = [medianOf(before), medianOf(after)];
  const judged = toRankInterval(before, after, wanted) ?? { interval: [0, 0] as const, confidence: 0 };
  return { ...judged, at, before: medianBefore, after: medianAfter, difference: tidy(medianAfter - medianBefore) };
}

/** Returns the weight of a step: at least 1 if it matters, 0 if its interval includes zero. */
function toWeight(
  { difference, before, interval: [low, high], confidence: reached }: Step,
  effect: SmallestEffect,
  wanted = confidence,
) {
  if (reached < wanted || (low <= 0 && high >= 0)) return 0;
  return Math.abs(difference) / toSmallest(effect, before);
}

/** Removes the borders of steps that do not matter, the smallest first: their two segments become one. */
function keepStepsThatMatter(values: readonly number[], found: readonly number[], effect: SmallestEffect): Step[] {
  const toRefined = remember(ends => refine(values, ends));
  const toJudged = remember(ends => toStep(values, ends));
  let borders = refineAll(toRefined, found, values.length);
  for (;;) {
    const steps = withEnds(borders, values.length).map(toJudged);
    const weights = steps.map(step => toWeight(step, effect));
    const least = Math.min(...weights);
    if (steps.length === 0 || least >= 1) return steps;
    const out = weights.indexOf(least);
    const kept = borders.filter((_, at) => at !== out);
    borders = refineAll(toRefined, kept, values.length);
  }
}

/** Finds lasting changes of a series with an effect that matters. The points are in the order of their times. */
export function findChangePoints<Time>(
  points: readonly SeriesPoint<Time>[],
  { direction, smallestEffect }: SeriesOptions,
): ChangePoint<Time>[] {
  const measured = points.flatMap(({ time, value }, index) => (isMeasured(value) ? [{ time, value, index }] : []));
  const values = measured.map(({ value }) => value);
  const found = search(values, toRandom(values));
  const last = found.at(-1) ?? 0;
  const fresh = findFresh(values.slice(last), smallestEffect);
  if (fresh !== undefined) found.push(last + fresh);
  return keepStepsThatMatter(values, found, smallestEffect).flatMap(step => {
    const [point, previous] = [measured[step.at], measured[step.at - 1]];
    if (!point || !previous) return [];
    const [low, high] = step.interval;
    return {
      index: point.index,
      time: point.time,
      previous_time: previous.time,
      before: tidy(step.before),
      after: tidy(step.after),
      difference: step.difference,
      interval: [tidy(low), tidy(high)] as const,
      confidence: tidy(step.confidence),
      status: step.difference > 0 === (direction === 'higher_is_better') ? ('better' as const) : ('worse' as const),
    };
  });
}
