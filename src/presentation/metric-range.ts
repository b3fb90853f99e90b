/** Names of metrics, and the position of a value on a scale with both thresholds. */

import type { MetricName } from '../contract/names.ts';
import type { Rating, Thresholds } from '../contract/result/thresholds.ts';
import type { Unit } from './numbers.ts';

export const rateScore = (score: number): Rating => {
  if (score >= 90) return 'good';
  return score >= 50 ? 'needs-improvement' : 'poor';
};

type ScalePoint = {
  /** Position in percent of the scale's width, 0–100. */
  readonly percent: number;
  /** Whether the value is beyond the end of the scale. */
  readonly isBeyond: boolean;
};

export type Scale = {
  readonly good: number;
  readonly poor: number;
  place(value: number): ScalePoint;
};

/** Displayed share of the poor range, which has no end. */
const poorShare = 0.5;

/** Returns a linear scale from zero to half beyond the threshold for poor, with `good` and `poor` in percent. */
export function toScale([good, poor]: Thresholds): Scale {
  const end = poor * (1 + poorShare);
  const percent = (value: number) => Math.round((10_000 * value) / end) / 100;
  return {
    good: percent(good),
    poor: percent(poor),
    place: value => ({ percent: Math.min(100, Math.max(0, percent(value))), isBeyond: value > end }),
  };
}

export const ratingWords: Readonly<Record<Rating, string>> = {
  good: 'good',
  'needs-improvement': 'needs improvement',
  poor: 'poor',
};

type MetricWords = { readonly label: string; readonly meaning: string; readonly unit: Unit };

export const metricWords: Readonly<Record<MetricName, MetricWords>> = {
  first_contentful_paint: {
    label: 'First Contentful Paint',
    meaning: 'until the first text or image appears',
    unit: 'millisecond',
  },
  largest_contentful_paint: {
    label: 'Largest Contentful Paint',
    meaning: 'until the main content appears',
    unit: 'millisecond',
  },
  total_blocking_time: {
    label: 'Total Blocking Time',
    meaning: 'in which the page does not respond',
    unit: 'millisecond',
  },
  cumulative_layout_shift: {
    label: 'Cumulative Layout Shift',
    meaning: 'how much the content shifts',
    unit: 'unitless',
  },
  speed_index: { label: 'Speed Index', meaning: 'how fast the view fills', unit: 'millisecond' },
  interactive: { label: 'Time to Interactive', meaning: 'until the page is fully usable', unit: 'millisecond' },
  server_response_time: {
    label: 'Server response time',
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
