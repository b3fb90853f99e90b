/** Converts a series to points, change points and gaps: 10,000 points take a few tenths of a second. */

import type { History, HistoryChange, HistoryPoint, Segment } from '../../contract/stored/history.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { medianOf, tidy, toSorted } from '../../presentation/values.ts';
import { unpackSeries } from '../../storage/results/packed-series.ts';
import type { PackedSeries, Series } from '../../storage/results/store.ts';
import { isMeasuredOtherwise } from '../change/differences.ts';
import { type ChangePoint, findBorders, findChangePoints } from '../statistics/change-points.ts';
import { directionOf, isTime, smallestEffectOf, toSmallest, unitOf } from '../statistics/smallest-effect.ts';
import {
  type Around,
  isOfMachine,
  isTogether,
  othersOf,
  toAlso,
  toAround,
  toDifferences,
  toSpeedDifferences,
} from './around-change.ts';
import { type Point, toGaps, toIso, toPoints } from './points.ts';

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
 * Finds a change that is not certain yet: the last points are outside the range of those before them, by an
 * effect that matters. Null if none is, if there are too few points, or if they were measured otherwise.
 * @param points those that count since the last change
 */
function toPossibleChange(points: readonly Point[], metric: History['metric']): History['possible_change'] {
  const to = points.length;
  for (let at = Math.max(enoughForRange, to - mostPossible); at < to; at += 1) {
    const [before, after] = [points.slice(0, at), points.slice(at)].map(side => side.map(({ value }) => value)) as [
      number[],
      number[],
    ];
    const [above, below] = [Math.min(...after) - Math.max(...before), Math.min(...before) - Math.max(...after)];
    const median = medianOf(toSorted(before));
    const [first] = points.slice(at);
    if (!first || Math.max(above, below) < toSmallest(smallestEffectOf(metric), median)) continue;
    const status = above > 0 === (directionOf(metric) === 'higher_is_better') ? 'better' : 'worse';
    const differences = [...toDifferences(points, at), ...toSpeedDifferences(points, { from: 0, at, to })];
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
