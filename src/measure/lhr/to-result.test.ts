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
} from '../../../test/support/builders/lhr.ts';
import { categoryNames } from '../../contract/names.ts';
import type { FieldVitals } from '../../contract/result/metrics.ts';
import { Result } from '../../contract/result/result.ts';
import { isLhr } from './lhr.ts';
import { type ResultFacts, toResult } from './to-result.ts';

const facts = (fields: Partial<ResultFacts> = {}): ResultFacts => ({
  source: 'lighthouse',
  analyser: { kind: 'local' },
  url: 'http://example.com/',
  strategy: 'desktop',
  categories: ['performance'],
  conditions: null,
  requestedAt: '2026-11-20T09:59:30.000Z',
  field: null,
  ...fields,
});

test('a result contains the analyser, the page, the time and the version', () => {
  const result = toResult(buildMeasuredLhr(), facts());
  assert.ok(Check(Result, result));
  assert.equal(result.source, 'lighthouse');
  assert.deepEqual(result.analyser, { kind: 'local' });
  assert.equal(result.url, 'http://example.com/');
  assert.equal(result.final_url, 'https://example.com/');
  assert.equal(result.strategy, 'desktop');
  assert.equal(result.requested_at, '2026-11-20T09:59:30.000Z');
  assert.equal(result.fetched_at, '2026-11-20T10:00:00.000Z');
  assert.equal(result.lighthouse_version, '13.5.0');
});

test('the time of a load is in UTC, however the other server writes it', () => {
  const at = (fetchTime: string) => toResult(buildMeasuredLhr({ fetchTime }), facts()).fetched_at;
  assert.equal(at('2026-08-22T13:20:17+02:00'), '2026-08-22T11:20:17.000Z');
  assert.equal(at('2026-08-22T11:20:17Z'), '2026-08-22T11:20:17.000Z');
});

test('a result has one order of fields and neither cache note nor full data', () => {
  assert.deepEqual(Object.keys(toResult(buildMeasuredLhr(), facts())), [
    'source',
    'analyser',
    'url',
    'final_url',
    'strategy',
    'requested_at',
    'fetched_at',
    'duration_ms',
    'lighthouse_version',
    'scores',
    'metrics',
    'custom_metrics',
    'core_web_vitals',
    'findings',
    'failed_audits',
    'warnings',
    'disturbed',
    'environment',
  ]);
});

test('a plain Lighthouse result becomes a valid result', () => {
  const lhr: unknown = JSON.parse(JSON.stringify(buildPlainLhr()));
  assert.ok(isLhr(lhr));
  const result = toResult(lhr, facts({ categories: categoryNames }));
  assert.ok(Check(Result, result));
  assert.deepEqual(result.scores, { performance: 99, accessibility: null, 'best-practices': null, seo: null });
  assert.equal(result.final_url, 'https://example.com/#top');
  assert.equal(result.duration_ms, 6543);
  assert.deepEqual(result.warnings, [
    'One audit could not run: “Uses deprecated APIs”.',
    'The page may not be loading as expected.',
  ]);
  assert.deepEqual(
    result.failed_audits.map(({ id, savings, error_message }) => [id, savings, error_message]),
    [
      ['unused-css-rules', { largest_contentful_paint: 150 }, undefined],
      ['deprecations', {}, 'Required SourceMaps gatherer did not run.'],
    ].toSorted(),
  );
  assert.deepEqual(result.environment, {
    user_agent: 'Mozilla/5.0 HeadlessChrome/153.0.0.0',
    benchmark_index: 2780,
    cpu_slowdown_multiplier: 1.2,
    throttling_method: 'simulate',
    network_throttling: { rtt_ms: 150, throughput_kbps: 1638.4 },
    benchmark_taken_at: null,
    benchmark_concurrent_audits: null,
    concurrent_audits: null,
    benchmark_median: null,
    processor_wait: null,
    boot_id: null,
    processors: null,
    blocked_requests: null,
    skipped: null,
  });
});

