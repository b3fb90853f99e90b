/** Results for tests of the page. The service's own code makes them, so that they are what it would send. */

import type { MetricName } from '../../src/contract/names.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { FailedAudit, Result } from '../../src/contract/result/result.ts';
import { toLabRating } from '../../src/contract/result/thresholds.ts';
import { compareResults } from '../../src/explain/compare/points/compare-audits.ts';
import { toLabVitals } from '../../src/measure/lhr/metrics.ts';
import { toResult } from '../../src/measure/lhr/to-result.ts';
import { buildMeasuredLhr } from '../support/builders/lhr.ts';

type Fields = Partial<Omit<Result, 'metrics'>> & { metrics?: Partial<Record<MetricName, number | null>> };

/** Builds a result of a good page: every score is 100 by default. */
export function buildResult({ metrics: values = {}, ...fields }: Fields = {}): Result {
  // The findings of the built page are not those of the given audits.
  const { findings: _, ...result } = toResult(buildMeasuredLhr(), {
    source: fields.source ?? 'psi',
    analyser: fields.analyser ?? { kind: 'embedded', host: '127.0.0.1:8000' },
    url: fields.url ?? 'https://example.com/',
    strategy: fields.strategy ?? 'mobile',
    categories: ['performance'],
    field: null,
    conditions: null,
    requestedAt: '2026-11-20T09:59:30.000Z',
  });
  const metrics = structuredClone(result.metrics);
  for (const [name, value] of Object.entries(values)) {
    const metric = metrics[name as MetricName];
    metric.value = value;
    metric.rating = value === null ? null : toLabRating(name as MetricName, value, result.strategy);
  }
  const vitals = { lab: toLabVitals(metrics), field: result.core_web_vitals.field };
  const scores = { performance: 100, accessibility: 100, 'best-practices': 100, seo: 100 };
  return { ...result, final_url: result.url, scores, core_web_vitals: vitals, ...fields, metrics };
}

export const buildLocalResult = (fields: Fields = {}): Result =>
  buildResult({ source: 'lighthouse', analyser: { kind: 'local' }, ...fields });

export const buildFailedAudit = (id: string, fields: Partial<FailedAudit> = {}): FailedAudit => ({
  id,
  title: `Title of ${id}`,
  description: `Description of ${id}`,
  score: 0,
  display_value: null,
  categories: ['performance'],
  savings: {},
  ...fields,
});

export const buildProblem = (fields: Partial<Problem> = {}): Problem => ({
  type: 'urn:rangelight:page_error',
  title: 'Page returned an error',
  status: 502,
  detail: 'The page returned status 404 instead of its content.',
  code: 'page_error',
  retryable: true,
  ...fields,
});

/** @param extra further fields of `comparison` */
export const buildComparison = (psi: Result, lighthouse: Result, extra: Record<string, unknown> = {}) => ({
  url: psi.url,
  strategy: psi.strategy,
  psi,
  lighthouse,
  comparison: { ...compareResults(psi, lighthouse), ...extra },
});
