import {
  categoryNames,
  type MetricName,
  metricNames,
  type RequestCategory,
  type Strategy,
} from '../../contract/names.ts';
import type { LabVitals, Metric, Metrics, Scores } from '../../contract/result/metrics.ts';
import type { AgenticBrowsing } from '../../contract/result/result.ts';
import { toLabRating } from '../../contract/result/thresholds.ts';
import type { Lhr, LhrAudit } from './lhr.ts';

/** Converts Lighthouse's 0–1 to an integer 0–100. Null is not changed. */
export const toPercent = (score: number | null | undefined): number | null =>
  score === null || score === undefined ? null : Math.round(score * 100);

/**
 * Computes the score of a category as Lighthouse does, in points of 100, before it is rounded.
 * @param weights shares of the audits that count in percent, by id
 * @returns null if no audit counts, or one has no score
 */
export function toWeightedPoints(
  weights: Iterable<readonly [id: string, share: { readonly weight: number }]>,
  scoreOf: (id: string) => number | null | undefined,
): number | null {
  let points: number | null = null;
  for (const [id, { weight }] of weights) {
    const score = scoreOf(id);
    if (typeof score !== 'number') return null;
    points = (points ?? 0) + weight * score;
  }
  return points;
}

const isScored = (name: RequestCategory) => (categoryNames as readonly string[]).includes(name);

const uncounted: ReadonlySet<string> = new Set(['manual', 'notApplicable', 'informative']);

/** Returns the requested categories in order; null if Lighthouse could not compute a score. */
export const toScores = (lhr: Lhr, requested: readonly RequestCategory[]): Scores =>
  Object.fromEntries(
    requested.filter(name => isScored(name)).map(name => [name, toPercent(lhr.categories[name]?.score)]),
  );

/**
 * Counts the passed and applicable audits of agentic browsing like Lighthouse's report (`calculateCategoryFraction` in
 * report/renderer/report-utils.js, 13.5). The score of this category is not displayed.
 * @returns undefined if the result has no such category
 */
export function toAgenticBrowsing(lhr: Lhr): AgenticBrowsing | undefined {
  const category = lhr.categories['agentic-browsing'];
  if (!category) return undefined;
  const audits = category.auditRefs.flatMap(({ id, group }) => (group === 'hidden' ? [] : (lhr.audits[id] ?? [])));
  const counted = audits.filter(({ scoreDisplayMode }) => !uncounted.has(scoreDisplayMode));
  const passed = counted.filter(({ scoreDisplayMode, score }) => scoreDisplayMode !== 'error' && (score ?? 0) >= 0.9);
  return { passed: passed.length, total: counted.length };
}

export const auditIds: Readonly<Record<MetricName, string>> = {
  first_contentful_paint: 'first-contentful-paint',
  largest_contentful_paint: 'largest-contentful-paint',
  total_blocking_time: 'total-blocking-time',
  cumulative_layout_shift: 'cumulative-layout-shift',
  speed_index: 'speed-index',
  interactive: 'interactive',
  server_response_time: 'server-response-time',
};

const unitOf = (name: MetricName) => (name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond');

/** Formats milliseconds like Lighthouse, rounded to tens: `1,230 ms`. */
const sayMs = (ms: number): string => `${(Math.round(ms / 10) * 10).toLocaleString('en-US')}\u00a0ms`;

/** Returns Lighthouse's display value, except for the server response time, for which it is a translated sentence. */
const toDisplayValue = (name: MetricName, audit: LhrAudit | undefined): string | null => {
  if (name !== 'server_response_time') return audit?.displayValue ?? null;
  return typeof audit?.numericValue === 'number' ? sayMs(audit.numericValue) : null;
};

const toMetric = (lhr: Lhr, name: MetricName, strategy: Strategy): Metric => {
  const audit = lhr.audits[auditIds[name]];
  const value = audit?.numericValue ?? null;
  return {
    value,
    unit: unitOf(name),
    display_value: toDisplayValue(name, audit),
    score: toPercent(audit?.score),
    rating: value === null ? null : toLabRating(name, value, strategy),
  };
};

/** Returns lab metrics. The value is null for a metric that was not measured. */
export const toMetrics = (lhr: Lhr, strategy: Strategy): Metrics =>
  Object.fromEntries(metricNames.map(name => [name, toMetric(lhr, name, strategy)])) as Metrics;

const toLabVital = (metrics: Metrics, name: keyof LabVitals) => {
  const { value, unit, rating } = metrics[name];
  return { value, unit, rating };
};

export const toLabVitals = (metrics: Metrics): LabVitals => ({
  largest_contentful_paint: toLabVital(metrics, 'largest_contentful_paint'),
  cumulative_layout_shift: toLabVital(metrics, 'cumulative_layout_shift'),
  total_blocking_time: toLabVital(metrics, 'total_blocking_time'),
});
