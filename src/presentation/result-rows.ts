/** The values of a result as rows, from which every list of them is written. */

import {
  type CustomMetricName,
  isCustomMetricName,
  type MetricName,
  type RequestCategory,
  requestCategories,
} from '../contract/names.ts';
import type { CustomMetrics } from '../contract/result/metrics.ts';
import type { AgenticBrowsing, Result } from '../contract/result/result.ts';
import type { Rating } from '../contract/result/thresholds.ts';
import { formatMs, formatValue } from './numbers.ts';
import { sayRange } from './range.ts';
import { isDisturbed, pageValue, toShown } from './undisturbed.ts';
import {
  categoryWords,
  isMetricName,
  metricWords,
  nameOfMetric,
  otherMetrics,
  ratingWords,
  scoredMetrics,
} from './words.ts';

type CustomRow = { readonly name: CustomMetricName; readonly label: string; readonly text: string };

export const customNamesOf = (metrics: Readonly<Record<string, unknown>> | undefined): CustomMetricName[] =>
  Object.keys(metrics ?? {}).filter(isCustomMetricName);

export const toCustomRows = (metrics: CustomMetrics | undefined): CustomRow[] =>
  customNamesOf(metrics).map(name => ({ name, label: nameOfMetric(name), text: formatMs(metrics?.[name] ?? 0) }));

/** Describes the conditions of the values: with simulated throttling, only some of them are throttled. */
export const sayCustomConditions = ({ environment: { throttling_method: method } }: Result): string =>
  method === 'simulate'
    ? 'Marks and measures are those of the load without throttling. Main-thread CPU time is multiplied by the CPU throttling.'
    : '';

type Categorised = Pick<Result, 'scores' | 'agentic_browsing'>;

export const hasCategory = ({ scores, agentic_browsing: agentic }: Categorised, name: RequestCategory): boolean =>
  (name === 'agentic-browsing' ? agentic : scores[name]) !== undefined;

/** Formats the number of passed audits, and of those that apply, as `3/5`. */
export const formatFraction = ({ passed, total }: AgenticBrowsing): string => `${passed}/${total}`;

/** Returns the percentage of passed audits; null if none applies. */
export const agenticShare = ({ agentic_browsing: agentic }: Categorised): number | null =>
  agentic && agentic.total > 0 ? (100 * agentic.passed) / agentic.total : null;

export type ValueName = RequestCategory | MetricName;

/** Returns the value of the page: without a disturbance; of agentic browsing in percent; null if it is unknown. */
export const toPageValue = (result: Result, name: ValueName): number | null =>
  name === 'agentic-browsing' ? agenticShare(result) : pageValue(result, name);

export type ResultRow = {
  readonly name: ValueName;
  readonly label: string;
  /** Value with its unit; undefined if it was not measured. */
  readonly text: string | undefined;
  /** Null if the value is unreliable, or has no rating. */
  readonly rating: Rating | null;
  /** The rating as words, or why there is none. */
  readonly word: string;
  /** Whether the load was disturbed, so that the value is a corrected or an unreliable one. */
  readonly isMarked: boolean;
  /** Range of the value over several loads; undefined if unknown. */
  readonly range: string | undefined;
};

export function toResultRow(result: Result, name: ValueName): ResultRow {
  const { agentic_browsing: agentic } = result;
  if (name === 'agentic-browsing')
    return {
      name,
      label: categoryWords[name],
      text: agentic && formatFraction(agentic),
      rating: null,
      word: 'audits passed',
      isMarked: false,
      range: undefined,
    };
  const { value, rating, isUnreliable } = toShown(result, name);
  const isMetric = isMetricName(name);
  const shown = value !== null && (isMetric ? formatValue(value, result.metrics[name].unit) : String(value));
  return {
    name,
    label: isMetric ? metricWords[name].label : categoryWords[name],
    text: shown || undefined,
    rating,
    word: isUnreliable ? 'disturbed' : rating ? ratingWords[rating] : '',
    isMarked: isUnreliable || (name === 'performance' && isDisturbed(result)),
    range: sayRange(result, name),
  };
}

/** Returns the categories of all results, in their usual order. */
export const categoriesOf = (results: readonly Result[]): readonly RequestCategory[] =>
  requestCategories.filter(name => results.some(result => hasCategory(result, name)));

export const measuredOf = <Name extends MetricName>(names: readonly Name[], results: readonly Result[]): Name[] =>
  names.filter(name => results.some(({ metrics }) => typeof metrics[name].value === 'number'));

export const toResultRows = (result: Result): ResultRow[] =>
  [...categoriesOf([result]), ...measuredOf([...scoredMetrics, ...otherMetrics], [result])].map(name =>
    toResultRow(result, name),
  );
