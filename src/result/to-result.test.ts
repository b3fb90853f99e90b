import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import {
  buildAudit,
  buildCategory,
  buildLhr,
  buildMeasuredLhr,
  buildPlainLhr,
  buildRef,
} from '../../test/builders/lhr.ts';
import { isLhr } from './lhr.ts';
import { categoryNames, type FieldVitals, Report } from './report.ts';
import { type ReportFacts, toReport } from './to-report.ts';

const facts = (fields: Partial<ReportFacts> = {}): ReportFacts => ({
  source: 'lighthouse',
  analyser: { kind: 'local' },
  url: 'http://example.com/',
  strategy: 'desktop',
  categories: ['performance'],
  blockedRequests: null,
  field: null,
  ...fields,
});

test('a report tells who measured what, when and with which version', () => {
  const report = toReport(buildMeasuredLhr(), facts());
  assert.ok(Check(Report, report));
  assert.equal(report.source, 'lighthouse');
  assert.deepEqual(report.analyser, { kind: 'local' });
  assert.equal(report.url, 'http://example.com/');
  assert.equal(report.final_url, 'https://example.com/');
  assert.equal(report.strategy, 'desktop');
  assert.equal(report.fetched_at, '2026-11-20T10:00:00.000Z');
  assert.equal(report.lighthouse_version, '13.5.0');
});

test('the time of a load is told in UTC, however the other server writes it', () => {
  const at = (fetchTime: string) => toReport(buildMeasuredLhr({ fetchTime }), facts()).fetched_at;
  assert.equal(at('2026-08-22T13:20:17+02:00'), '2026-08-22T11:20:17.000Z');
  assert.equal(at('2026-08-22T11:20:17Z'), '2026-08-22T11:20:17.000Z');
});

test('a report has one order of fields and neither cache note nor full result', () => {
  assert.deepEqual(Object.keys(toReport(buildMeasuredLhr(), facts())), [
    'source',
    'analyser',
    'url',
    'final_url',
    'strategy',
    'fetched_at',
    'lighthouse_version',
    'scores',
    'metrics',
    'core_web_vitals',
    'failed_audits',
    'warnings',
    'environment',
  ]);
});

test('a plain Lighthouse result becomes a valid report', () => {
  const lhr: unknown = JSON.parse(JSON.stringify(buildPlainLhr()));
  assert.ok(isLhr(lhr));
  const report = toReport(lhr, facts({ categories: categoryNames }));
  assert.ok(Check(Report, report));
  assert.deepEqual(report.scores, { performance: 99, accessibility: null, 'best-practices': null, seo: null });
  assert.equal(report.final_url, 'https://example.com/#top');
  assert.deepEqual(report.warnings, ['The page may not be loading as expected.']);
  assert.deepEqual(
    report.failed_audits.map(({ id, savings, error_message }) => [id, savings, error_message]),
    [
      ['unused-css-rules', { largest_contentful_paint: 150 }, undefined],
      ['deprecations', {}, 'Required SourceMaps gatherer did not run.'],
    ].toSorted(),
  );
  assert.deepEqual(report.environment, {
    user_agent: 'Mozilla/5.0 HeadlessChrome/153.0.0.0',
    benchmark_index: 2780,
    cpu_slowdown_multiplier: 1.2,
    throttling_method: 'simulate',
    blocked_requests: null,
  });
});

test('the least of a result becomes a valid report in which nothing is made up', () => {
  const report = toReport(
    { lighthouseVersion: '13.5.0', fetchTime: '2026-11-20T10:00:00.000Z', audits: {}, categories: {} },
    facts({ categories: categoryNames }),
  );
  assert.ok(Check(Report, report));
  assert.equal(report.final_url, 'http://example.com/');
  assert.deepEqual(report.warnings, []);
  assert.deepEqual(report.failed_audits, []);
  assert.deepEqual(report.environment, {
    user_agent: null,
    benchmark_index: null,
    cpu_slowdown_multiplier: null,
    throttling_method: null,
    blocked_requests: null,
  });
  assert.equal(report.core_web_vitals.field, null);
  assert.equal(report.core_web_vitals.lab.largest_contentful_paint.value, null);
});

