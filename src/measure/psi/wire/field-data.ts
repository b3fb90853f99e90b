import { isObject } from '../../../contract/result/details.ts';
import type { FieldMetric, FieldVitals } from '../../../contract/result/metrics.ts';
import { type FieldMetricName, toFieldRating } from '../../../contract/result/thresholds.ts';

type FieldName = FieldMetricName & keyof FieldVitals;

/**
 * Names of the field metrics: of PSI v5 with a divisor, and of the CrUX API. PSI sends cumulative layout shift as an
 * integer, multiplied by 100; the API sends it unscaled, as a string.
 */
const fieldNames: readonly (readonly [FieldName, psiName: string, divisor: number, cruxName: string])[] = [
  ['largest_contentful_paint', 'LARGEST_CONTENTFUL_PAINT_MS', 1, 'largest_contentful_paint'],
  ['interaction_to_next_paint', 'INTERACTION_TO_NEXT_PAINT', 1, 'interaction_to_next_paint'],
  ['cumulative_layout_shift', 'CUMULATIVE_LAYOUT_SHIFT_SCORE', 100, 'cumulative_layout_shift'],
  ['first_contentful_paint', 'FIRST_CONTENTFUL_PAINT_MS', 1, 'first_contentful_paint'],
  ['time_to_first_byte', 'EXPERIMENTAL_TIME_TO_FIRST_BYTE', 1, 'experimental_time_to_first_byte'],
];
export const cruxNames = fieldNames.map(([name, , , cruxName]) => [name, cruxName] as const);

type PsiMetric = { percentile?: unknown; distributions?: unknown };
export type LoadingExperience = { metrics?: Record<string, PsiMetric>; origin_fallback?: boolean };

/** @param share name of the field with a bucket's share of visits, which an empty bucket lacks */
const toShares = (buckets: unknown, share: 'proportion' | 'density'): [number, number, number] | undefined => {
  if (!Array.isArray(buckets)) return undefined;
  const [good, middle, poor] = buckets.map(
    (bucket: { proportion?: unknown; density?: unknown } | null) => bucket?.[share] ?? 0,
  );
  return [good, middle, poor].every(part => typeof part === 'number' && part >= 0 && part <= 1)
    ? [Number(good), Number(middle), Number(poor)]
    : undefined;
};

const toFieldMetric = (
  name: FieldName,
  p75: number | undefined,
  distribution: FieldMetric['distribution'] | undefined,
): FieldMetric | undefined => {
  if (p75 === undefined || !distribution) return undefined;
  const unit = name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond';
  return { p75, unit, rating: toFieldRating(name, p75), distribution };
};

/**
 * Returns the assessment: Core Web Vitals pass if LCP, CLS and, if there are enough data, INP are good. Without LCP or
 * CLS, there is no assessment.
 */
const toAssessment = (metrics: Partial<Record<string, FieldMetric>>): FieldVitals['assessment'] => {
  const { largest_contentful_paint: lcp, cumulative_layout_shift: cls, interaction_to_next_paint: inp } = metrics;
  if (!lcp || !cls) return null;
  return [lcp, cls, inp].every(metric => !metric || metric.rating === 'good') ? 'passed' : 'failed';
};

/** Returns null if all metrics are absent. */
const toVitals = (
  facts: Pick<FieldVitals, 'scope' | 'collected_by' | 'period'>,
  metrics: Partial<Record<FieldName, FieldMetric>>,
): FieldVitals | null =>
  Object.keys(metrics).length === 0 ? null : { ...facts, assessment: toAssessment(metrics), ...metrics };

const fromExperience = (experience: LoadingExperience | undefined, scope: FieldVitals['scope']): FieldVitals | null => {
  const metrics: Partial<Record<FieldName, FieldMetric>> = {};
  for (const [name, psiName, divisor] of fieldNames) {
    const { percentile, distributions } = experience?.metrics?.[psiName] ?? {};
    const p75 = typeof percentile === 'number' ? toP75(percentile) : undefined;
    const metric = toFieldMetric(name, p75 === undefined ? p75 : p75 / divisor, toShares(distributions, 'proportion'));
    if (metric) metrics[name] = metric;
  }
  return toVitals({ scope, collected_by: 'psi', period: null }, metrics);
};

/**
 * Returns the field data in a PSI v5 answer: those of the URL, or else of its origin; null if the answer has neither.
 * `origin_fallback` is absent, not false, if the data are the URL's own. PSI's `overall_category` is not used, because
 * it includes time to first byte, which is not a Core Web Vital.
 */
export const toFieldVitals = (
  experience: LoadingExperience | undefined,
  ofOrigin?: LoadingExperience | undefined,
): FieldVitals | null =>
  fromExperience(experience, experience?.origin_fallback === true ? 'origin' : 'url') ??
  fromExperience(ofOrigin, 'origin');

type CruxMetric = { histogram?: unknown; percentiles?: { p75?: unknown } | null } | null;
export type CruxDate = { year?: unknown; month?: unknown; day?: unknown } | null;
/** The parts of a CrUX API answer (`records:queryRecord`) that this module reads. */
export type CruxAnswer = {
  record: {
    metrics?: Record<string, CruxMetric> | null;
    collectionPeriod?: { firstDate?: CruxDate; lastDate?: CruxDate } | null;
  };
};

export const isCruxAnswer = (body: unknown): body is CruxAnswer => isObject(body) && isObject(body.record);

/** Returns undefined for a date that does not exist. */
export const toDate = (date: CruxDate | undefined): string | undefined => {
  const { year, month, day } = date ?? {};
  if (![year, month, day].every(Number.isInteger)) return undefined;
  const text = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) ? text : undefined;
};

const toPeriod = ({ collectionPeriod }: CruxAnswer['record']): FieldVitals['period'] => {
  const [first, last] = [toDate(collectionPeriod?.firstDate), toDate(collectionPeriod?.lastDate)];
  return first && last ? { first_date: first, last_date: last } : null;
};

/** Returns undefined for what no 75th percentile can be. */
export const toP75 = (value: unknown): number | undefined => {
  const p75 = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof p75 === 'number' && Number.isFinite(p75) && p75 >= 0 ? p75 : undefined;
};

/** Returns the field data of a CrUX API answer. */
export function fromCrux({ record }: CruxAnswer, scope: FieldVitals['scope']): FieldVitals | null {
  const metrics: Partial<Record<FieldName, FieldMetric>> = {};
  for (const [name, cruxName] of cruxNames) {
    const given = record.metrics?.[cruxName];
    const metric = toFieldMetric(name, toP75(given?.percentiles?.p75), toShares(given?.histogram, 'density'));
    if (metric) metrics[name] = metric;
  }
  return toVitals({ scope, collected_by: 'crux', period: toPeriod(record) }, metrics);
}
