/** Converts changes to rows: measures with intervals, audits with other outcomes, differences in measuring. */

import { categoryNames, type MetricName } from '../contract/names.ts';
import type { ComparedSide, Difference, ResultsComparison } from '../contract/stored/change.ts';
import type { ChangeStatus, FileChange, MeasureChange } from '../contract/stored/change-verdict.ts';
import type { FlippedAudit } from '../contract/stored/changed-loads.ts';
import { counted, joinWords, saySigned, startUpper } from './numbers.ts';
import { customNamesOf } from './result-rows.ts';
import {
  categoryWords,
  type HistoryMetric,
  metricWords,
  nameOfMetric,
  otherMetrics,
  sayHistoryValue,
  scoredMetrics,
} from './words.ts';

export const differenceWords: Readonly<Record<Difference['name'], string>> = {
  url: 'URL',
  strategy: 'strategy',
  source: 'source',
  analyser: 'analyser',
  profile: 'profile',
  throttling: 'throttling',
  lighthouse_version: 'Lighthouse version',
  benchmark_index: 'speed of the machine',
  browser_version: 'browser version',
  machine_id: 'machine',
  conditions: 'conditions',
};

export const statusWords: Readonly<Record<ChangeStatus, string>> = {
  better: 'Better',
  worse: 'Worse',
  no_difference: 'No difference',
  undecided: 'Undecided',
};

export const fileChangeWords: Readonly<Record<FileChange['kind'], string>> = {
  added: 'added',
  removed: 'removed',
  size: 'changed size',
  packed: 'compressed differently',
  requests: 'requested more or less often',
  work: 'more or less CPU time',
};

/** Beginnings of explanations that repeat the status of the verdict. */
export const verdictOpenings = {
  better: 'The page got better: ',
  worse: 'The page got worse: ',
  undecided: 'Undecided: ',
} as const;

/** Returns what caused a change, without its values; empty if the verdict does not show it, or names no cause. */
export const sayCause = ({ status, explanation }: ResultsComparison['verdict'], change: 'better' | 'worse'): string =>
  status === change ? explanation.slice(0, Math.max(0, explanation.indexOf(verdictOpenings[change]))).trim() : '';

/** Returns the explanation of a verdict without its status, to display it after the status. */
export function sayWhy({ status, explanation }: ResultsComparison['verdict']): string {
  const opening = status === 'no_difference' ? '' : verdictOpenings[status];
  const said = explanation.startsWith(opening) ? explanation.slice(opening.length) : explanation;
  // The name of a file keeps its case: only a word without a dot begins with a capital.
  return said.replace(/^[a-z]+(?=[\s,:;])/, startUpper);
}

export const measureStatusWords: Readonly<Record<ChangeStatus, string>> = {
  better: 'better',
  worse: 'worse',
  no_difference: 'no meaningful difference',
  undecided: 'undecided',
};

/** Position of an interval, in percent of a line with zero in its middle. */
export type IntervalPlot = {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** Range in which no difference matters. */
  readonly band: readonly [from: number, to: number];
};

/** Factor for space beyond the end of an interval. */
const margin = 1.12;

/** Places differences on a line as wide as the largest of them, in percent, with zero in its middle. */
export function toPlaces(values: readonly number[]): (value: number) => number {
  const reach = margin * Math.max(...values.map(Math.abs));
  return value => (reach === 0 ? 50 : Math.round(10 * (50 + (50 * value) / reach)) / 10);
}

/** @param place axis; by default one for this interval alone @returns undefined before there is an interval */
export function toIntervalPlot(
  { interval, difference, min_effect: smallest }: Pick<MeasureChange, 'interval' | 'difference' | 'min_effect'>,
  place?: (value: number) => number,
): IntervalPlot | undefined {
  if (interval === null || difference === null) return undefined;
  const { low, high } = interval;
  const least = smallest ?? 0;
  const at = place ?? toPlaces([low, high, difference, least]);
  return { from: at(low), to: at(high), at: at(difference), band: [at(-least), at(least)] };
}

/** Width of an interval as a multiple of its values, beyond which it only shows that there are too few runs. */
const widest = 4;

/** Returns whether an interval says anything: that of very few runs may be wider than any change can be. */
export function isTelling(
  [low, high]: readonly [low: number, high: number],
  { unit, before, after }: Pick<MeasureChange, 'unit' | 'before' | 'after'>,
): boolean {
  if (unit === 'point') return low >= -100 && high <= 100;
  const value = Math.max(before ?? 0, after ?? 0);
  return value === 0 || high - low <= widest * value;
}

export type MeasureRow = ReturnType<typeof toRow>;

function toRow(name: HistoryMetric, change: MeasureChange) {
  const { unit, before, after, difference, status } = change;
  const interval =
    change.interval && isTelling([change.interval.low, change.interval.high], change) ? change.interval : null;
  const isMetric = Object.hasOwn(metricWords, name);
  return {
    name,
    label: nameOfMetric(name),
    ...(isMetric ? { meaning: metricWords[name as MetricName].meaning } : {}),
    before: sayHistoryValue(before, unit),
    after: sayHistoryValue(after, unit),
    difference: difference === null ? '' : saySigned(difference, unit),
    between: sayBetween(interval, unit),
    status,
    plot: toIntervalPlot({ ...change, interval }),
  };
}

type Measures = Pick<ResultsComparison, 'scores' | 'metrics'> & Partial<Pick<ResultsComparison, 'custom_metrics'>>;
/** Max number of custom metrics in a table; changed ones are first. */
const mostCustom = 12;
const hasChanged = ({ status }: MeasureRow): boolean => status === 'better' || status === 'worse';

