/** Contract section 7: the cache of `/psi` results. These tests start no browser. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { type FakePsi, startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { jsonOf, sendPipelined } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';

const page = 'https://example.com/';
const target = (query: Parameters<typeof withQuery>[1] = {}) =>
  withQuery('/psi', { url: page, strategy: 'mobile', ...query });
/** Requests another page. When it reaches the PSI server, all earlier requests have reached it too. */
const barrier = target({ url: 'https://example.com/barrier' });
const isBarrier = ({ params }: FakePsi['calls']['all'][number]) => params.get('url')?.endsWith('/barrier') ?? false;

async function start(t: TestContext, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, ...environment });
  const get = (query: Parameters<typeof withQuery>[1] = {}, headers: Record<string, string> = {}) =>
    ask<Result>(service, target(query), { headers });
  return { fake, service, get };
}

const entriesOf = async (service: { url: string }) => (await ask<Health>(service, '/health')).body.cache.entries;

test('the second identical request is a hit and makes no call', async t => {
  const { fake, get } = await start(t);
  const first = await get();
  const second = await get();
  assert.equal(fake.calls.all.length, 1);
  assert.deepEqual([first.body.cache?.status, second.body.cache?.status], ['miss', 'hit']);
  assert.deepEqual({ ...second.body, cache: null }, { ...first.body, cache: null });
});

test('replies carry Age and Cache-Status', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
  const { get } = await start(t);
  const first = await get();
  assert.deepEqual([first.headers.get('age'), first.headers.get('cache-status')], ['0', 'Rangelight; fwd=miss']);
  assert.equal(first.body.cache?.expires_at, '2026-11-20T13:00:00.000Z');
  t.mock.timers.tick(61_500);
  const second = await get();
  assert.deepEqual(
    [second.headers.get('age'), second.headers.get('cache-status')],
    ['61', 'Rangelight; hit; ttl=3538'],
  );
  assert.deepEqual(second.body.cache, { status: 'hit', age: 61, expires_at: '2026-11-20T13:00:00.000Z' });
});

test('requested_at is the time of the request that filled the cache, also for hits and stale answers', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
  const { fake, get } = await start(t, { CACHE_TTL: '10' });
  const asked = async (headers: Record<string, string> = {}) => {
    const { body } = await get({}, headers);
    return [body.cache?.status, body.requested_at];
  };
  assert.deepEqual(await asked(), ['miss', '2026-11-20T12:00:00.000Z']);
  t.mock.timers.tick(5000);
  assert.deepEqual(await asked(), ['hit', '2026-11-20T12:00:00.000Z']);
  assert.deepEqual(await asked({ 'cache-control': 'no-cache' }), ['miss', '2026-11-20T12:00:05.000Z']);
  fake.answerWith(() => ({ status: 500, body: {} }));
  t.mock.timers.tick(20_000);
  assert.deepEqual(await asked(), ['stale', '2026-11-20T12:00:05.000Z']);
});

test('a result expires after CACHE_TTL seconds', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
  const { fake, get } = await start(t, { CACHE_TTL: '10' });
  await get();
  t.mock.timers.tick(9_999);
  assert.equal((await get()).body.cache?.status, 'hit');
  t.mock.timers.tick(1);
  assert.equal((await get()).body.cache?.status, 'miss');
  assert.equal(fake.calls.all.length, 2);
});

test('with CACHE_TTL=0 nothing is stored', async t => {
  const { fake, service, get } = await start(t, { CACHE_TTL: '0' });
  await get();
  await get();
  assert.deepEqual([fake.calls.all.length, await entriesOf(service)], [2, 0]);
});

test('identical requests in flight share one call', async t => {
  const { fake, service } = await start(t);
  const release = fake.hold();
  const answers = sendPipelined(service, [...Array(100).fill(target()), barrier]);
  await fake.calls.waitFor(1, isBarrier);
  release();
  const results = (await answers).slice(0, 100).map(answer => jsonOf<Result>(answer));
  assert.equal(fake.calls.all.length, 2, 'one for the page, one for the barrier');
  assert.deepEqual(
    results.map(({ cache }) => cache?.status),
    ['miss', ...Array(99).fill('joined')],
  );
});