test('the smallest Lighthouse result becomes a valid result without invented values', () => {
  const result = toResult(
    { lighthouseVersion: '13.5.0', fetchTime: '2026-11-20T10:00:00.000Z', audits: {}, categories: {} },
    facts({ categories: categoryNames }),
  );
  assert.ok(Check(Result, result));
  assert.equal(result.final_url, 'http://example.com/');
  assert.deepEqual(result.warnings, []);
  assert.deepEqual(result.failed_audits, []);
  assert.deepEqual(result.environment, {
    user_agent: null,
    benchmark_index: null,
    cpu_slowdown_multiplier: null,
    throttling_method: null,
    network_throttling: null,
    benchmark_taken_at: null,
    benchmark_concurrent_audits: null,
    concurrent_audits: null,
    benchmark_median: null,
    processor_wait: null,
    boot_id: null,
    processors: null,
    blocked_requests: null,
    skipped: null,
  });
  assert.equal(result.core_web_vitals.field, null);
  assert.equal(result.duration_ms, null);
  assert.equal(result.core_web_vitals.lab.largest_contentful_paint.value, null);
});

test('the final URL is the displayed one, else that of the document, else that of the request', () => {
  const { finalDisplayedUrl: _, ...older } = buildLhr({ finalUrl: 'https://example.com/document' });
  assert.equal(
    toResult({ ...older, finalDisplayedUrl: 'https://example.com/shown' }, facts()).final_url,
    'https://example.com/shown',
  );
  assert.equal(toResult(older, facts()).final_url, 'https://example.com/document');
});

test('the network is reported as Lighthouse names it, completely or not at all', () => {
  const throttlingOf = (throttling: object) =>
    toResult(buildLhr({ configSettings: { throttling } }), facts()).environment.network_throttling;
  assert.deepEqual(throttlingOf({ rttMs: 40, throughputKbps: 10240 }), { rtt_ms: 40, throughput_kbps: 10240 });
  for (const throttling of [{}, { rttMs: 40 }, { rttMs: '40', throughputKbps: 10240 }])
    assert.equal(throttlingOf(throttling), null);
});

test('the duration is in whole milliseconds, and null if the analyser does not report it', () => {
  const durationOf = (timing: { total?: number }) => toResult(buildLhr({ timing }), facts()).duration_ms;
  assert.deepEqual([durationOf({ total: 6543.51 }), durationOf({ total: 0 }), durationOf({})], [6544, 0, null]);
  assert.ok(!isLhr({ ...buildPlainLhr(), timing: { total: 'long' } }));
});

test('zeros in the environment are zeros', () => {
  const { environment } = toResult(
    buildLhr({
      environment: { hostUserAgent: 'Chrome', benchmarkIndex: 0 },
      configSettings: {
        throttlingMethod: 'provided',
        throttling: { cpuSlowdownMultiplier: 0, rttMs: 0, throughputKbps: 0 },
      },
    }),
    facts(),
  );
  assert.deepEqual(environment, {
    user_agent: 'Chrome',
    benchmark_index: 0,
    cpu_slowdown_multiplier: 0,
    throttling_method: 'provided',
    network_throttling: { rtt_ms: 0, throughput_kbps: 0 },
    benchmark_taken_at: null,
    benchmark_concurrent_audits: null,
    concurrent_audits: null,
    benchmark_median: null,
    processor_wait: null,
    boot_id: null,
    processors: null,
    blocked_requests: null,
    skipped: null,
  });
});

test('the user agent is that of the host, else the one of an older result', () => {
  const userAgentOf = (fields: Parameters<typeof buildLhr>[0]) =>
    toResult(buildLhr(fields), facts()).environment.user_agent;
  assert.equal(
    userAgentOf({ userAgent: 'old', environment: { hostUserAgent: 'host', networkUserAgent: 'net' } }),
    'host',
  );
  assert.equal(userAgentOf({ userAgent: 'old', environment: { networkUserAgent: 'net' } }), 'old');
});

