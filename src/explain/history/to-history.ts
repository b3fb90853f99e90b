/** Converts a series to points, change points and gaps: 10,000 points take a few tenths of a second. */

import type {
  History,
  HistoryChange,
  HistoryDifference,
  HistoryPoint,
  Segment,
} from '../../contract/stored/history.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { medianOf, tidy, toSorted } from '../../presentation/values.ts';
import { scoredMetrics } from '../../presentation/words.ts';
import { unpackSeries } from '../../storage/results/packed-series.ts';
import type { PackedSeries, Series } from '../../storage/results/store.ts';
import { sayAnalyser } from '../change/differences.ts';
import { type ChangePoint, compareAround, findBorders, findChangePoints } from '../statistics/change-points.ts';
import {
  directionOf,
  isTime,
  type SmallestEffect,
  smallestEffectOf,
  toSmallest,
  unitOf,
} from '../statistics/smallest-effect.ts';
import { type Point, toGaps, toIso, toPoints } from './points.ts';

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

/** Number of points before and after a change whose speeds are compared. */
const speedPoints = 20;

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
    const before = medianIn(Math.max(from, at - speedPoints), at);
    const after = medianIn(at, Math.min(to, at + speedPoints));
    const isOther = Math.max(before, after) / Math.min(before, after) >= leastRatio;
    return isOther ? [{ name, before: say(before), after: say(after) }] : [];
  });

export const benchmarkOf = (differences: readonly HistoryDifference[]): HistoryDifference | undefined =>
  differences.find(({ name }) => name === 'benchmark_index');

/**
 * Returns whether a faster or slower machine can explain a change of a time or of the performance score alone. Bounds are
 * generous: blocking time grows faster than the processor slows down, and a score falls with all its metrics.
 */
