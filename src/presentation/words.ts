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

/** Says why a change is possible. @param value value of the first point after it */
export const sayOutside = (
  { segments, unit, points }: Pick<History, 'segments' | 'unit' | 'points'>,
  value: number,
): string => {
  const values = points.some(({ disturbed }) => disturbed) ? 'undisturbed values' : 'values';
  return `${sayHistoryValue(value, unit)} is outside the range of ${segments.length > 1 ? `the ${values} since the last change` : `all ${values} before it`}.`;
};

type MetricWords = {
  readonly label: string;
  readonly short: string;
  /** Unit or meaning of the value, shown after its label. */
  readonly meaning: string;
  readonly unit: Unit;
};

const inTime = (label: string, short: string, meaning: string): MetricWords => ({
  ...{ label, short, meaning },
  unit: 'millisecond',
});

export const metricWords: Readonly<Record<MetricName, MetricWords>> = {
  first_contentful_paint: inTime('First Contentful Paint', 'FCP', 'until the first text or image appears'),
  largest_contentful_paint: inTime('Largest Contentful Paint', 'LCP', 'until the main content appears'),
  total_blocking_time: inTime('Total Blocking Time', 'TBT', 'in which the page does not respond'),
  cumulative_layout_shift: {
    ...inTime('Cumulative Layout Shift', 'CLS', 'how much the content shifts'),
    unit: 'unitless',
  },
  speed_index: inTime('Speed Index', 'SI', 'how fast the view fills'),
  interactive: inTime('Time to Interactive', 'TTI', 'until the page is fully usable'),
  server_response_time: inTime('Server response time', 'TTFB', 'until the document starts to arrive'),
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
