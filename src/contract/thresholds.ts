/**
 * Where good ends and poor begins. Core Web Vitals: web.dev/articles/vitals; total blocking time, the lab stand-in
 * for interaction to next paint: Lighthouse's documented 200/600 ms. A value on the border belongs to the better side.
 */
export type Rating = 'good' | 'needs-improvement' | 'poor';

const thresholds = {
  largest_contentful_paint: [2500, 4000],
  cumulative_layout_shift: [0.1, 0.25],
  total_blocking_time: [200, 600],
  interaction_to_next_paint: [200, 500],
  first_contentful_paint: [1800, 3000],
  time_to_first_byte: [800, 1800],
} as const;

export type RatedMetric = keyof typeof thresholds;

/** @param value milliseconds, or the plain number for cumulative layout shift */
export function toRating(metric: RatedMetric, value: number): Rating {
  const [good, poor] = thresholds[metric];
  if (value <= good) return 'good';
  return value <= poor ? 'needs-improvement' : 'poor';
}
