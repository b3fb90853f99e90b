/**
 * Thresholds of good and poor, for lab and for field values; docs/internals/decisions/015-ratings.md explains why they
 * differ. A value on a threshold belongs to the better side. Times are in milliseconds; cumulative layout shift has no
 * unit.
 */
import type { MetricName, Strategy } from '../names.ts';

export type Rating = 'good' | 'needs-improvement' | 'poor';

/** Good up to the first value, poor above the second. */
export type Thresholds = readonly [good: number, poor: number];

export function rate(value: number, [good, poor]: Thresholds): Rating {
  if (value <= good) return 'good';
  return value <= poor ? 'needs-improvement' : 'poor';
}

const same = (thresholds: Thresholds): Readonly<Record<Strategy, Thresholds>> => ({
  mobile: thresholds,
  desktop: thresholds,
});

/**
 * Thresholds for lab data: Lighthouse's control points (scores of 90 and 50), the same since version 8, stricter for
 * desktops. Its audit of the server response time only passes or fails, at 600 ms; the threshold for poor is that of
 * web.dev for time to first byte.
 */
const labThresholds: Readonly<Record<MetricName, Readonly<Record<Strategy, Thresholds>>>> = {
  first_contentful_paint: { mobile: [1800, 3000], desktop: [934, 1600] },
  largest_contentful_paint: { mobile: [2500, 4000], desktop: [1200, 2400] },
  total_blocking_time: { mobile: [200, 600], desktop: [150, 350] },
  cumulative_layout_shift: same([0.1, 0.25]),
  speed_index: { mobile: [3387, 5800], desktop: [1311, 2300] },
  interactive: { mobile: [3785, 7300], desktop: [2468, 4500] },
  server_response_time: same([600, 1800]),
};

export const labThresholdsOf = (metric: MetricName, strategy: Strategy): Thresholds => labThresholds[metric][strategy];

export const toLabRating = (metric: MetricName, value: number, strategy: Strategy): Rating =>
  rate(value, labThresholdsOf(metric, strategy));

/** Thresholds for field data, on any device: web.dev/articles/vitals. */
const fieldThresholds = {
  largest_contentful_paint: [2500, 4000],
  cumulative_layout_shift: [0.1, 0.25],
  interaction_to_next_paint: [200, 500],
  first_contentful_paint: [1800, 3000],
  time_to_first_byte: [800, 1800],
} as const satisfies Readonly<Record<string, Thresholds>>;

export type FieldMetricName = keyof typeof fieldThresholds;
export const fieldMetricNames = Object.keys(fieldThresholds) as FieldMetricName[];

export const toFieldRating = (metric: FieldMetricName, p75: number): Rating => rate(p75, fieldThresholds[metric]);
