/** Scores and metrics as cells of a table. */
import type { Category, MetricName, Report } from '../report/report.ts';
import { categoryNames } from '../report/report.ts';
import { bordersOf, rate, rateScore } from '../web/metric-range.ts';
import { absent, formatValue } from '../web/numbers.ts';
import { type Paint, toMarked } from './paint.ts';

export const shortMetrics = {
  largest_contentful_paint: 'LCP',
  total_blocking_time: 'TBT',
  cumulative_layout_shift: 'CLS',
} as const satisfies Partial<Record<MetricName, string>>;

/** The categories that any of the Reports has, in their usual order. */
export const categoriesOf = (reports: readonly Report[]): readonly Category[] =>
  categoryNames.filter(name => reports.some(({ scores }) => scores[name] !== undefined));

export function toScoreCell(paint: Paint, report: Report, name: Category): string {
  const score = report.scores[name];
  if (typeof score !== 'number') return toMarked(paint, absent, undefined);
  return toMarked(paint, String(score), rateScore(score));
}

export function toMetricCell(paint: Paint, { metrics, strategy }: Report, name: MetricName): string {
  const metric = metrics[name];
  if (typeof metric?.value !== 'number') return toMarked(paint, absent, undefined);
  const borders = bordersOf(name, strategy);
  return toMarked(paint, formatValue(metric.value, metric.unit), borders && rate(metric.value, borders));
}

/** How far the runs lie apart, as `90–94`; empty where there was one run. */
export function toSpreadCell({ runs, metrics }: Report, name: Category | MetricName): string {
  const spread = runs?.scores[name] ?? runs?.metrics[name];
  if (!spread) return '';
  const unit = name in metrics ? metrics[name as MetricName].unit : undefined;
  const say = (value: number) => (unit === undefined ? String(value) : formatValue(value, unit));
  return `${say(spread.min)}–${say(spread.max)}`;
}
