/** Scores and metrics as cells of a table. */
import { type Category, categoryNames, type MetricName } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { rateScore } from '../../presentation/metric-range.ts';
import { absent, formatValue } from '../../presentation/numbers.ts';
import { type Paint, toMarked } from './terminal/paint.ts';

export const shortMetrics = {
  largest_contentful_paint: 'LCP',
  total_blocking_time: 'TBT',
  cumulative_layout_shift: 'CLS',
} as const satisfies Partial<Record<MetricName, string>>;

/** The categories that any of the results has, in their usual order. */
export const categoriesOf = (results: readonly Result[]): readonly Category[] =>
  categoryNames.filter(name => results.some(({ scores }) => scores[name] !== undefined));

export function toScoreCell(paint: Paint, result: Result, name: Category): string {
  const score = result.scores[name];
  if (typeof score !== 'number') return toMarked(paint, absent, undefined);
  return toMarked(paint, String(score), rateScore(score));
}

export function toMetricCell(paint: Paint, { metrics }: Result, name: MetricName): string {
  const metric = metrics[name];
  if (typeof metric?.value !== 'number') return toMarked(paint, absent, undefined);
  return toMarked(paint, formatValue(metric.value, metric.unit), metric.rating);
}

/** How far the runs lie apart, as `90–94`; empty where there was one run. */
export function toSpreadCell({ runs, metrics }: Result, name: Category | MetricName): string {
  const spread = runs?.scores[name] ?? runs?.metrics[name];
  if (!spread) return '';
  const unit = name in metrics ? metrics[name as MetricName].unit : undefined;
  const say = (value: number) => (unit === undefined ? String(value) : formatValue(value, unit));
  return `${say(spread.min)}–${say(spread.max)}`;
}
