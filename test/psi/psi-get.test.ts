/** Specification 4.2 and contract sections 1 and 2. These tests start no browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const url = 'https://example.com/';
type Both = { url: string; strategy: string; mobile: Result; desktop: Result };
const get = <Body = Result>(query: Parameters<typeof withQuery>[1] = {}) =>
  ask<Body>(service, withQuery('/psi', { url, ...query }));

test('GET /psi answers 200 with scores, metrics, core web vitals and failed audits', async () => {
  const { status, headers, body } = await get({ strategy: 'mobile' });
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.deepEqual([body.source, body.url, body.final_url, body.strategy], ['psi', url, url, 'mobile']);
  assert.deepEqual(body.scores, { performance: 100, accessibility: 100, 'best-practices': 100, seo: 80 });
  assert.deepEqual(body.metrics.largest_contentful_paint, {
    value: 1200,
    unit: 'millisecond',
    display_value: '1200 ms',
    score: 100,
    rating: 'good',
  });
  assert.deepEqual(body.core_web_vitals.lab.largest_contentful_paint, {
    value: 1200,
    unit: 'millisecond',
    rating: 'good',
  });
  assert.deepEqual(
    body.failed_audits.map(({ id }) => id),
    ['document-title'],
  );
});

test('zero is a value', async () => {
  const { body } = await get({ strategy: 'mobile' });
  assert.deepEqual(
    [body.metrics.total_blocking_time.value, body.core_web_vitals.lab.total_blocking_time.rating],
    [0, 'good'],
  );
});

test('cumulative layout shift has its real value', async () => {
  const { body } = await get({ strategy: 'mobile' });
  assert.deepEqual(body.metrics.cumulative_layout_shift, {
    value: 0.01,
    unit: 'unitless',
    display_value: '0.01',
    score: 100,
    rating: 'good',
  });
});

test('strategy on GET /psi defaults to both', async () => {
  const { body } = await get<Both>();
  assert.deepEqual([body.url, body.strategy], [url, 'both']);
  assert.deepEqual([body.mobile.strategy, body.desktop.strategy], ['mobile', 'desktop']);
});

test('both strategies run at once', async () => {
  const before = fake.calls.all.length;
  const release = fake.hold();
  const answer = get<Both>({ url: 'https://at-once.example/' });
  await fake.calls.waitFor(before + 2);
  release();
  assert.equal((await answer).status, 200);
});

test('categories of GET /psi are the only ones in the scores', async () => {
  const { body } = await get({ strategy: 'mobile', categories: 'seo,performance' });
  assert.deepEqual(Object.keys(body.scores), ['performance', 'seo']);
});

test('a failed audit belongs to a requested category', async () => {
  const { body } = await get({ strategy: 'mobile', categories: 'performance' });
  assert.deepEqual(body.failed_audits, []);
});

test('detailed on GET /psi defaults to false, and true adds the full audit data', async () => {
  const summary = await get({ strategy: 'mobile' });
  const detailed = await get({ strategy: 'mobile', detailed: true });
  assert.ok(!('lighthouse_result' in summary.body));
  const full = detailed.body.lighthouse_result as { audits: Record<string, unknown>; fullPageScreenshot: object };
  assert.ok('document-title' in full.audits && 'screenshot' in full.fullPageScreenshot);
});

test('detailed with both strategies adds the full audit data to both', async () => {
  const { body } = await get<Both>({ detailed: true });
  assert.ok('lighthouse_result' in body.mobile && 'lighthouse_result' in body.desktop);
});

test('a page without field data has none', async () => {
  const { body } = await get({ strategy: 'mobile' });
  assert.equal(body.core_web_vitals.field, null);
});

test('values that the analyser does not report are null', async () => {
  const { environment } = (await get({ strategy: 'mobile' })).body;
  assert.deepEqual([environment.throttling_method, environment.cpu_slowdown_multiplier], [null, null]);
  assert.equal(environment.network_throttling, null);
  assert.equal(environment.benchmark_index, 500);
});

test('fetched_at is the time when the page was loaded', async () => {
  assert.equal((await get({ strategy: 'mobile' })).body.fetched_at, '2026-11-20T10:00:00.000Z');
});
