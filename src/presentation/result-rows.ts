/** The values of a result as rows, from which every list of them is written. */
import type { MetricName, RequestCategory } from '../contract/names.ts';
import { requestCategories } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import type { Rating } from '../contract/result/thresholds.ts';
import { formatFraction, hasCategory } from './categories.ts';
import { formatValue } from './numbers.ts';
import { sayRange } from './range.ts';
import { isDisturbed, toShown } from './undisturbed.ts';
import { categoryWords, isMetricName, metricWords, otherMetrics, ratingWords, scoredMetrics } from './words.ts';

export type ValueName = RequestCategory | MetricName;

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
