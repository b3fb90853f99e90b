/** Names of metrics, categories and ratings for people. Every text takes them from here. */

import {
  type Category,
  type CustomMetricName,
  isCustomMetricName,
  type MetricName,
  type RequestCategory,
} from '../contract/names.ts';
import type { Rating } from '../contract/result/thresholds.ts';
import type { History } from '../contract/stored/history.ts';
import { absent, counted, formatValue, type Unit } from './numbers.ts';

export type HistoryMetric = History['metric'];

export const sayNoPoints = ({ without_value: without, metric }: History): string =>
  without === 0
    ? 'No result of this page is stored.'
    : `${counted(without, 'result')} of this page ${without === 1 ? 'is' : 'are'} stored, but without ${nameOfMetric(metric)}.`;

export const sayHistoryValue = (value: number | null, unit: History['unit']): string => {
  if (value === null) return absent;
  return unit === 'point' ? `${Number(value.toFixed(1))}` : formatValue(value, unit);
};

type MetricWords = {
  readonly label: string;
  readonly short: string;
  /** What the value is, after the label. */
  readonly meaning: string;
  readonly unit: Unit;
};

export const metricWords: Readonly<Record<MetricName, MetricWords>> = {
  first_contentful_paint: {
    label: 'First Contentful Paint',
    short: 'FCP',
    meaning: 'until the first text or image appears',
    unit: 'millisecond',
  },
  largest_contentful_paint: {
    label: 'Largest Contentful Paint',
    short: 'LCP',
    meaning: 'until the main content appears',
    unit: 'millisecond',
  },
  total_blocking_time: {
    label: 'Total Blocking Time',
    short: 'TBT',
    meaning: 'in which the page does not respond',
    unit: 'millisecond',
  },
  cumulative_layout_shift: {
    label: 'Cumulative Layout Shift',
    short: 'CLS',
    meaning: 'how much the content shifts',
    unit: 'unitless',
  },
  speed_index: { label: 'Speed Index', short: 'SI', meaning: 'how fast the view fills', unit: 'millisecond' },
  interactive: {
    label: 'Time to Interactive',
    short: 'TTI',
    meaning: 'until the page is fully usable',
    unit: 'millisecond',
  },
  server_response_time: {
    label: 'Server response time',
    short: 'TTFB',
    meaning: 'until the document starts to arrive',
    unit: 'millisecond',
  },
};

/** The five metrics of the performance score in the order of display, and the others. */
export const scoredMetrics = [
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'first_contentful_paint',
  'speed_index',
] as const satisfies readonly MetricName[];
export const otherMetrics = ['interactive', 'server_response_time'] as const satisfies readonly MetricName[];

/** Metrics in tables of several results: the Core Web Vitals of a load without a visitor. */
export const tableMetrics = [
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
] as const satisfies readonly MetricName[];
export type TableMetric = (typeof tableMetrics)[number];

export const isTableMetric = (name: string): name is TableMetric => (tableMetrics as readonly string[]).includes(name);

export const categoryWords: Readonly<Record<RequestCategory, string>> = {
  performance: 'Performance',
  accessibility: 'Accessibility',
  'best-practices': 'Best practices',
  seo: 'SEO',
  'agentic-browsing': 'Agentic browsing',
};

/** Names for narrow tables. */
export const shortCategoryWords: Readonly<Record<RequestCategory, string>> = {
  performance: 'Perf',
  accessibility: 'A11y',
  'best-practices': 'Best',
  seo: 'SEO',
  'agentic-browsing': 'Agent',
};

export const categoryInSentence = (name: string): string =>
  name === 'seo' ? categoryWords[name] : name.replace('-', ' ');

/** Returns the name of a score or metric in a heading: the short one of a metric. */
export const headOf = (name: RequestCategory | MetricName): string =>
  isMetricName(name) ? metricWords[name].short : categoryWords[name];

export const isMetricName = (name: string): name is MetricName => Object.hasOwn(metricWords, name);

/** Returns the name of a custom metric: `Mark hero-shown`. */
const nameOfCustom = (name: CustomMetricName): string => {
  const [kind = '', ...rest] = name.split(':');
  return name === 'main-thread' ? 'Main-thread CPU time' : `${kind === 'mark' ? 'Mark' : 'Measure'} ${rest.join(':')}`;
};

export function nameOfMetric(name: Category | MetricName | CustomMetricName): string {
  if (isMetricName(name)) return metricWords[name].label;
  return isCustomMetricName(name) ? nameOfCustom(name) : categoryWords[name];
}

export const ratingWords: Readonly<Record<Rating, string>> = {
  good: 'good',
  'needs-improvement': 'needs improvement',
  poor: 'poor',
};
