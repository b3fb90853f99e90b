/** Converts a series to points, change points and gaps: 10,000 points take a few tenths of a second. */

import type {
  History,
  HistoryChange,
  HistoryDifference,
  HistoryPoint,
  Segment,
} from '../../contract/stored/history.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { type MeasuredValue, medianOf, tidy, toSorted } from '../../presentation/values.ts';
import { scoredMetrics } from '../../presentation/words.ts';
import { unpackSeries } from '../../storage/results/packed-series.ts';
import type { PackedSeries, Series } from '../../storage/results/store.ts';
import { isMeasuredOtherwise, sayAnalyser } from '../change/differences.ts';
import {
  type ChangePoint,
  compareAround,
  findBorders,
  findChangePoints,
  type PointDifference,
} from '../statistics/change-points.ts';
import { directionOf, isTime, smallestEffectOf, toSmallest, unitOf } from '../statistics/smallest-effect.ts';
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

/** Numbers of points before and after a change whose speeds are compared: a speed that changed at another time is none. */
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

function toStretches(points: readonly Point[], borders: readonly number[]): Segment[] {
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
    also: toAlso(othersOf(metric), name => points.map(({ others }) => others[name] ?? null), around),
    differences: [...toDifferences(points, index), ...toSpeedDifferences(points, around)],
    notes: notes.filter(note => note.time >= toIso(previous_time) && note.time <= toIso(time)).slice(0, 10),
  };
}

const enoughForRange = 4;

const mostPossible = 3;

/**
 * Finds a change that is not certain yet: the last undisturbed points are outside the range of those before them, by an
 * effect that matters. Null if none is, if there are too few points, or if they were measured otherwise.
 * @param points since the last change
 */
function toPossibleChange(points: readonly Point[], metric: History['metric']): History['possible_change'] {
  const quiet = points.filter(point => !isDisturbed(point));
  const to = quiet.length;
  for (let at = Math.max(enoughForRange, to - mostPossible); at < to; at += 1) {
    const [before, after] = [quiet.slice(0, at), quiet.slice(at)].map(side => side.map(({ value }) => value)) as [
      number[],
      number[],
    ];
    const [above, below] = [Math.min(...after) - Math.max(...before), Math.min(...before) - Math.max(...after)];
    const median = medianOf(toSorted(before));
    const [first] = quiet.slice(at);
    if (!first || Math.max(above, below) < toSmallest(smallestEffectOf(metric), median)) continue;
    const status = above > 0 === (directionOf(metric) === 'higher_is_better') ? 'better' : 'worse';
    const differences = [...toDifferences(quiet, at), ...toSpeedDifferences(quiet, { from: 0, at, to })];
    const change = { status, before: median, after: first.value, also: [] } as const;
    if (isMeasuredOtherwise({ differences }) || isOfMachine(change, metric, differences)) return null;
    return { status, fetched_at: toIso(first.measuredAtMs), id: first.id, value: first.value };
  }
  return null;
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
  const { page = [], machine = [] } = Object.groupBy(changes, change =>
    isOfMachine(change, metric, change.differences) ? 'machine' : 'page',
  );
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
    segments: toStretches(
      judged,
      found.map(({ index }) => index),
    ),
    change_points: page,
    machine_changes: machine,
    possible_change: toPossibleChange(judged.slice(found.at(-1)?.index ?? 0), metric),
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
