/** Loads of experiments, with times that a test chooses. */
import assert from 'node:assert/strict';
import type { LhrAudit } from '../../../src/measure/lhr/lhr.ts';
import type { HostConditions } from '../../../src/measure/lhr/to-result.ts';
import type { AuditRequest, LocalAnalyser } from '../../../src/measure/lighthouse/pool.ts';
import { buildAudit, buildCategory, buildLhr, buildMetricAudits, metricRefs } from '../builders/lhr.ts';
import { createSimulatedPool } from './simulated-pool.ts';

const conditions: HostConditions = {
  benchmarkTakenAt: '2026-11-20T10:00:00.000Z',
  benchmarkConcurrentAudits: 0,
  concurrentAudits: 0,
  machineId: '0123456789abcdef',
  processors: 2,
  benchmarkUsual: null,
  processorWait: null,
  leftOut: [],
  blockedRequests: 0,
};

const withLcp = (audit: LhrAudit, ms: number | null): LhrAudit => {
  if (audit.id !== 'largest-contentful-paint') return audit;
  const { numericValue: _, ...others } = audit;
  return ms === null
    ? { ...others, score: null, scoreDisplayMode: 'error', errorMessage: 'NO_LCP' }
    : { ...audit, numericValue: ms };
};

type Audit = Pick<AuditRequest, 'url' | 'variant'>;

/** An observed first paint this many milliseconds after the load event. */
const toObserved = (ms: number): LhrAudit =>
  buildAudit('metrics', {
    details: { type: 'debugdata', items: [{ observedLoad: 400, observedFirstContentfulPaint: 400 + ms }] },
  });

/** The page marks its hero at this time. */
const toMark = (ms: number): LhrAudit =>
  buildAudit('user-timings', {
    details: { type: 'table', headings: [], items: [{ name: 'hero-shown', startTime: ms, timingType: 'Mark' }] },
  });

/**
 * A pool that ends each load at once, with a mark `hero-shown` at its Largest Contentful Paint.
 * @param toMs returns the Largest Contentful Paint of a load; null if Lighthouse could not compute it
 * @param toLateMs returns the time from the load event to the paint
 * @param toFinalUrl returns the URL at which a load ends
 */
export function createTimedPool(
  toMs: (audit: Audit) => number | null,
  toLateMs: (audit: Audit) => number = () => 0,
  toFinalUrl: (audit: Audit) => string = ({ url }) => url,
) {
  const loads: AuditRequest[] = [];
  const audit: LocalAnalyser['audit'] = async (request, readPage) => {
    loads.push(request);
    const ms = toMs(request);
    const lhr = buildLhr({
      requestedUrl: request.url,
      finalDisplayedUrl: toFinalUrl(request),
      audits: [...buildMetricAudits().map(own => withLcp(own, ms)), toObserved(toLateMs(request)), toMark(ms ?? 0)],
      categories: [buildCategory('performance', metricRefs, 0.9)],
    });
    const hits = Object.fromEntries((request.variant?.block ?? []).map(pattern => [pattern, 0]));
    const value = await readPage(Buffer.from(JSON.stringify(lhr)), { ...conditions, hits });
    assert.ok(!('failure' in value));
    return { value, artifacts: undefined };
  };
  return { loads, pool: { ...createSimulatedPool(), audit } };
}

export const isBlocking = ({ variant }: Audit): boolean => (variant?.block.length ?? 0) > 0;
