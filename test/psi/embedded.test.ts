/** Contract section 6: `/psi` without a key and without internet access, with real audits over real HTTP. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { healthOf, startBusy } from './busy-service.ts';

const pages = await startPages({ after });
const service = await startService({ after }, {}, undefined, { pool: sharedPool() });
const url = `${pages.url}/echo?q=a%20b&c=%C3%A4#part`;
const get = (query: Parameters<typeof withQuery>[1]) =>
  ask<Result>(service, withQuery('/psi', { url, categories: 'performance,seo', strategy: 'mobile', ...query }));

const both = await ask<{ mobile: Result; desktop: Result }>(
  service,
  withQuery('/psi', { url, categories: 'performance,seo' }),
);

test('without a key and an endpoint the embedded analyser answers, and its result names it', () => {
  for (const result of [both.body.mobile, both.body.desktop]) {
    assert.equal(result.source, 'psi');
    assert.deepEqual(result.analyser, { kind: 'embedded', host: new URL(service.url).host });
  }
});

test('the page is measured with both strategies', () => {
  const { mobile, desktop } = both.body;
  assert.deepEqual([mobile.strategy, desktop.strategy], ['mobile', 'desktop']);
  for (const { scores } of [mobile, desktop]) assert.deepEqual(Object.keys(scores), ['performance', 'seo']);
});

test('the URL arrives with its query and fragment', () => {
  assert.equal(both.body.mobile.url, url);
  assert.ok(pages.requests.all.includes('/echo?q=a%20b&c=%C3%A4'));
});

test('the full audit data come from the same entry as the summary', async () => {
  const { body } = await get({ detailed: true });
  const full = body.lighthouse_result as Lhr;
  assert.equal(body.cache?.status, 'hit');
  assert.equal(full.fetchTime, body.fetched_at);
  assert.ok(Object.keys(full.audits).length > 50);
});

test('the settings are those of PageSpeed Insights, and the result names them', () => {
  const { environment } = both.body.mobile;
  assert.deepEqual([environment.throttling_method, environment.cpu_slowdown_multiplier], ['simulate', 1.2]);
  assert.ok((environment.benchmark_index ?? 0) > 0);
});

test('metrics of the embedded analyser have values', () => {
  for (const [name, metric] of Object.entries(both.body.mobile.metrics))
    assert.ok(typeof metric.value === 'number', name);
});

test('a locally measured page takes less than 120 KB in the cache, with all its data', async t => {
  const { cache } = (await ask<Health>(service, '/health')).body;
  const full = (await get({ detailed: true })).text.length;
  const bytes = cache.bytes / cache.entries;
  assert.ok(cache.entries > 0 && bytes < 120 * 1024, `${bytes} bytes`);
  t.diagnostic(`${Math.round(full / 1024)} KB in full, ${Math.round(bytes)} bytes in the cache`);
});

test('waiting for a slot does not count as silence of the analyser, neither for PSI_TIMEOUT nor for the back-off', async t => {
  const psiTimeoutSeconds = 1;
  const { busy, measure, releaseSlot } = await startBusy(t, pages, { PSI_TIMEOUT: `${psiTimeoutSeconds}` });
  const disconnect = new AbortController();
  const measured = measure('one');
  const answers = [measured, ...['two', 'three'].map(name => measure(name, { signal: disconnect.signal }))];
  for (const answer of answers) answer.catch(() => {});
  await until(async () => (await healthOf(busy)).lighthouse.queued === answers.length);
  // This timeout starts after those of the requests, so by its end, theirs would have ended too.
  await once(AbortSignal.timeout(psiTimeoutSeconds * 1000), 'abort');
  const { lighthouse, psi } = await healthOf(busy);
  assert.deepEqual([lighthouse.queued, psi.state], [3, 'ok']);
  disconnect.abort();
  releaseSlot();
  const { status, body } = await measured;
  assert.equal(status, 200, body.detail);
  assert.equal((await healthOf(busy)).psi.state, 'ok');
});