test('a summary and a detailed request in flight share one call', async t => {
  const { fake, service } = await start(t);
  const release = fake.hold();
  const answers = sendPipelined(service, [target(), target({ detailed: true }), barrier]);
  await fake.calls.waitFor(1, isBarrier);
  release();
  const [summary, detailed] = (await answers).map(answer => jsonOf<Result>(answer));
  assert.equal(fake.calls.all.length, 2, 'one for the page, one for the barrier');
  assert.deepEqual([summary?.cache?.status, detailed?.cache?.status], ['miss', 'joined']);
  assert.ok(!summary?.lighthouse_result && detailed?.lighthouse_result);
});

test('an answer that joined another has that in Cache-Status', async t => {
  const { fake, service } = await start(t);
  const release = fake.hold();
  const answers = sendPipelined(service, [target(), target(), barrier]);
  await fake.calls.waitFor(1, isBarrier);
  release();
  const [, joined] = await answers;
  assert.equal(joined?.headers.get('cache-status'), 'Rangelight; fwd=miss; collapsed');
});

test('one client that disconnects does not cancel the others', async t => {
  const { fake, service } = await start(t);
  const release = fake.hold();
  const leaving = new AbortController();
  const left = ask(service, target(), { signal: leaving.signal });
  const [call] = await fake.calls.waitFor(1);
  const staying = sendPipelined(service, [target(), barrier]);
  await fake.calls.waitFor(1, isBarrier);
  let isAbandoned = false;
  void call?.abandoned.then(() => {
    isAbandoned = true;
  });
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  await ask(service, '/health');
  release();
  const [answer] = await staying;
  assert.deepEqual([answer?.status, isAbandoned, fake.calls.all.length], [200, false, 2]);
});

test('the call is cancelled when the last client disconnects', async t => {
  const { fake, service } = await start(t);
  fake.hold();
  const leaving = new AbortController();
  const left = ask(service, target(), { signal: leaving.signal });
  const [call] = await fake.calls.waitFor(1);
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  await inTime(call?.abandoned ?? assert.fail());
  assert.equal(await entriesOf(service), 0);
});

test('Cache-Control: no-cache forces a fresh run and stores it', async t => {
  const { fake, get } = await start(t);
  await get();
  for (const value of ['no-cache', 'max-age=0', 'foo, No-Cache'])
    assert.equal((await get({}, { 'cache-control': value })).body.cache?.status, 'miss', value);
  assert.equal(fake.calls.all.length, 4);
  assert.equal((await get({}, { 'cache-control': 'max-age=60' })).body.cache?.status, 'hit');
});

test('the summary and the detailed result come from one entry', async t => {
  const { fake, service, get } = await start(t);
  const summary = await get();
  const detailed = await get({ detailed: true });
  assert.deepEqual([fake.calls.all.length, await entriesOf(service)], [1, 1]);
  const { lighthouse_result: full, ...rest } = detailed.body;
  assert.deepEqual({ ...rest, cache: null }, { ...summary.body, cache: null });
  assert.deepEqual(Object.keys(full ?? {}).slice(0, 2), ['requestedUrl', 'finalUrl'], 'as the analyser gave it');
});

test('GET and POST, one URL and a batch, share the cache', async t => {
  const { fake, service, get } = await start(t);
  await get();
  const single = await post<Result>(service, '/psi', { url: page, strategy: 'mobile' });
  const batch = await post<{ results: Result[] }>(service, '/psi', { urls: [page], strategy: 'both' });
  assert.equal(single.body.cache?.status, 'hit');
  assert.equal(batch.status, 200);
  assert.deepEqual(
    fake.calls.all.map(({ params }) => params.get('strategy')),
    ['MOBILE', 'DESKTOP'],
  );
});

test('keys differ by strategy, categories and URL, not by the order of the categories', async t => {
  const { fake, get } = await start(t);
  const different = [
    {},
    { strategy: 'desktop' },
    { categories: 'seo' },
    { categories: 'seo,performance' },
    { url: `${page}?x=1` },
    { url: `${page}#/route` },
  ];
  for (const query of different) assert.equal((await get(query)).body.cache?.status, 'miss', JSON.stringify(query));
  const same = [
    { categories: 'performance,seo' },
    { categories: ['performance', 'seo'] },
    { categories: 'seo,best-practices,accessibility,performance' },
    { url: 'HTTPS://example.com:443', detailed: true },
  ];
  for (const query of same) assert.equal((await get(query)).body.cache?.status, 'hit', JSON.stringify(query));
  assert.equal(fake.calls.all.length, different.length);
});

