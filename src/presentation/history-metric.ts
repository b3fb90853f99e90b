/** Names and values of the metrics of a history, as text. */
import type { Category, MetricName } from '../contract/names.ts';
import type { History } from '../contract/stored/history.ts';
import { categoryWords } from './findings/findings.ts';
import { metricWords } from './metric-range.ts';
import { absent, formatValue, withSign } from './numbers.ts';

export type HistoryMetric = History['metric'];

export const nameOfMetric = (metric: HistoryMetric): string =>
  Object.hasOwn(categoryWords, metric) ? categoryWords[metric as Category] : metricWords[metric as MetricName].label;

export const isMetricName = (metric: HistoryMetric): metric is MetricName => Object.hasOwn(metricWords, metric);

type Unit = History['unit'];

export const sayHistoryValue = (value: number | null, unit: Unit): string => {
  if (value === null) return absent;
  return unit === 'point' ? `${Number(value.toFixed(1))}` : formatValue(value, unit);
};

/** Formats a value with its sign: `+120 ms`, `−3`. */
export const saySigned = (value: number, unit: Unit): string => {
  if (unit === 'point') return withSign(value, Number.isInteger(value) ? 0 : 1);
  if (value === 0) return '0';
  return `${value > 0 ? '+' : '−'}${formatValue(Math.abs(value), unit)}`;
};
