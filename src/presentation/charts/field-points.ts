/** What visitors had, next to what a history measured. */
import type { FieldMetric, FieldVitals } from '../../contract/result/metrics.ts';
import type { History } from '../../contract/stored/history.ts';

/** The field data of one result. */
export type FieldPoint = { readonly time: string; readonly vitals: FieldVitals };

const fieldNames = {
  largest_contentful_paint: 'largest_contentful_paint',
  cumulative_layout_shift: 'cumulative_layout_shift',
  first_contentful_paint: 'first_contentful_paint',
  server_response_time: 'time_to_first_byte',
} as const satisfies Partial<Record<History['metric'], keyof FieldVitals>>;

/** The values of a metric that visitors had; none for a metric that field data do not have. */
export function fieldValuesOf(
  metric: History['metric'],
  points: readonly FieldPoint[],
): readonly (FieldMetric & Pick<FieldPoint, 'time'> & Pick<FieldVitals, 'scope'>)[] {
  const name = fieldNames[metric as keyof typeof fieldNames];
  return points.flatMap(({ time, vitals }) => {
    const value = name && vitals[name];
    return value ? [{ ...value, time, scope: vitals.scope }] : [];
  });
}
