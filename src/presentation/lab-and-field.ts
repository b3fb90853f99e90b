/** How a load differs from real visits, and how visits have changed. Neither is the correct one. */
import type { FieldHistory, FieldVitals } from '../contract/result/metrics.ts';
import type { Result } from '../contract/result/result.ts';
import { type FieldMetricName, toFieldRating } from '../contract/result/thresholds.ts';
import { formatValue, type Unit } from './numbers.ts';
import { toShown } from './undisturbed.ts';
import { metricWords, ratingWords } from './words.ts';

/** Metrics that a load and a visit measure in the same way. */
const compared = ['largest_contentful_paint', 'first_contentful_paint', 'cumulative_layout_shift'] as const;

/** Smallest difference that matters: loads of one page differ by less, and by a share of the field value. */
const smallest = { millisecond: 200, unitless: 0.05 } as const;
const smallestShare = 0.2;

/**
 * Returns a sentence for each metric whose load and visits have other ratings and differ clearly.
 * @param field of the page or of its origin
 */
export function sayLabAgainstField(result: Result, field: FieldVitals | null): string[] {
  return compared.flatMap(name => {
    const [metric, { value, isUnreliable }] = [field?.[name], toShown(result, name)];
    if (!field || !metric || value === null || isUnreliable) return [];
    const unit = metric.unit as keyof typeof smallest;
    const difference = value - metric.p75;
    const rating = toFieldRating(name, value);
    const matters = Math.max(smallest[unit], smallestShare * metric.p75);
    if (rating === metric.rating || Math.abs(difference) < matters) return [];
    const direction = unit === 'unitless' ? ['more', 'less'] : ['slower', 'faster'];
    const [lab, visits, apart] = [value, metric.p75, Math.abs(difference)].map(number => formatValue(number, unit));
    return [
      `Lab and field disagree on ${metricWords[name].label}: ${lab} in this load (${ratingWords[rating]}) is ${apart} ${difference > 0 ? direction[0] : direction[1]} than the ${visits} of three out of four visits to ${field.scope === 'url' ? 'this page' : 'the whole site'} (${ratingWords[metric.rating]}).`,
    ];
  });
}

/** Describes the oldest known value of a field metric: `2.6 s until 2026-03-01`; undefined without one. */
export function sayEarliest(history: FieldHistory | undefined, name: FieldMetricName, unit: Unit): string | undefined {
  const at = history?.[name]?.findIndex(p75 => p75 !== null) ?? -1;
  const [date, p75] = [history?.last_dates[at], history?.[name]?.[at]];
  if (date === undefined || p75 === undefined || p75 === null || date === history?.last_dates.at(-1)) return undefined;
  return `${formatValue(p75, unit)} in the 28 days until ${date}`;
}