/** Returns the ends of an interval; undefined if they look alike, so that they repeat the difference. */
export function sayBetween(interval: MeasureChange['interval'], unit: MeasureChange['unit']): string | undefined {
  if (interval === null) return undefined;
  const [low, high] = [saySigned(interval.low, unit), saySigned(interval.high, unit)];
  return low === high ? undefined : `between ${low} and ${high}`;
}

/** Returns the rows of measures on both sides: scores, the metrics of the score, others, and custom metrics. */
export function toMeasureRows({ scores, metrics, custom_metrics: custom }: Measures): MeasureRow[] {
  const changes: Readonly<Record<string, MeasureChange>> = { ...scores, ...metrics, ...custom };
  const toRows = (names: readonly HistoryMetric[]) =>
    names.flatMap(name => (changes[name] ? [toRow(name, changes[name])] : []));
  return [
    ...toRows([...categoryNames, ...scoredMetrics, ...otherMetrics]),
    ...toRows(customNamesOf(custom))
      .sort((a, b) => Number(hasChanged(b)) - Number(hasChanged(a)))
      .slice(0, mostCustom),
  ];
}

/** Describes the conditions of simulated values in a sentence; empty without such values. */
export function sayAlike({ alike }: Pick<ResultsComparison, 'alike'>): string {
  if (!alike) return '';
  const { before, after } = alike.loads;
  return `The verdict is based on these values: the stored loads (${before} before, ${after} after), simulated again with the same CPU speed, server latency and file order.`;
}

/** Returns the rows of simulated measures only: the others are the same as measured. */
export function toAlikeRows({ alike }: Pick<ResultsComparison, 'alike'>): MeasureRow[] {
  if (!alike) return [];
  const names: readonly string[] = ['performance', ...scoredMetrics];
  return toMeasureRows(alike).filter(({ name }) => names.includes(name));
}

/** Describes the confidence and the source of the intervals; empty without intervals. */
export function sayIntervals({ scores, metrics }: Measures): string {
  const measures = [...Object.values(scores), ...Object.values(metrics)].filter(({ interval }) => interval !== null);
  const shares = new Set(measures.flatMap(({ interval }) => (interval ? Math.round(100 * interval.confidence) : [])));
  if (measures.length === 0) return '';
  const certainty = joinWords([...shares].sort().map(share => `${share} %`));
  const isOfEarlier = measures.some(({ by }) => by === 'earlier_runs');
  const origin = isOfEarlier ? ' Its width comes from the spread of earlier runs of the page.' : '';
  return `The interval contains the difference between the medians with ${certainty} confidence.${origin}`;
}

export type Flips = { readonly broken: readonly FlippedAudit[]; readonly mended: readonly FlippedAudit[] };

/** Splits audits into those that fail now and did not, and those that no longer fail. */
export const toFlips = (audits: readonly FlippedAudit[]): Flips => ({
  broken: audits.filter(({ after }) => after === 'failed'),
  mended: audits.filter(({ after }) => after !== 'failed'),
});

const stateWords: Readonly<Record<FlippedAudit['before'], string>> = {
  passed: 'passed',
  failed: 'failed',
  not_applicable: 'did not apply',
  not_scored: 'was not scored',
};

/** Describes the change of an audit: `Accessibility, SEO: passed → failed`. */
export const sayFlip = ({ before, after, categories }: FlippedAudit): string =>
  [categories.map(name => categoryWords[name]).join(', '), `${stateWords[before]} → ${stateWords[after]}`]
    .filter(Boolean)
    .join(': ');

type SaidSide = Pick<ComparedSide, 'runs' | 'labels'> & Partial<Pick<ComparedSide, 'disturbed' | 'history'>>;

/** Returns `build-41, 5 runs`, or `1 run, with 4 other results` whose values count, too. */
export const saySide = ({ runs, labels, disturbed = 0, history = 0 }: SaidSide): string =>
  [
    labels.join(', '),
    counted(runs, 'run'),
    history > 0 ? `with ${counted(history, 'other result')}` : '',
    disturbed > 0 ? `${disturbed} disturbed` : '',
  ]
    .filter(Boolean)
    .join(', ');

/** Returns the value that both sides share; undefined if they differ. */
export const sharedOf = (
  { before, after }: Pick<ResultsComparison, 'before' | 'after'>,
  name: 'url' | 'strategy' | 'source',
): string | undefined => (before[name] === after[name] ? before[name] : undefined);

/** Returns changed files: those of the simulated loads with their effects, or else those of two single runs. */
export function changedFilesOf({
  alike,
  requests,
}: Pick<ResultsComparison, 'alike' | 'requests'>): readonly FileChange[] {
  if (alike) return alike.files;
  const none = { before: 0, after: 0 };
  type Sides = typeof none;
  const toFile = (kind: 'added' | 'removed' | 'size', url: string, bytes: Sides, type: string | null) => ({
    kind,
    url,
    type: type ?? '',
    bytes,
    resource_bytes: none,
    cpu_ms: none,
    requests: none,
  });
  return [
    ...(requests?.added ?? []).map(({ url, bytes, type }) => toFile('added', url, { before: 0, after: bytes }, type)),
    ...(requests?.removed ?? []).map(({ url, bytes, type }) =>
      toFile('removed', url, { before: bytes, after: 0 }, type),
    ),
    ...(requests?.changed ?? []).map(({ url, before, after, type }) =>
      toFile('size', url, { before: before.bytes, after: after.bytes }, type),
    ),
  ].toSorted((a, b) => Math.abs(b.bytes.after - b.bytes.before) - Math.abs(a.bytes.after - a.bytes.before));
}
