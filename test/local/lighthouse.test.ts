/** Specification 4.4: real audits of local pages, shared by the tests. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';

const pages = await startPages({ after });
const service = await startService({ after }, {}, undefined, { audits: usualAudits });
const audit = (path: string, query: Parameters<typeof withQuery>[1] = {}) =>
  ask<Result>(service, withQuery('/lighthouse', { url: `${pages.url}${path}`, ...query }));

const [faulty, redirected] = await Promise.all([
  audit('/faulty'),
  audit('/redirect', { strategy: 'desktop', categories: 'seo' }),
]);
const { body: result } = faulty;
const fullOf = ({ lighthouse_result: full }: Result) => full as Lhr;

test('GET /lighthouse answers 200 with a local Lighthouse report', () => {
  assert.equal(faulty.status, 200);
  assert.equal(faulty.headers.get('content-type'), 'application/json');
  assert.deepEqual([result.source, result.analyser], ['lighthouse', { kind: 'local' }]);
  assert.equal(result.url, `${pages.url}/faulty`);
  assert.ok(!('cache' in result), 'local audits are not cached');
});

test('strategy on GET /lighthouse defaults to mobile', () => {
  assert.equal(result.strategy, 'mobile');
  assert.equal(fullOf(result).configSettings?.formFactor, 'mobile');
});

test('desktop uses the desktop preset of Lighthouse', () => {
  const { strategy, environment } = redirected.body;
  const { configSettings } = fullOf(redirected.body);
  assert.deepEqual([strategy, configSettings?.formFactor], ['desktop', 'desktop']);
  assert.deepEqual([environment.throttling_method, environment.cpu_slowdown_multiplier], ['simulate', 1]);
});

test('categories on GET /lighthouse default to all four', () => {
  assert.deepEqual(Object.keys(result.scores), ['performance', 'accessibility', 'best-practices', 'seo']);
  for (const score of Object.values(result.scores)) assert.ok(score !== null && Number.isInteger(score), String(score));
});

test('categories on GET /lighthouse limit what is run', () => {
  assert.deepEqual(Object.keys(redirected.body.scores), ['seo']);
  assert.deepEqual(Object.keys(fullOf(redirected.body).categories), ['seo']);
});

test('GET /lighthouse always has the full audit data', () => {
  for (const { body } of [faulty, redirected]) {
    const full = fullOf(body);
    assert.equal(full.lighthouseVersion, body.lighthouse_version);
    assert.ok(Object.keys(full.audits).length > 10);
  }
  const details = fullOf(result).audits['image-alt'] as unknown as { details: { items: unknown[] } };
  assert.ok(details.details.items.length > 0, 'with detail tables');
});

test('planted faults are among the failed audits', () => {
  const ids = result.failed_audits.map(({ id }) => id);
  for (const id of [
    'image-alt',
    'document-title',
    'html-has-lang',
    'meta-description',
    'color-contrast',
    'unsized-images',
  ])
    assert.ok(ids.includes(id), `${id} is not in ${ids}`);
});

test('a failed audit has its categories and the savings of fixing it', () => {
  const audits = new Map(result.failed_audits.map(entry => [entry.id, entry]));
  assert.deepEqual(audits.get('document-title')?.categories, ['accessibility', 'seo']);
  assert.deepEqual(audits.get('image-alt')?.categories, ['accessibility', 'seo']);
  for (const { score, savings } of audits.values()) {
    assert.ok(score === null || score < 100);
    for (const saved of Object.values(savings)) assert.ok(saved > 0);
  }
});

test('every metric has a value and a unit', () => {
  for (const [name, metric] of Object.entries(result.metrics)) {
    assert.ok(typeof metric.value === 'number' && metric.value >= 0, name);
    assert.equal(metric.unit, name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond');
  }
});

test('lab vitals are rated and there are no field data', () => {
  const { lab, field } = result.core_web_vitals;
  for (const vital of Object.values(lab)) assert.ok(['good', 'needs-improvement', 'poor'].includes(vital.rating ?? ''));
  assert.equal(field, null);
});

test('a redirect leads to the page that was finally displayed', () => {
  assert.deepEqual([redirected.body.url, redirected.body.final_url], [`${pages.url}/redirect`, `${pages.url}/good`]);
});

test('the environment lists what the audit ran with', () => {
  const { user_agent: userAgent, benchmark_index: benchmark, cpu_slowdown_multiplier: slowdown } = result.environment;
  assert.match(userAgent ?? '', /Chrome\//);
  assert.ok((benchmark ?? 0) > 0);
  assert.equal(slowdown, 4);
  assert.deepEqual(result.environment.network_throttling, { rtt_ms: 150, throughput_kbps: 1638.4 });
});

test("the result has the time of the request and Lighthouse's duration", () => {
  assert.ok(result.requested_at <= result.fetched_at, `${result.requested_at} ${result.fetched_at}`);
  assert.ok((result.duration_ms ?? 0) > 100, `${result.duration_ms}`);
});

test('every metric has the rating of its value, and a display value with its unit', () => {
  for (const [name, { value, rating, display_value: shown }] of Object.entries(result.metrics)) {
    assert.ok(['good', 'needs-improvement', 'poor'].includes(rating ?? ''), `${name} ${value} ${rating}`);
    assert.match(shown ?? '', name === 'cumulative_layout_shift' ? /^[\d.]+$/ : /^[\d.,]+\u00a0m?s$/, name);
  }
});

test('a report without its full data is under 40 KB and contains no base64', () => {
  const { lighthouse_result: _, ...summary } = result;
  const text = JSON.stringify(summary);
  assert.ok(Buffer.byteLength(text) < 40 * 1024, `${Buffer.byteLength(text)} bytes`);
  assert.doesNotMatch(text, /base64/);
});

test('a local audit leaves nothing in the cache and frees its slot', async () => {
  // The slot is free once the browser is gone, a little after the answer.
  const read = async () => (await ask<Health>(service, '/health')).body;
  const health = await readUntil(read, ({ lighthouse }) => lighthouse.running === 0);
  assert.equal(health.cache.entries, 0);
  assert.ok(['on', 'off'].includes(health.lighthouse.sandbox));
});

test('profile=psi measures with the settings of PageSpeed Insights, and several runs are reported', async () => {
  const { body } = await audit('/good', { categories: 'performance', profile: 'psi', runs: 2 });
  assert.equal(body.environment.cpu_slowdown_multiplier, 1.2);
  assert.deepEqual([body.runs?.requested, body.runs?.completed, body.runs?.selected_by], [2, 2, 'median_run']);
  assert.equal(fullOf(body).audits.interactive?.numericValue, body.metrics.interactive.value);
  const { min, max } = body.runs?.scores.performance ?? assert.fail();
  const { performance } = body.scores;
  assert.ok(typeof performance === 'number' && min <= performance && performance <= max);
});
