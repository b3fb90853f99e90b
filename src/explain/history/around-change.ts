/** What differed before and after a change of a value: how its points were measured, and which other values changed. */

import type { History, HistoryChange, HistoryDifference } from '../../contract/stored/history.ts';
import { type MeasuredValue, medianOf, tidy, toSorted } from '../../presentation/values.ts';
import { scoredMetrics } from '../../presentation/words.ts';
import { sayAnalyser } from '../change/differences.ts';
import { type ChangePoint, compareAround, type PointDifference } from '../statistics/change-points.ts';
import { directionOf, isTime, smallestEffectOf, unitOf } from '../statistics/smallest-effect.ts';
import type { Point } from './points.ts';

/**
 * Facts of a point, each with a tolerance for the time of a change in points: a version that changed one point earlier
 * or later may be its cause. Labels often differ at each point, so only those at the change itself matter.
 */
type MeasuredPoint = Pick<Point, 'analyser' | 'profile' | 'label'>;
const facts: readonly (readonly [
  name: HistoryDifference['name'],
  of: (point: MeasuredPoint) => string | null,
  reach: 0 | 1,
])[] = [
  ['lighthouse_version', ({ analyser }) => analyser.lighthouseVersion, 1],
  ['browser_version', ({ analyser }) => analyser.browserVersion, 1],
  ['profile', ({ profile }) => profile, 1],
  ['analyser', ({ analyser }) => sayAnalyser(analyser), 1],
  ['machine_id', ({ analyser }) => analyser.machineId, 1],
  ['label', ({ label }) => label, 0],
];

/**
 * Returns differences in how the points before and after a change were measured.
 * @param at index of the first point after it
 */
export const toDifferences = (points: readonly MeasuredPoint[], at: number): HistoryDifference[] =>
  facts.flatMap(([name, of, reach]) => {
    const ends = [points[Math.max(0, at - 1 - reach)], points[Math.min(points.length - 1, at + reach)]];
    const [before = null, after = null] = ends.map(point => (point ? of(point) : null));
    return before === after ? [] : [{ name, before, after }];
  });

/** A change, and the neighbouring ones or the ends of the history. */
export type Around = { readonly from: number; readonly at: number; readonly to: number };

/** @param end number of points */
export const toAround = (changes: readonly ChangePoint<unknown>[], place: number, end: number): Around => ({
  from: changes[place - 1]?.index ?? 0,
  at: changes[place]?.index ?? end,
  to: changes[place + 1]?.index ?? end,
});

/**
 * Numbers of points before and after a change whose speeds are compared. Both must show the difference, so that a speed
 * that changed at another time does not count.
 */
const speedPoints = [5, 20];

type SpeedPoint = Pick<Point, 'benchmarkIndex'> & Partial<Pick<Point, 'cpuSlowdown'>>;

/** Speeds of the CPU, each with the ratio of medians that matters: times then differ on an unchanged page too. */
const speeds: readonly (readonly [
  name: HistoryDifference['name'],
  of: (point: SpeedPoint) => number | null,
  leastRatio: number,
  say: (median: number) => string,
])[] = [
  // A calibrated multiplier varies with the measurements behind it.
  ['throttling', ({ cpuSlowdown = null }) => cpuSlowdown, 1.1, median => `CPU ${tidy(median)}×`],
  ['benchmark_index', ({ benchmarkIndex }) => benchmarkIndex, 1.3, median => `${Math.round(median)}`],
];

export const toSpeedDifferences = (points: readonly SpeedPoint[], { from, at, to }: Around): HistoryDifference[] =>
  speeds.flatMap(([name, of, leastRatio, say]) => {
    const medianIn = (start: number, end: number) => medianOf(toSorted(points.slice(start, end).map(of)));
    const medians = speedPoints.map(
      count => [medianIn(Math.max(from, at - count), at), medianIn(at, Math.min(to, at + count))] as const,
    );
    const [before, after] = medians.at(-1) ?? [Number.NaN, Number.NaN];
    const isOther = medians.every(sides => Math.max(...sides) / Math.min(...sides) >= leastRatio);
    return isOther ? [{ name, before: say(before), after: say(after) }] : [];
  });

/** A change of a value, and the other values of the same loads that changed with it. */
type MovedValue = Pick<PointDifference, 'before' | 'after' | 'status'>;
type NamedMove = MovedValue & { readonly name: History['metric'] };

/** Returns whether a faster or slower machine can explain a change of a value, and of all that changed with it. */
export const isOfMachine = (
  { also, ...change }: MovedValue & { readonly also: readonly NamedMove[] },
  metric: History['metric'],
  differences: readonly HistoryDifference[],
): boolean => {
  const speed = differences.find(({ name }) => name === 'benchmark_index');
  return speed !== undefined && [{ name: metric, ...change }, ...also].every(moved => followsSpeed(moved, speed));
};

/**
 * Returns whether a machine can explain a change of a time or of the performance score alone. Bounds are generous:
 * blocking time grows faster than the processor slows down, and a score falls with all its metrics.
 */
function followsSpeed({ name: metric, before, after, status }: NamedMove, speed: HistoryDifference): boolean {
  const ratio = Number(speed.before) / Number(speed.after);
  if (ratio > 1 !== (status === 'worse')) return false;
  const slowdown = Math.max(ratio, 1 / ratio);
  const [low, high] = [Math.min(before, after), Math.max(before, after)];
  if (metric === 'performance') return high - low <= 40 * Math.log2(slowdown);
  if (metric === 'total_blocking_time') return high - low <= (slowdown - 1) * (2 * low + 300);
  return isTime(metric) && high <= low * slowdown ** 1.5;
}

/** Values of one load that change together: its score and the metrics in it. */
const together = ['performance', ...scoredMetrics] as const;
type Together = (typeof together)[number];
export const isTogether = (metric: History['metric']): metric is Together =>
  (together as readonly string[]).includes(metric);

export const othersOf = (metric: History['metric']): Together[] =>
  isTogether(metric) ? together.filter(name => name !== metric) : [];

/** Returns how values differ around a change, those of which that matters. @param valuesOf values of each point */
export const toAlso = (
  names: readonly Together[],
  valuesOf: (name: Together) => readonly MeasuredValue[],
  around: Around,
): HistoryChange['also'] =>
  names.flatMap(name => {
    const options = { direction: directionOf(name), smallestEffect: smallestEffectOf(name) };
    const difference = compareAround(valuesOf(name), around, options);
    return difference ? [{ name, unit: unitOf(name), ...difference }] : [];
  });
