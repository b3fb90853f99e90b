/** Reads an answer of the CrUX History API (`records:queryHistoryRecord`): weekly values, each of 28 days. */
import type { FieldHistory } from '../../../contract/result/metrics.ts';
import { type CruxDate, cruxNames, toDate, toP75 } from './field-data.ts';

type Series = { percentilesTimeseries?: { p75s?: unknown } | null } | null;
type Period = { lastDate?: CruxDate } | null;
/** The parts of an answer that this module reads. A period without enough visits has null, or the text `NaN`. */
export type CruxHistoryAnswer = { record: { metrics?: Record<string, Series> | null; collectionPeriods?: unknown } };

/** Max number of periods that the API returns. */
export const mostPeriods = 40;

/**
 * Returns null if no period has a value. Periods without a date are left out, because their place in time is unknown.
 */
export function toFieldHistory({ record }: CruxHistoryAnswer, scope: FieldHistory['scope']): FieldHistory | null {
  const periods: Period[] = Array.isArray(record.collectionPeriods) ? record.collectionPeriods : [];
  const dated = periods
    .slice(-mostPeriods)
    .flatMap((period, at) => {
      const date = toDate(period?.lastDate);
      return date === undefined ? [] : [{ date, at: at + Math.max(0, periods.length - mostPeriods) }];
    })
    .sort((a, b) => a.date.localeCompare(b.date));
  const series = cruxNames.flatMap(([name, cruxName]) => {
    const given = record.metrics?.[cruxName]?.percentilesTimeseries?.p75s;
    const p75s = dated.map(({ at }) => (Array.isArray(given) ? (toP75(given[at]) ?? null) : null));
    return p75s.some(p75 => p75 !== null) ? [[name, p75s] as const] : [];
  });
  if (series.length === 0) return null;
  return { scope, last_dates: dated.map(({ date }) => date), ...Object.fromEntries(series) };
}
