/** Reports for tests of the page: made by the service's own code, so that they are what it would send. */
import { compareReports } from '../../src/compare/compare-reports.ts';
import type { Problem } from '../../src/http/schemas.ts';
import type { FailedAudit, MetricName, Report } from '../../src/report/report.ts';
import { toReport } from '../../src/report/to-report.ts';
import { buildMeasuredLhr } from '../builders/lhr.ts';

type Fields = Partial<Omit<Report, 'metrics'>> & { metrics?: Partial<Record<MetricName, number | null>> };

/** A good page by default: every score 100. */
export function buildReport({ metrics: values = {}, ...fields }: Fields = {}): Report {
  const report = toReport(buildMeasuredLhr(), {
    source: fields.source ?? 'psi',
    analyser: fields.analyser ?? { kind: 'embedded', host: '127.0.0.1:8000' },
    url: fields.url ?? 'https://example.com/',
    strategy: fields.strategy ?? 'mobile',
    categories: ['performance'],
    field: null,
    blockedRequests: 0,
  });
  const metrics = structuredClone(report.metrics);
  for (const [name, value] of Object.entries(values)) metrics[name as MetricName].value = value;
  const scores = { performance: 100, accessibility: 100, 'best-practices': 100, seo: 100 };
  return { ...report, final_url: report.url, scores, ...fields, metrics };
}

export const buildLocalReport = (fields: Fields = {}): Report =>
  buildReport({ source: 'lighthouse', analyser: { kind: 'local' }, ...fields });

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
  title: 'Page answered with an error',
  status: 502,
  detail: 'The page answered with status 404 instead of its content.',
  code: 'page_error',
  retryable: true,
  ...fields,
});

/** @param extra what a comparison may say beyond scores and metrics */
export const buildComparison = (psi: Report, lighthouse: Report, extra: Record<string, unknown> = {}) => ({
  url: psi.url,
  strategy: psi.strategy,
  psi,
  lighthouse,
  comparison: { ...compareReports(psi, lighthouse), ...extra },
});
