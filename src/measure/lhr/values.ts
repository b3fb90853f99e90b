/**
 * Readers of values in a Lighthouse result from another machine: absent or malformed values become null, and text is
 * shortened.
 */

import { rowsOf } from '../../contract/result/details.ts';

export const toNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

const maxText = 80;
/** Returns untrusted text as one line without control characters. */
export const toText = (value: unknown, most = maxText): string =>
  typeof value === 'string'
    ? value
        .slice(0, 4 * most)
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, most)
        .toWellFormed()
    : '';

/** Max number of listed files and errors, because the page determines them. */
export const mostListed = 1000;

/** Returns the observed, unsimulated times of a load in milliseconds; null if not reported. */
export function observedOf(whole: Parameters<typeof rowsOf>[0]) {
  const [metrics = {}] = rowsOf(whole, 'metrics');
  return {
    load: toNumber(metrics.observedLoad),
    firstPaint: toNumber(metrics.observedFirstContentfulPaint),
    /** Time in the trace, in microseconds. */
    firstPaintTs: toNumber(metrics.observedFirstContentfulPaintTs),
    largestPaint: toNumber(metrics.observedLargestContentfulPaint),
    lastChange: toNumber(metrics.observedLastVisualChange),
  };
}

/** Returns the long tasks of a load: what each adds to total blocking time, which counts them beyond 50 ms. */
export const longTasksOf = (whole: Parameters<typeof rowsOf>[0]): { url: unknown; ms: number }[] =>
  rowsOf(whole, 'long-tasks').map(({ url, duration }) => ({ url, ms: Math.max(0, (toNumber(duration) ?? 0) - 50) }));
