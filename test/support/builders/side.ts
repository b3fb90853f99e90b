/** Sides of a comparison for tests: by default a good page measured with PSI's mobile preset. */

import { categoryNames } from '../../../src/contract/names.ts';
import type { Result } from '../../../src/contract/result/result.ts';
import type { Side } from '../../../src/explain/compare/side.ts';
import type { Lhr, LhrAudit } from '../../../src/measure/lhr/lhr.ts';
import { toResult } from '../../../src/measure/lhr/to-result.ts';
import { buildAudit, buildCategory, buildMeasuredLhr, buildRef, metricRefs } from './lhr.ts';

export const pageUrl = 'https://example.com/';

type SideFields = {
  source?: Result['source'];
  analyser?: Result['analyser'];
  result?: Partial<Result>;
  /** Scores of the five metrics, 0–1, in the order of `metricRefs`. */
  metricScores?: readonly (number | null)[];
  /** Scores of `image-alt`, `document-title` and `label`, 0–1; undefined if the audit does not apply. */
  auditScores?: readonly (number | null | undefined)[];
  audits?: readonly LhrAudit[];
  lhr?: Partial<Lhr>;
  throttling?: { cpuSlowdownMultiplier?: number; rttMs?: number; throughputKbps?: number; method?: string } | undefined;
  benchmarkIndex?: number;
};

export const buildDetails = (id: string, details: unknown, fields: Partial<LhrAudit> = {}): LhrAudit =>
  buildAudit(id, { scoreDisplayMode: 'informative', details, ...fields });

export const buildLatency = (serverResponseTime: number, rtt = 1): LhrAudit[] => [
  buildDetails('network-server-latency', { items: [{ origin: 'https://example.com', serverResponseTime }] }),
  buildDetails('network-rtt', { items: [{ origin: 'https://example.com', rtt }] }),
  buildDetails('server-response-time', {}, { numericValue: serverResponseTime }),
];

export const buildDocument = ({ url = pageUrl, resourceSize = 5000, statusCode = 200, requests = 4 } = {}): LhrAudit =>
  buildDetails('network-requests', {
    items: [
      { url, resourceType: 'Document', statusCode, resourceSize },
      ...Array.from({ length: requests - 1 }, () => ({ url: `${url}x`, resourceType: 'Image' })),
    ],
  });

const performanceOf = (scores: readonly (number | null)[]): number | null =>
  scores.some(score => score === null)
    ? null
    : Math.round(scores.reduce<number>((sum, score, at) => sum + (metricRefs[at]?.weight ?? 0) * (score ?? 0), 0)) /
      100;

const auditIds = ['image-alt', 'document-title', 'label'] as const;
const weights = [10, 7, 7] as const;

/** The category as Lighthouse scores it: an audit that does not apply has weight 0. */
const toAccessibility = (scores: readonly (number | null | undefined)[]) => {
  const refs = auditIds.map((id, at) => buildRef(id, scores[at] === undefined ? 0 : weights[at]));
  const total = refs.reduce((sum, { weight }) => sum + weight, 0);
  const won = refs.reduce((sum, { weight }, at) => sum + weight * (scores[at] ?? 0), 0);
  const isKnown = total > 0 && !scores.some(score => score === null);
  return buildCategory('accessibility', refs, isKnown ? Math.round((100 * won) / total) / 100 : null);
};

export function buildSide({
  source = 'psi',
  analyser = source === 'psi' ? { kind: 'google', host: 'psi.example' } : { kind: 'local' },
  result = {},
  metricScores = [1, 1, 1, 1, 1],
  auditScores = [1, 1, 1],
  audits = [],
  lhr: fields = {},
  throttling = {},
  benchmarkIndex = 2000,
}: SideFields = {}): Side {
  const scored = metricRefs.slice(0, 5).map(({ id }, at) => {
    const { [id]: audit = buildAudit(id) } = buildMeasuredLhr().audits;
    return { ...audit, score: metricScores[at] ?? null };
  });
  const marked = auditIds.map((id, at) => buildAudit(id, { score: auditScores[at] ?? null }));
  const { method = 'simulate', ...speeds } = throttling;
  const settings = { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 1.2, ...speeds };
  const lhr: Lhr = {
    ...buildMeasuredLhr({
      mainDocumentUrl: pageUrl,
      environment: { hostUserAgent: 'Mozilla/5.0 HeadlessChrome/153.0.0.0', benchmarkIndex },
      configSettings: { formFactor: 'mobile', throttlingMethod: method, throttling: settings },
      audits: [...scored, ...marked, buildDocument(), ...buildLatency(10), ...audits],
      categories: [buildCategory('performance', metricRefs, performanceOf(metricScores)), toAccessibility(auditScores)],
    }),
    ...fields,
  };
  const categories = categoryNames.filter(name => name in lhr.categories);
  const facts = { source, analyser, url: pageUrl, strategy: 'mobile', categories, field: null } as const;
  return {
    result: { ...toResult(lhr, { ...facts, conditions: null, requestedAt: '2026-11-20T09:59:30.000Z' }), ...result },
    lhr,
  };
}
