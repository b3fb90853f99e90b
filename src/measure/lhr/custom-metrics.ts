/** Metrics beyond those of Lighthouse: what a page measures itself, and the work of its main thread. */
import { type CustomMetricName, isCustomMetricName } from '../../contract/names.ts';
import { rowsOf } from '../../contract/result/details.ts';
import type { CustomMetrics } from '../../contract/result/metrics.ts';
import type { Lhr } from './lhr.ts';

/** Max number of marks, and of measures: frameworks and advertisements may set thousands. */
const mostOfKind = 25;
/** Max number of entries that are read of each kind. */
const mostRead = 10_000;

const kinds = [
  { prefix: 'mark', type: 'Mark', value: 'startTime' },
  { prefix: 'measure', type: 'Measure', value: 'duration' },
] as const;

const toTenths = (ms: number): number => Math.round(10 * ms) / 10;
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/**
 * Returns the CPU time of the main thread, then marks and measures by their start. Of several with one name, the first
 * counts. Names that are too long for a metric, or could not be written in an assertion, are skipped.
 */
export function toCustomMetrics(lhr: Lhr): CustomMetrics {
  const found = new Map<CustomMetricName, number>();
  const mainThread = lhr.audits['mainthread-work-breakdown']?.numericValue;
  if (isTime(mainThread)) found.set('main-thread', toTenths(mainThread));
  const items = rowsOf(lhr, 'user-timings');
  for (const { prefix, type, value } of kinds) {
    const before = found.size;
    for (const item of items.filter(({ timingType }) => timingType === type).slice(0, mostRead)) {
      const [name, ms] = [`${prefix}:${item.name}`, item[value]];
      if (isTime(ms) && isCustomMetricName(name) && !found.has(name)) found.set(name, toTenths(ms));
      if (found.size - before >= mostOfKind) break;
    }
  }
  return Object.fromEntries(found);
}
