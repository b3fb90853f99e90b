/** Field data next to the lab values of a history. */
import type { FieldHistory, FieldMetric, FieldVitals } from '../../contract/result/metrics.ts';
import { type FieldMetricName, toFieldRating } from '../../contract/result/thresholds.ts';
import type { History } from '../../contract/stored/history.ts';

export type FieldPoint = { readonly time: string; readonly vitals: FieldVitals };

/** Lab metrics that measure what a field metric measures. */
const fieldNames = {
  largest_contentful_paint: 'largest_contentful_paint',
  cumulative_layout_shift: 'cumulative_layout_shift',
  first_contentful_paint: 'first_contentful_paint',
  server_response_time: 'time_to_first_byte',
} as const satisfies Partial<Record<History['metric'], FieldMetricName>>;

export const fieldNameOf = (metric: History['metric']): FieldMetricName | undefined =>
  Object.hasOwn(fieldNames, metric) ? fieldNames[metric as keyof typeof fieldNames] : undefined;

/** Returns the weeks with a value of one metric; null if there are none. */
export function toFieldSeries(history: FieldHistory, metric: FieldMetricName): History['field'] {
  const points = history.last_dates.flatMap((last_date, at) => {
    const p75 = history[metric]?.[at] ?? null;
    return p75 === null ? [] : [{ last_date, p75, rating: toFieldRating(metric, p75) }];
  });
  return points.length === 0 ? null : { scope: history.scope, metric, points };
}

type FieldValue = Pick<FieldMetric, 'p75' | 'rating'> & Pick<FieldPoint, 'time'> & Pick<FieldVitals, 'scope'>;

/** Returns the field values of a history: its weeks, or else those of some of its results. */
export function fieldValuesOf({ metric, field }: History, points: readonly FieldPoint[]): readonly FieldValue[] {
  if (field) return field.points.map(({ last_date: time, ...value }) => ({ ...value, time, scope: field.scope }));
  const name = fieldNameOf(metric);
  return points.flatMap(({ time, vitals }) => {
    const value = name && vitals[name];
    return value ? [{ ...value, time, scope: vitals.scope }] : [];
  });
}

/** Returns the values between two times: the last one before stands at the start, the last one at the end. */
export function toDrawn(values: readonly FieldValue[], startMs: number, endMs: number) {
  const timed = values.map(({ time, p75 }) => ({ ms: Date.parse(time), p75 }));
  const before = timed.findLast(({ ms }) => ms < startMs);
  const within = timed.filter(({ ms }) => ms >= startMs && ms <= endMs);
  const drawn = [...(before ? [{ ms: startMs, p75: before.p75 }] : []), ...within];
  const last = drawn.at(-1);
  return last && last.ms < endMs ? [...drawn, { ms: endMs, p75: last.p75 }] : drawn;
}
