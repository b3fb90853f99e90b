import type { Lhr } from './lhr.ts';
import type { LabVitals, Metric, MetricName, Metrics } from './report.ts';
import { toPercent } from './scores.ts';
import { type RatedMetric, toRating } from './thresholds.ts';

const auditIds: Readonly<Record<MetricName, string>> = {
  first_contentful_paint: 'first-contentful-paint',
  largest_contentful_paint: 'largest-contentful-paint',
  total_blocking_time: 'total-blocking-time',
  cumulative_layout_shift: 'cumulative-layout-shift',
  speed_index: 'speed-index',
  interactive: 'interactive',
  server_response_time: 'server-response-time',
};

const unitOf = (name: MetricName) => (name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond');

const toMetric = (lhr: Lhr, name: MetricName): Metric => {
  const audit = lhr.audits[auditIds[name]];
  return {
    value: audit?.numericValue ?? null,
    unit: unitOf(name),
    display_value: audit?.displayValue ?? null,
    score: toPercent(audit?.score),
  };
};

/** Lab metrics. A metric that was not measured has the value null; one that measured nothing has 0. */
export const toMetrics = (lhr: Lhr): Metrics => ({
  first_contentful_paint: toMetric(lhr, 'first_contentful_paint'),
  largest_contentful_paint: toMetric(lhr, 'largest_contentful_paint'),
  total_blocking_time: toMetric(lhr, 'total_blocking_time'),
  cumulative_layout_shift: toMetric(lhr, 'cumulative_layout_shift'),
  speed_index: toMetric(lhr, 'speed_index'),
  interactive: toMetric(lhr, 'interactive'),
  server_response_time: toMetric(lhr, 'server_response_time'),
});

const toLabVital = (metrics: Metrics, name: RatedMetric & keyof LabVitals) => {
  const { value, unit } = metrics[name];
  return { value, unit, rating: value === null ? null : toRating(name, value) };
};

export const toLabVitals = (metrics: Metrics): LabVitals => ({
  largest_contentful_paint: toLabVital(metrics, 'largest_contentful_paint'),
  cumulative_layout_shift: toLabVital(metrics, 'cumulative_layout_shift'),
  total_blocking_time: toLabVital(metrics, 'total_blocking_time'),
});
