/** Converts the history of a value to a chart: positions and texts of points, medians, changes and gaps. */

import { auditedCategories } from '../../contract/names.ts';
import { labThresholdsOf, type Rating } from '../../contract/result/thresholds.ts';
import type { History, HistoryChange } from '../../contract/stored/history.ts';
import { differenceWords, sayBetween } from '../change-words.ts';
import { absent, saySigned, sayUtc } from '../numbers.ts';
import { headOf, isMetricName, nameOfMetric, sayHistoryValue, scoredMetrics } from '../words.ts';
import { type FieldPoint, fieldValuesOf, toDrawn } from './field-points.ts';

/** Metrics in order of importance. */
export const chartMetrics = ['performance', ...scoredMetrics, 'server_response_time', ...auditedCategories] as const;

/** Margin at the edges, so that no point is cut off. */
const edge = 2;

const tickCount = 4;

/** Returns the undisturbed results next to a change, to compare them: a disturbed one says little about its page. */
export function sidesOf({ points }: History, change: HistoryChange): { before: string; after: string } {
  const sound = points.filter(({ disturbed }) => disturbed !== true);
  return {
    before: sound.findLast(({ fetched_at: time }) => time <= change.previous_fetched_at)?.id ?? change.previous_id,
    after: sound.find(({ fetched_at: time }) => time >= change.fetched_at)?.id ?? change.id,
  };
}

/** Returns the changes whose causes are named, the newest first: each takes a comparison of two results. */
export const toExplain = ({ change_points: changes }: History): readonly HistoryChange[] =>
  changes.slice(-3).toReversed();

/** Returns the smallest round step that is at least this one. A layout shift has two digits, so its steps are coarser. */
function toRoundStep(step: number, unit: History['unit']): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const steps = unit === 'millisecond' ? [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8] : [1, 2, 5];
  return (steps.find(round => round * power >= step) ?? 10) * power;
}

const toRange = ({ points, unit }: History, others: readonly number[]): readonly [low: number, high: number] => {
  if (unit === 'point') return [0, 100];
  const high = Math.max(...points.map(({ value }) => value), ...others);
  return [0, high > 0 ? tickCount * toRoundStep(high / tickCount, unit) : 1];
};

/** Returns the thresholds between good, average and poor. */
function toBorders({ metric, unit, strategy }: History): readonly [number, number] | undefined {
  if (unit === 'point') return [90, 50];
  return isMetricName(metric) ? labThresholdsOf(metric, strategy) : undefined;
}

function toBands(history: History, low: number, high: number, rise: (value: number) => number) {
  const borders = toBorders(history);
  if (!borders) return [];
  const [good, poor] = borders;
  const ratings: readonly Rating[] =
    good > poor ? ['poor', 'needs-improvement', 'good'] : ['good', 'needs-improvement', 'poor'];
  const edges = [low, ...[good, poor].toSorted((a, b) => a - b).map(edge => Math.min(high, edge)), high];
  return ratings.flatMap((rating, at) => {
    const [from = low, to = high] = [edges[at], edges[at + 1]];
    return to > from ? [{ rating, top: rise(to), bottom: rise(from) }] : [];
  });
}

/**
 * Max number of results that are points, and rows of the table. Of a longer history, one value is loaded at a time.
 */
export const mostPoints = 1000;

type Change = History['change_points'][number];

/** A change, and the history of the value in which it was found. */
export type HistoryEvent = { readonly change: Change; readonly of: History };

/** Returns the changes of several values, oldest first: the first value that changed at a result stands for all. */
export const toEvents = (histories: readonly History[]): readonly HistoryEvent[] =>
  [
    ...new Map(
      histories.toReversed().flatMap(of => of.change_points.map(change => [change.id, { change, of }] as const)),
    ).values(),
  ].toSorted((a, b) => a.change.fetched_at.localeCompare(b.change.fetched_at));

/** Describes a change next to a value: of another one, with its name. */
export const sayEvent = ({ change, of }: HistoryEvent, shown: Pick<History, 'metric'>): string =>
  `${of.metric === shown.metric ? '' : `${nameOfMetric(of.metric)} `}${sayChange(change, of)}`;

export type Chart = NonNullable<ReturnType<typeof toChart>>;
export type ChartPoint = Chart['points'][number];

/**
 * Returns the chart, with positions in percent of its width and height, from the top; undefined if there is no point.
 * @param events changes of this value, and of others
 * @param fieldPoints field data of the same page and device
 */
