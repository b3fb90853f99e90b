/** Where a metric is good and where poor, and where a value lies on a scale that shows both borders. */

import type { MetricName, Strategy } from '../report/report.ts';
import type { Rating } from '../report/thresholds.ts';
import type { Unit } from './numbers.ts';

/** Good up to the first, poor above the second. */
export type Borders = readonly [good: number, poor: number];

/**
 * Lighthouse's control points (score 90 and score 50), milliseconds but for layout shift, the same since version 8. It expects
 * more of a desktop computer. The answer time of the server has none: Lighthouse knows only good and bad there.
 */
const borders: Readonly<Partial<Record<MetricName, Readonly<Record<Strategy, Borders>>>>> = {
  first_contentful_paint: { mobile: [1800, 3000], desktop: [934, 1600] },
  largest_contentful_paint: { mobile: [2500, 4000], desktop: [1200, 2400] },
  total_blocking_time: { mobile: [200, 600], desktop: [150, 350] },
  cumulative_layout_shift: { mobile: [0.1, 0.25], desktop: [0.1, 0.25] },
  speed_index: { mobile: [3387, 5800], desktop: [1311, 2300] },
  interactive: { mobile: [3785, 7300], desktop: [2468, 4500] },
};

export const bordersOf = (metric: MetricName, strategy: Strategy): Borders | undefined => borders[metric]?.[strategy];

/** A value on a border belongs to the better side. */
export function rate(value: number, [good, poor]: Borders): Rating {
  if (value <= good) return 'good';
  return value <= poor ? 'needs-improvement' : 'poor';
}

export const rateScore = (score: number): Rating => {
  if (score >= 90) return 'good';
  return score >= 50 ? 'needs-improvement' : 'poor';
};

export type Place = {
  /** 0–100, percent of the scale's width. */
  readonly percent: number;
  /** The value lies beyond the end of the scale. */
  readonly isBeyond: boolean;
};

export type Scale = {
  readonly good: number;
  readonly poor: number;
  place(value: number): Place;
};

/** The poor range has no end; this much of it is drawn. */
const poorShare = 0.5;

/** A scale from zero, evenly spaced, that ends half as far again beyond the border to poor. `good` and `poor` in percent. */
export function toScale([good, poor]: Borders): Scale {
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
    meaning: 'until the first text or picture shows',
    unit: 'millisecond',
  },
  largest_contentful_paint: {
    label: 'Largest Contentful Paint',
    meaning: 'until the main content shows',
    unit: 'millisecond',
  },
  total_blocking_time: {
    label: 'Total Blocking Time',
    meaning: 'in which the page answers nobody',
    unit: 'millisecond',
  },
  cumulative_layout_shift: {
    label: 'Cumulative Layout Shift',
    meaning: 'how much things jump about',
    unit: 'unitless',
  },
  speed_index: { label: 'Speed Index', meaning: 'how fast the view fills', unit: 'millisecond' },
  interactive: { label: 'Time to Interactive', meaning: 'until the page is fully usable', unit: 'millisecond' },
  server_response_time: {
    label: 'Server response time',
    meaning: 'until the document begins to arrive',
    unit: 'millisecond',
  },
};

/** The five that make the performance score, heaviest first, and what is measured beside them. */
export const scoredMetrics = [
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'first_contentful_paint',
  'speed_index',
] as const satisfies readonly MetricName[];
export const otherMetrics = ['interactive', 'server_response_time'] as const satisfies readonly MetricName[];