test('field data are passed on unchanged', () => {
  const field: FieldVitals = {
    scope: 'origin',
    collected_by: 'psi',
    period: null,
    assessment: null,
    time_to_first_byte: { p75: 0, unit: 'millisecond', rating: 'good', distribution: [1, 0, 0] },
  };
  const result = toResult(
    buildMeasuredLhr(),
    facts({ source: 'psi', analyser: { kind: 'custom', host: 'psi.internal' }, field }),
  );
  assert.ok(Check(Result, result));
  assert.deepEqual(result.core_web_vitals.field, field);
  assert.deepEqual(result.analyser, { kind: 'custom', host: 'psi.internal' });
});

test('a page with every fault still becomes a small result without pictures', () => {
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
  const result = toResult(lhr, facts({ categories: ['performance', 'seo'] }));
  const json = JSON.stringify(result);
  assert.ok(Check(Result, result));
  assert.ok(Buffer.byteLength(json) < 40_000, `${Buffer.byteLength(json)} bytes`);
  assert.ok(!/base64|AAAA/.test(json));
  assert.equal(result.failed_audits[0]?.id, 'audit-399');
});

test('the given result is not changed', () => {
  const lhr = buildMeasuredLhr({ runWarnings: ['w'] });
  const before = structuredClone(lhr);
  toResult(lhr, facts({ categories: categoryNames })).warnings.push('more');
  assert.deepEqual(lhr, before);
});

const hostConditions = {
  benchmarkTakenAt: '2026-11-20T09:59:00.000Z',
  benchmarkConcurrentAudits: 0,
  concurrentAudits: 1,
  blockedRequests: 2,
  machineId: '0123456789abcdef',
  processors: 2,
  benchmarkUsual: 2000,
  leftOut: ['other_axe_rules' as const],
  processorWait: { waitedMs: 120.4, without: { performance: 0.97, totalBlockingMs: 110.6 } },
};

test('a poor layout shift that depends on how fast the HTML arrives has a warning, but is no disturbance', () => {
  const told = (shift: number, earlyShift?: number) => {
    const audits = [buildAudit('cumulative-layout-shift', { numericValue: shift })];
    const conditions = { ...hostConditions, processorWait: null, ...(earlyShift === undefined ? {} : { earlyShift }) };
    const { warnings, disturbed } = toResult(buildMeasuredLhr({ audits }), facts({ conditions }));
    assert.equal(disturbed, false);
    return warnings.map(warning => /^Layout shift of ([\d.]+) happened before/.exec(warning)?.[1]);
  };
  assert.deepEqual(told(0.99, 0.99), ['0.99']);
  assert.deepEqual(told(0.5, 0.25), ['0.25']);
  assert.deepEqual(told(0.5, 0.24), [], 'most of the shift came later');
  assert.deepEqual(told(0.1, 0.1), [], 'a good value');
  assert.deepEqual(told(0.5), []);
});

test('hosts whose connections the service gave up are named', () => {
  const conditions = { ...hostConditions, givenUp: ['cdn.example.com', 'ads.example.com'] };
  const { warnings } = toResult(buildMeasuredLhr(), facts({ conditions }));
  assert.match(warnings.join('\n'), /^The connection to cdn\.example\.com and ads\.example\.com was given up/m);
});

test('the conditions on this machine are reported, and null for another machine', () => {
  const conditions = hostConditions;
  const told = ({ environment }: Result) => [
    environment.benchmark_taken_at,
    environment.benchmark_concurrent_audits,
    environment.concurrent_audits,
    environment.blocked_requests,
    environment.boot_id,
    environment.skipped,
    environment.processor_wait,
  ];
  const lhr = buildMeasuredLhr();
  assert.deepEqual(told(toResult(lhr, facts({ conditions }))), [
    '2026-11-20T09:59:00.000Z',
    0,
    1,
    2,
    '0123456789abcdef',
    ['other_axe_rules'],
    { main_thread_ms: 120, without: { performance: 97, total_blocking_time: 111 } },
  ]);
  assert.deepEqual(told(toResult(lhr, facts())), [null, null, null, null, null, null, null]);
  const elsewhere = toResult(lhr, { ...facts(), remoteMachine: { id: 'fedcba9876543210', processors: 0.5 } });
  assert.deepEqual([elsewhere.environment.boot_id, elsewhere.environment.processors], ['fedcba9876543210', 0.5]);
});
