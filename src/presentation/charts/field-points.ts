/** Field data next to the lab values of a history. */
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

/** Returns the field values of a metric; empty for a metric without field data. */
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
