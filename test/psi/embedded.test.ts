/** Contract section 6: `/psi` on a machine with no key and no internet, with real audits through real HTTP. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/http/schemas.ts';
import type { Lhr } from '../../src/report/lhr.ts';
import type { Report } from '../../src/report/report.ts';
import { ask, withQuery } from '../ask.ts';
import { startPages } from '../pages.ts';
import { startService } from '../start-service.ts';

const pages = await startPages({ after });
const service = await startService({ after });
const url = `${pages.url}/echo?q=a%20b&c=%C3%A4#part`;
const get = (query: Parameters<typeof withQuery>[1]) =>
  ask<Report>(service, withQuery('/psi', { url, categories: 'performance,seo', strategy: 'mobile', ...query }));

const both = await ask<{ mobile: Report; desktop: Report }>(
  service,
  withQuery('/psi', { url, categories: 'performance,seo' }),
);

test('without key and endpoint the embedded analyser answers, and says so', () => {
  for (const report of [both.body.mobile, both.body.desktop]) {
    assert.equal(report.source, 'psi');
    assert.deepEqual(report.analyser, { kind: 'embedded', host: new URL(service.url).host });
  }
});

test('the page is measured under both strategies', () => {
  const { mobile, desktop } = both.body;
  assert.deepEqual([mobile.strategy, desktop.strategy], ['mobile', 'desktop']);
  for (const { scores } of [mobile, desktop]) assert.deepEqual(Object.keys(scores), ['performance', 'seo']);
});

test('the URL with its query and fragment arrives as it was asked', () => {
  assert.equal(both.body.mobile.url, url);
  assert.ok(pages.requests.all.includes('/echo?q=a%20b&c=%C3%A4'));
});

test('the full audit data come from the entry that the summary left', async () => {
  const { body } = await get({ detailed: true });
  const full = body.lighthouse_result as Lhr;
  assert.equal(body.cache?.status, 'hit');
  assert.equal(full.fetchTime, body.fetched_at);
  assert.ok(Object.keys(full.audits).length > 50);
});

test('what an embedded answer does not say is null', () => {
  const { environment } = both.body.mobile;
  assert.deepEqual([environment.throttling_method, environment.cpu_slowdown_multiplier], [null, null]);
  assert.ok((environment.benchmark_index ?? 0) > 0);
});

test('metrics of the embedded analyser have values', () => {
  for (const [name, metric] of Object.entries(both.body.mobile.metrics))
    assert.ok(typeof metric.value === 'number', name);
});

test('a page measured here is kept in less than 120 KB, with all its data', async t => {
  const { cache } = (await ask<Health>(service, '/health')).body;
  const full = (await get({ detailed: true })).text.length;
  const bytes = cache.bytes / cache.entries;
  assert.ok(cache.entries > 0 && bytes < 120 * 1024, `${bytes} bytes`);
  t.diagnostic(`${Math.round(full / 1024)} KB in full, ${Math.round(bytes)} bytes in the cache`);
});