export function isOfMachine(
  { before, after, status }: Pick<HistoryChange, 'before' | 'after' | 'status'>,
  metric: History['metric'],
  speed: HistoryDifference | undefined,
): boolean {
  if (!speed) return false;
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
const isTogether = (metric: History['metric']): metric is Together => (together as readonly string[]).includes(metric);

export const othersOf = (metric: History['metric']): Together[] =>
  isTogether(metric) ? together.filter(name => name !== metric) : [];

/** Returns the indices at which the score changed, for the history of a metric that is part of it. */
function toEvents(points: readonly Point[], metric: History['metric']): number[] {
  const measured = points.flatMap(({ others: { performance } }, index) =>
    typeof performance === 'number' && isTogether(metric) ? [{ performance, index }] : [],
  );
  const borders = findBorders(
    measured.map(({ performance }) => performance),
    smallestEffectOf('performance'),
  );
  return borders.flatMap(border => measured[border]?.index ?? []);
}

/** A change, and the neighbouring ones or the ends of the history. */
type Around = { readonly from: number; readonly at: number; readonly to: number };

/** @param end number of points */
export const toAround = (changes: readonly ChangePoint<unknown>[], place: number, end: number): Around => ({
  from: changes[place - 1]?.index ?? 0,
  at: changes[place]?.index ?? end,
  to: changes[place + 1]?.index ?? end,
});

/** The order with a packed series, as the thread receives it. */
export type PackedHistoryOrder = Omit<HistoryOrder, 'series'> & { readonly series: PackedSeries };

export const unpackOrder = ({ series, ...order }: PackedHistoryOrder): HistoryOrder => ({
  ...order,
  series: unpackSeries(series),
});

export type HistoryOrder = {
  readonly series: Series;
  /** Max number of points and failures of the series: a series with as many is incomplete. */
  readonly limit: number;
} & Pick<History, 'url' | 'strategy' | 'source' | 'metric' | 'label' | 'notes'> & {
    readonly field?: History['field'];
  };

const toMedian = (points: readonly Point[]): number => tidy(medianOf(toSorted(points.map(({ value }) => value))));

const toAnswered = ({ id, ids, measuredAtMs, value, label, analyser, disturbed }: Point): HistoryPoint => ({
  id,
  links: { self: `/results/${id}` },
  fetched_at: toIso(measuredAtMs),
  value,
  ids: [...ids],
  label,
  lighthouse_version: analyser.lighthouseVersion,
  browser_version: analyser.browserVersion,
  disturbed,
});

function toSegmentes(points: readonly Point[], borders: readonly number[]): Segment[] {
  const ends = [...borders, points.length];
  return ends.flatMap((end, at) => {
    const within = points.slice(ends[at - 1] ?? 0, end);
    const [first, last] = [within[0], within.at(-1)];
    if (!first || !last) return [];
    return [
      {
        from: toIso(first.measuredAtMs),
        to: toIso(last.measuredAtMs),
        points: within.length,
        median: toMedian(within),
      },
    ];
  });
}

const toAlso = (points: readonly Point[], metric: History['metric'], around: Around): HistoryChange['also'] =>
  othersOf(metric).flatMap(name => {
    const values = points.map(({ others }) => others[name] ?? null);
    const direction = directionOf(name);
    const difference = compareAround(values, around, { direction, smallestEffect: smallestEffectOf(name) });
    return difference ? [{ name, unit: unitOf(name), ...difference }] : [];
  });

function toChange(
  points: readonly Point[],
  metric: History['metric'],
  { index, ...change }: ChangePoint<number>,
  around: Around,
  notes: History['notes'],
): HistoryChange {
  const { status, time, previous_time, before, after, difference, interval, confidence } = change;
  return {
    status,
    previous_fetched_at: toIso(previous_time),
    fetched_at: toIso(time),
    previous_id: points[index - 1]?.id ?? '',
    id: points[index]?.id ?? '',
    before,
    after,
    difference,
    percent: before === 0 ? null : Number(((100 * difference) / Math.abs(before)).toFixed(1)),
    interval: { low: interval[0], high: interval[1], confidence },
    also: toAlso(points, metric, around),
    differences: [...toDifferences(points, index), ...toSpeedDifferences(points, around)],
    notes: notes.filter(note => note.time >= toIso(previous_time) && note.time <= toIso(time)).slice(0, 10),
  };
}

const enoughForRange = 4;

/**
 * Finds a change that is not certain yet: the last undisturbed point is outside the range of those before it, by an
 * effect that matters. Null if it is not, or if there are too few points.
 * @param points since the last change
 */
function toPossibleChange(
  points: readonly Point[],
  direction: History['direction'],
  smallestEffect: SmallestEffect,
): History['possible_change'] {
  const quiet = points.filter(point => !isDisturbed(point));
  const last = quiet.at(-1);
  const before = quiet.slice(0, -1).map(({ value }) => value);
  if (!last || before.length < enoughForRange) return null;
  const [above, below] = [last.value - Math.max(...before), Math.min(...before) - last.value];
  if (Math.max(above, below) < toSmallest(smallestEffect, medianOf(toSorted(before)))) return null;
  const isBetter = above > 0 === (direction === 'higher_is_better');
  return {
    status: isBetter ? 'better' : 'worse',
    fetched_at: toIso(last.measuredAtMs),
    id: last.id,
    value: last.value,
  };
}

/** Returns the failures to show: if older points were cut off, only those since the first remaining point. */
function toShown({ series, limit }: HistoryOrder) {
  const isCut = series.points.length >= limit || series.failures.length >= limit;
  const [first] = series.points;
  const failures =
    series.points.length >= limit && first
      ? series.failures.filter(({ measuredAtMs }) => measuredAtMs >= first.measuredAtMs)
      : series.failures;
  return { failures, isComplete: !isCut };
}

/** Returns the undisturbed points, or all if fewer than half are: a machine that is always busy has a history, too. */
function toJudged(points: readonly Point[]): readonly Point[] {
  const quiet = points.filter(point => !isDisturbed(point));
  return 2 * quiet.length >= points.length ? quiet : points;
}

export function toHistory(order: HistoryOrder): History {
  const { url, strategy, source, metric, label } = order;
  const isTimed = metric === 'performance' || isTime(metric);
  const { points, withoutValue } = toPoints(order.series.points, isTimed);
  const { failures, isComplete } = toShown(order);
  const direction = directionOf(metric);
  const smallestEffect = smallestEffectOf(metric);
  const judged = isTimed ? toJudged(points) : points;
  const found = findChangePoints(
    judged.map(({ measuredAtMs: time, value }) => ({ time, value })),
    { direction, smallestEffect, events: toEvents(judged, metric) },
  );
  const changes = found.map((change, place) =>
    toChange(judged, metric, change, toAround(found, place, judged.length), order.notes),
  );
  const { page = [], machine = [] } = Object.groupBy(changes, change => {
    return isOfMachine(change, metric, benchmarkOf(change.differences)) ? 'machine' : 'page';
  });
  return {
    url,
    strategy,
    source,
    metric,
    unit: unitOf(metric),
    direction,
    label,
    median: judged.length > 0 ? toMedian(judged) : null,
    points: points.map(toAnswered),
    segments: toSegmentes(
      judged,
      found.map(({ index }) => index),
    ),
    change_points: page,
    machine_changes: machine,
    possible_change: toPossibleChange(judged.slice(found.at(-1)?.index ?? 0), direction, smallestEffect),
    gaps: toGaps(
      points.map(({ measuredAtMs }) => measuredAtMs),
      failures,
    ),
    field: order.field ?? null,
    notes: order.notes,
    without_value: withoutValue,
    is_complete: isComplete,
  };
}