test('the final URL is the one displayed, else that of the document, else the one asked for', () => {
  const { finalDisplayedUrl: _, ...older } = buildLhr({ finalUrl: 'https://example.com/document' });
  assert.equal(
    toReport({ ...older, finalDisplayedUrl: 'https://example.com/shown' }, facts()).final_url,
    'https://example.com/shown',
  );
  assert.equal(toReport(older, facts()).final_url, 'https://example.com/document');
});

test('zeros of the environment are zeros', () => {
  const { environment } = toReport(
    buildLhr({
      environment: { hostUserAgent: 'Chrome', benchmarkIndex: 0 },
      configSettings: { throttlingMethod: 'provided', throttling: { cpuSlowdownMultiplier: 0 } },
    }),
    facts(),
  );
  assert.deepEqual(environment, {
    user_agent: 'Chrome',
    benchmark_index: 0,
    cpu_slowdown_multiplier: 0,
    throttling_method: 'provided',
    blocked_requests: null,
  });
});

test('the user agent is that of the host, else the one of an older result', () => {
  const userAgentOf = (fields: Parameters<typeof buildLhr>[0]) =>
    toReport(buildLhr(fields), facts()).environment.user_agent;
  assert.equal(
    userAgentOf({ userAgent: 'old', environment: { hostUserAgent: 'host', networkUserAgent: 'net' } }),
    'host',
  );
  assert.equal(userAgentOf({ userAgent: 'old', environment: { networkUserAgent: 'net' } }), 'old');
});

test('field data are passed on as they are', () => {
  const field: FieldVitals = {
    scope: 'origin',
    collected_by: 'psi',
    period: null,
    assessment: null,
    time_to_first_byte: { p75: 0, unit: 'millisecond', rating: 'good', distribution: [1, 0, 0] },
  };
  const report = toReport(
    buildMeasuredLhr(),
    facts({ source: 'psi', analyser: { kind: 'custom', host: 'psi.internal' }, field }),
  );
  assert.ok(Check(Report, report));
  assert.deepEqual(report.core_web_vitals.field, field);
  assert.deepEqual(report.analyser, { kind: 'custom', host: 'psi.internal' });
});

test('a page with everything wrong still becomes a small report without pictures', () => {
  const picture = `data:image/png;base64,${'A'.repeat(5000)}`;
  const audits = Array.from({ length: 400 }, (_, index) =>
    buildAudit(`audit-${index}`, {
      score: 0,
      title: `${picture} ${index}`,
      description: `語${picture}`.repeat(20),
      displayValue: picture,
    }),
  );
  const lhr = buildMeasuredLhr({
    audits,
    categories: [
      buildCategory(
        'seo',
        audits.map(({ id }, index) => buildRef(id, index)),
      ),
    ],
    runWarnings: Array.from({ length: 400 }, () => picture.repeat(3)),
    finalDisplayedUrl: `https://example.com/?${picture}`,
  });
  const report = toReport(lhr, facts({ categories: ['performance', 'seo'] }));
  const json = JSON.stringify(report);
  assert.ok(Check(Report, report));
  assert.ok(Buffer.byteLength(json) < 40_000, `${Buffer.byteLength(json)} bytes`);
  assert.ok(!/base64|AAAA/.test(json));
  assert.equal(report.failed_audits[0]?.id, 'audit-399');
});

test('the result that was given is left as it was', () => {
  const lhr = buildMeasuredLhr({ runWarnings: ['w'] });
  const before = structuredClone(lhr);
  toReport(lhr, facts({ categories: categoryNames })).warnings.push('more');
  assert.deepEqual(lhr, before);
});
