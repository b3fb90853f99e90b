import type { FieldMetric, FieldVitals } from '../report/report.ts';
import { type RatedMetric, toRating } from '../report/thresholds.ts';

/** PSI v5 names of the field metrics. It sends cumulative layout shift as an integer, a hundred times the value. */
const psiNames: readonly (readonly [RatedMetric & keyof FieldVitals, string, number])[] = [
  ['largest_contentful_paint', 'LARGEST_CONTENTFUL_PAINT_MS', 1],
  ['interaction_to_next_paint', 'INTERACTION_TO_NEXT_PAINT', 1],
  ['cumulative_layout_shift', 'CUMULATIVE_LAYOUT_SHIFT_SCORE', 100],
  ['first_contentful_paint', 'FIRST_CONTENTFUL_PAINT_MS', 1],
  ['time_to_first_byte', 'EXPERIMENTAL_TIME_TO_FIRST_BYTE', 1],
];

type PsiMetric = { percentile?: unknown; distributions?: unknown };
export type LoadingExperience = { metrics?: Record<string, PsiMetric>; origin_fallback?: boolean };

const toShares = (distributions: unknown): [number, number, number] | undefined => {
  if (!Array.isArray(distributions)) return undefined;
  const [good, middle, poor] = distributions.map((bucket: { proportion?: unknown } | null) => bucket?.proportion ?? 0);
  return [good, middle, poor].every(share => typeof share === 'number')
    ? [Number(good), Number(middle), Number(poor)]
    : undefined;
};

const toFieldMetric = (name: RatedMetric, metric: PsiMetric | undefined, divisor: number): FieldMetric | undefined => {
  const distribution = toShares(metric?.distributions);
  if (typeof metric?.percentile !== 'number' || !distribution) return undefined;
  const p75 = metric.percentile / divisor;
  const unit = name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond';
  return { p75, unit, rating: toRating(name, p75), distribution };
};

/** Core Web Vitals pass when LCP, CLS and, where there is enough data for it, INP are good. No LCP or CLS: no verdict. */
const toAssessment = (metrics: Partial<Record<string, FieldMetric>>): FieldVitals['assessment'] => {
  const { largest_contentful_paint: lcp, cumulative_layout_shift: cls, interaction_to_next_paint: inp } = metrics;
  if (!lcp || !cls) return null;
  return [lcp, cls, inp].every(metric => !metric || metric.rating === 'good') ? 'passed' : 'failed';
};

/**
 * Field data of a PSI v5 answer, or null where it has none. `origin_fallback` is absent, not false, when the data are
 * the URL's own. PSI's `overall_category` is not used: it counts time to first byte, which is no Core Web Vital.
 */
export function toFieldVitals(experience: LoadingExperience | undefined): FieldVitals | null {
  const metrics: Partial<Record<RatedMetric & keyof FieldVitals, FieldMetric>> = {};
  for (const [name, psiName, divisor] of psiNames) {
    const metric = toFieldMetric(name, experience?.metrics?.[psiName], divisor);
    if (metric) metrics[name] = metric;
  }
  if (Object.keys(metrics).length === 0) return null;
  return {
    scope: experience?.origin_fallback === true ? 'origin' : 'url',
    collected_by: 'psi',
    period: null,
    assessment: toAssessment(metrics),
    ...metrics,
  };
}
