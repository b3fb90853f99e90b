/** Scores and metrics as cells of a table. */
import { type Category, categoryNames, type MetricName } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { rateScore, ratingWords } from '../../presentation/metric-range.ts';
import { absent, formatValue } from '../../presentation/numbers.ts';
import { isDeniedValue, isDisturbed, pageValue } from '../../presentation/undisturbed.ts';
import { type Paint, toMarked } from './terminal/paint.ts';

export const shortMetrics = {
  largest_contentful_paint: 'LCP',
  total_blocking_time: 'TBT',
  cumulative_layout_shift: 'CLS',
} as const satisfies Partial<Record<MetricName, string>>;

/** The categories that any of the results has, in their usual order. */
export const categoriesOf = (results: readonly Result[]): readonly Category[] =>
  categoryNames.filter(name => results.some(({ scores }) => scores[name] !== undefined));

/** Behind a value that a disturbance denies; the legend below the results says what it is. */
const denied = '!';

export function toScoreCell(paint: Paint, result: Result, name: Category): string {
  const score = result.scores[name];
  if (typeof score !== 'number') return toMarked(paint, absent, undefined);
  return isDeniedValue(result, name)
    ? toMarked(paint, `${score} ${denied}`, undefined)
    : toMarked(paint, String(score), rateScore(score));
}

export function toMetricCell(paint: Paint, result: Result, name: MetricName): string {
  const metric = result.metrics[name];
  if (typeof metric?.value !== 'number') return toMarked(paint, absent, undefined);
  const shown = formatValue(metric.value, metric.unit);
  return isDeniedValue(result, name)
    ? toMarked(paint, `${shown} ${denied}`, undefined)
    : toMarked(paint, shown, metric.rating);
}

/** The rating of a value in words; of one that a disturbance denies, what it is without it. */
export function toRatingWord(result: Result, name: Category | MetricName): string {
  const isMetric = Object.hasOwn(result.metrics, name);
  if (isDeniedValue(result, name)) {
    const value = pageValue(result, name);
    const unit = isMetric ? result.metrics[name as MetricName].unit : undefined;
    if (value === null) return 'disturbed';
    return `disturbed, ${unit === undefined ? value : formatValue(value, unit)} without`;
  }
  const rating = isMetric ? result.metrics[name as MetricName].rating : toRating(result.scores[name as Category]);
  return rating ? ratingWords[rating] : '';
}

const toRating = (score: number | null | undefined) => (typeof score === 'number' ? rateScore(score) : null);

/** What the mark behind a value means; empty if no result has it. */
export const sayDenied = (results: readonly Result[]): string =>
  results.some(isDisturbed) ? `${denied} disturbed: the value says little about the page` : '';
