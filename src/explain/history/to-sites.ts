/** Converts the last measurements of every page to its line in an overview. */

import type { SitePage, Sites } from '../../contract/stored/sites.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { type TableMetric, tableMetrics } from '../../presentation/words.ts';
import type { SiteRow } from '../../storage/results/store.ts';
import { isMeasuredOtherwise } from '../change/differences.ts';
import { type ChangePoint, findChangePoints } from '../statistics/change-points.ts';
import { directionOf, smallestEffectOf } from '../statistics/smallest-effect.ts';
import { isOfMachine, toAlso, toAround, toDifferences, toSpeedDifferences } from './around-change.ts';
import { toIso } from './points.ts';

type ScoreChange = ChangePoint<number>;
type Sound = SiteRow & { readonly performance: number };

const valuesOf: Readonly<Record<TableMetric, (row: Sound) => number | null>> = {
  largest_contentful_paint: row => row.largestContentfulPaint,
  total_blocking_time: row => row.totalBlockingTime,
  cumulative_layout_shift: row => row.cumulativeLayoutShift,
};

const options = { direction: directionOf('performance'), smallestEffect: smallestEffectOf('performance') };
const findChanges = (rows: readonly Sound[]): ScoreChange[] =>
  findChangePoints(
    rows.map(({ measuredAtMs: time, performance: value }) => ({ time, value })),
    options,
  );

/**
 * Returns the latest change that neither the speed of the machine nor another way of measuring explains.
 * @param rows undisturbed measurements, oldest first
 */
function lastOfPage(rows: readonly Sound[], changes: readonly ScoreChange[]): SitePage['change'] {
  const change = changes.findLast((one, place) => {
    const around = toAround(changes, place, rows.length);
    const differences = [...toDifferences(rows, around.at), ...toSpeedDifferences(rows, around)];
    const also = toAlso(tableMetrics, name => rows.map(valuesOf[name as TableMetric]), around);
    return !isMeasuredOtherwise({ differences }) && !isOfMachine({ ...one, also }, 'performance', differences);
  });
  const [previous, first] = change ? [rows[change.index - 1], rows[change.index]] : [];
  if (!change || !previous || !first) return null;
  const { status, time, before, after } = change;
  return { status, time: toIso(time), previous_id: previous.id, id: first.id, before, after };
}

/**
 * Returns the range of the last score; null if the range, or the range and the score, are on both sides of the last
 * change: a result right after a change has the range of the page before it.
 */
function toPageRange({ performance, performanceRange: range }: SiteRow, change: ScoreChange | undefined) {
  if (!range || !change || performance === null) return range;
  const middle = (change.before + change.after) / 2;
  const isSplit = new Set([performance, range.min, range.max].map(score => score > middle)).size > 1;
  return isSplit ? null : range;
}

/** @param rows measurements of one page, device and source, newest first */
function toPage(rows: readonly [SiteRow, ...SiteRow[]]): SitePage {
  const [{ url, host, source, strategy, conditions, results }] = rows;
  const last = rows.find(({ kind }) => kind === 'result');
  const failure = rows.find(({ kind }) => kind === 'failure');
  const sound = rows
    .filter((row): row is Sound => row.kind === 'result' && !isDisturbed(row) && row.performance !== null)
    .toReversed();
  const changes = findChanges(sound);
  return {
    url,
    host,
    source,
    strategy,
    conditions,
    results,
    last: last
      ? {
          id: last.id,
          time: toIso(last.measuredAtMs),
          performance: last.performance,
          performance_range: toPageRange(last, changes.at(-1)),
          metrics: {
            largest_contentful_paint: last.largestContentfulPaint,
            total_blocking_time: last.totalBlockingTime,
            cumulative_layout_shift: last.cumulativeLayoutShift,
          },
          disturbed: last.disturbed,
          label: last.label,
        }
      : null,
    last_failure: failure
      ? {
          id: failure.id,
          time: toIso(failure.measuredAtMs),
          error_code: failure.errorCode,
          page_status: failure.pageStatus,
        }
      : null,
    trend: sound.map(({ measuredAtMs, performance }) => ({ time: toIso(measuredAtMs), performance })),
    change: lastOfPage(sound, changes),
  };
}

/** @param rows measurements as the store lists them: page by page, newest first within a page */
export function toSites(rows: readonly SiteRow[], limit: number): Sites {
  const pages = new Map<string, [SiteRow, ...SiteRow[]]>();
  for (const row of rows) {
    const key = JSON.stringify([row.url, row.source, row.strategy, row.conditions]);
    const known = pages.get(key);
    if (known) known.push(row);
    else pages.set(key, [row]);
  }
  const all = [...pages.values()];
  return { pages: all.slice(0, limit).map(toPage), is_complete: all.length <= limit };
}