export function toChart(history: History, events = toEvents([history]), fieldPoints: readonly FieldPoint[] = []) {
  const { points, segments: stretches, gaps } = history;
  const times = [...points.map(({ fetched_at: time }) => time), ...gaps.flatMap(({ from, to }) => [from, to])].map(
    Date.parse,
  );
  if (points.length === 0) return undefined;
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const field = toDrawn(fieldValuesOf(history, fieldPoints), start, end);
  const [low, high] = toRange(
    history,
    field.map(({ p75 }) => p75),
  );
  const placeAt = (ms: number) => (end > start ? edge + ((100 - 2 * edge) * (ms - start)) / (end - start) : 50);
  const place = (time: string) => placeAt(Date.parse(time));
  const rise = (value: number) => 100 - edge - ((100 - 2 * edge) * (value - low)) / (high - low);
  const shown = points.map(({ id, fetched_at: time, value, label, ids, disturbed }) => ({
    id,
    time,
    value,
    label,
    runs: ids.length,
    isDisturbed: disturbed === true,
    x: place(time),
    y: rise(value),
  }));
  return {
    points: shown,
    steps: stretches.map(({ from, to, median }) => ({ from: place(from), to: place(to), y: rise(median), median })),
    changes: events.map(({ change, of }) => ({
      x: (place(change.previous_fetched_at) + place(change.fetched_at)) / 2,
      words: sayEvent({ change, of }, history),
      status: change.status,
    })),
    gaps: gaps.map(({ from, to, explanation }) => ({ from: place(from), to: place(to), words: explanation })),
    field: field.map(({ ms, p75 }) => ({ x: placeAt(ms), y: rise(p75), value: p75 })),
    notes: history.notes
      .filter(({ time }) => Date.parse(time) >= start && Date.parse(time) <= end)
      .map(note => ({ x: place(note.time), note })),
    labels: shown.flatMap(({ x, label }, at) =>
      label !== null && label !== shown[at - 1]?.label ? [{ x, label }] : [],
    ),
    bands: toBands(history, low, high, rise),
    ticks: Array.from({ length: tickCount + 1 }, (_, at) => low + ((high - low) * at) / tickCount).map(value => ({
      y: rise(value),
      value,
    })),
    versions: points.flatMap(({ fetched_at: time, lighthouse_version: version }, at) =>
      version !== null && at > 0 && version !== points[at - 1]?.lighthouse_version ? [{ x: place(time), version }] : [],
    ),
    low,
    high,
  };
}

/** Describes the size of a change: `1.2 s → 1.9 s (+700 ms; between +500 ms and +900 ms)`. */
export function sayMove(change: Change, { unit }: Pick<History, 'unit'>): string {
  const { before, after, difference, interval } = change;
  const between = sayBetween(interval, unit);
  const size = [saySigned(difference, unit), ...(between === undefined ? [] : [between])].join('; ');
  return `${sayHistoryValue(before, unit)} → ${sayHistoryValue(after, unit)} (${size})`;
}

/** Describes what changed with it, a value at a time: `Performance 100 → 85`. */
export const sayAlso = ({ also }: Change): string[] =>
  also.map(
    ({ name, unit, before, after }) =>
      `${headOf(name)} ${sayHistoryValue(before, unit)} → ${sayHistoryValue(after, unit)}`,
  );

/** Describes a change with its status, and what changed with it: `worse: 1.2 s → 1.9 s (…), with Performance 100 → 85`. */
export function sayChange(change: Change, history: Pick<History, 'unit'>): string {
  const others = sayAlso(change);
  return `${change.status}: ${sayMove(change, history)}${others.length > 0 ? `, with ${others.join(', ')}` : ''}`;
}

export function sayMachineChange(
  { status, before, after, differences }: History['machine_changes'][number],
  { unit }: History,
) {
  const speed = differences.find(({ name }) => name === 'benchmark_index');
  const indices = `${speed?.before ?? absent} → ${speed?.after ?? absent}`;
  const values = `${sayHistoryValue(before, unit)} → ${sayHistoryValue(after, unit)}`;
  return `the machine got ${status === 'worse' ? 'slower' : 'faster'} (benchmark index ${indices}), which can explain ${values} alone.`;
}

/** Describes the differences in measuring at a change, which may have caused it; empty without any. */
export const sayDiffers = ({ differences: differs }: Change): string =>
  differs
    .map(({ name, before, after }) => {
      const word = name === 'benchmark_index' ? differenceWords[name] : name.replaceAll('_', ' ');
      return `${word}: ${before ?? absent} → ${after ?? absent}`;
    })
    .join(', ');

/** Describes the notes at a change, which may name its cause; empty without any. */
export const sayNotes = ({ notes }: Pick<History, 'notes'>, sayAt: (time: string) => string = sayUtc): string =>
  notes.map(({ text, time }) => `${text} (${sayAt(time)})`).join(', ');
