/** Names and values of the metrics of a history, as text. */
import type { Category, MetricName } from '../contract/names.ts';
import type { History } from '../contract/stored/history.ts';
import { categoryWords } from './findings/findings.ts';
import { metricWords } from './metric-range.ts';
import { absent, formatValue } from './numbers.ts';

export type HistoryMetric = History['metric'];

export const nameOfMetric = (metric: HistoryMetric): string =>
  Object.hasOwn(categoryWords, metric) ? categoryWords[metric as Category] : metricWords[metric as MetricName].label;

export const isMetricName = (metric: HistoryMetric): metric is MetricName => Object.hasOwn(metricWords, metric);

type Unit = History['unit'];

export const sayHistoryValue = (value: number | null, unit: Unit): string => {
  if (value === null) return absent;
  return unit === 'point' ? `${Number(value.toFixed(1))}` : formatValue(value, unit);
};