test('POST /cache/clear empties the cache and returns the number of results', async t => {
  const { fake, service, get } = await start(t);
  await ask(service, target({ strategy: 'both' }));
  assert.equal(await entriesOf(service), 2);
  const cleared = await ask(service, '/cache/clear', { method: 'POST' });
  assert.deepEqual([cleared.status, cleared.body], [200, { cleared: 2 }]);
  assert.deepEqual((await ask(service, '/cache/clear', { method: 'POST' })).body, { cleared: 0 });
  assert.equal((await get()).body.cache?.status, 'miss');
  assert.equal(fake.calls.all.length, 3);
});

test('POST /cache/clear needs no body and ignores one', async t => {
  const { service } = await start(t);
  for (const body of ['', '{', '{"url":1}'])
    assert.deepEqual((await post(service, '/cache/clear', body)).body, { cleared: 0 });
});

test('a result whose analysis started before a clear is not stored after it', async t => {
  const { fake, service, get } = await start(t);
  const release = fake.hold();
  const early = get();
  await fake.calls.waitFor(1);
  await ask(service, '/cache/clear', { method: 'POST' });
  release();
  assert.equal((await early).status, 200, 'who asked for it gets it');
  assert.equal(await entriesOf(service), 0);
  assert.equal((await get()).body.cache?.status, 'miss');
});

test('a request after a clear does not join an earlier analysis', async t => {
  const { fake, service, get } = await start(t);
  const release = fake.hold();
  const early = get();
  await fake.calls.waitFor(1);
  await ask(service, '/cache/clear', { method: 'POST' });
  const late = get();
  await fake.calls.waitFor(2);
  release();
  assert.deepEqual([(await early).status, (await late).body.cache?.status], [200, 'miss']);
  assert.equal(await entriesOf(service), 1, 'the one that began after the clear');
});

test('a forced run is not overwritten by an older one that ends later', async t => {
  const { fake, service, get } = await start(t);
  let answered = 0;
  fake.answerWith(call => ({ body: toPsiBody(call, { lighthouseVersion: `13.0.${++answered}` }) }));
  const releaseOld = fake.hold();
  const old = get();
  await fake.calls.waitFor(1);
  const releaseNew = fake.hold();
  const forced = get({}, { 'cache-control': 'no-cache' });
  await fake.calls.waitFor(2);
  releaseNew();
  await forced;
  releaseOld();
  assert.equal((await old).body.lighthouse_version, '13.0.2', 'who asked for it gets it');
  const stored = await get();
  assert.deepEqual([stored.body.cache?.status, stored.body.lighthouse_version], ['hit', '13.0.1']);
  assert.equal(await entriesOf(service), 1);
});

test('Cache-Status of a forced run says that the request bypassed the cache', async t => {
  const { get } = await start(t);
  await get();
  const { headers, body } = await get({}, { 'cache-control': 'no-cache' });
  assert.deepEqual([headers.get('cache-status'), body.cache?.status], ['Rangelight; fwd=request', 'miss']);
});

test('an answer for both strategies is a hit only if both are', async t => {
  const { service, get } = await start(t);
  await get();
  const half = await ask(service, target({ strategy: 'both' }));
  const whole = await ask(service, target({ strategy: 'both' }));
  assert.equal(half.headers.get('cache-status'), 'Rangelight; fwd=miss');
  assert.match(whole.headers.get('cache-status') ?? '', /^Rangelight; hit; ttl=\d+$/);
});

test('Cache-Status has the reason why the analyser was called', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
  const { get } = await start(t);
  const statusOf = async (headers: Record<string, string> = {}) => (await get({}, headers)).headers.get('cache-status');
  assert.equal(await statusOf(), 'Rangelight; fwd=miss');
  assert.equal(await statusOf({ 'cache-control': 'no-cache' }), 'Rangelight; fwd=request');
  t.mock.timers.tick(3_600_000);
  assert.equal(await statusOf(), 'Rangelight; fwd=stale');
});

test('the cache is limited in bytes, and the least recently used result is removed first', async t => {
  const { fake, service, get } = await start(t, { CACHE_SIZE: '1' });
  fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: [randomBytes(300_000).toString('hex')] }) }));
  for (const name of ['a', 'b', 'c', 'd']) await get({ url: `${page}${name}` });
  const { body } = await ask<Health>(service, '/health');
  assert.ok(body.cache.bytes <= 1024 * 1024 && body.cache.entries < 4, JSON.stringify(body.cache));
  assert.equal((await get({ url: `${page}d` })).body.cache?.status, 'hit');
  assert.equal((await get({ url: `${page}a` })).body.cache?.status, 'miss');
});
