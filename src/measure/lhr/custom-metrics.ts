/** Metrics beyond those of Lighthouse: what a page measures itself, and the work of its main thread. */
import { type CustomMetricName, isCustomMetricName } from '../../contract/names.ts';
import { rowsOf } from '../../contract/result/details.ts';
import type { CustomMetrics } from '../../contract/result/metrics.ts';
import type { Lhr } from './lhr.ts';
import { toNumber } from './values.ts';

/** Max number of marks, and of measures: frameworks and advertisements may set thousands. */
const mostOfKind = 25;
/** Max number of entries that are read of each kind. */
const mostRead = 10_000;

const kinds = [
  { prefix: 'mark', type: 'Mark', value: 'startTime' },
  { prefix: 'measure', type: 'Measure', value: 'duration' },
] as const;

const toTenths = (ms: number): number => Math.round(10 * ms) / 10;
/**
 * Returns the CPU time of the main thread, then marks and measures by their start. Of several with one name, the first
 * counts. Names that are too long for a metric, or could not be written in an assertion, are skipped.
 */
export function toCustomMetrics(lhr: Lhr): CustomMetrics {
  const found = new Map<CustomMetricName, number>();
  const mainThread = toNumber(lhr.audits['mainthread-work-breakdown']?.numericValue);
  if (mainThread !== null) found.set('main-thread', toTenths(mainThread));
  const items = rowsOf(lhr, 'user-timings');
  for (const { prefix, type, value } of kinds) {
    const before = found.size;
    for (const item of items.filter(({ timingType }) => timingType === type).slice(0, mostRead)) {
      const [name, ms] = [`${prefix}:${item.name}`, toNumber(item[value])];
      if (ms !== null && isCustomMetricName(name) && !found.has(name)) found.set(name, toTenths(ms));
      if (found.size - before >= mostOfKind) break;
    }
  }
  return Object.fromEntries(found);
}
