/** Contract section 9: RATE_LIMIT and TRUST_PROXY. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import type { OpenApi } from '../support/asking/documented.ts';
import { startService } from '../support/start-service.ts';

const page = 'https://example.com/';
const target = withQuery('/psi', { url: page, strategy: 'mobile' });
const batchOf = (count: number) => Array.from({ length: count }, (_, index) => `${page}${index % 3}`);

async function start(t: TestContext, environment: Record<string, string>) {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public', ...environment });
  const get = async (headers: Record<string, string> = {}) => (await ask<Problem>(service, target, { headers })).status;
  return { fake, service, get };
}

test('a client beyond its rate limit gets Retry-After', async t => {
  const { service, get } = await start(t, { RATE_LIMIT: '3' });
  assert.deepEqual([await get(), await get(), await get()], [200, 200, 200]);
  const { status, headers, body } = await ask<Problem>(service, target);
  assert.deepEqual([status, body.code, body.retryable], [429, 'rate_limited', true]);
  const seconds = Number(headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
  assert.ok(body.detail.includes(`Retry in ${seconds} s`), body.detail);
});

test('a page costs one whatever its strategies, and a batch one for each page', async t => {
  const { service, get } = await start(t, { RATE_LIMIT: '5' });
  assert.equal((await ask(service, withQuery('/psi', { url: page }))).status, 200);
  assert.equal((await post(service, '/psi', { urls: batchOf(3), strategy: 'mobile' })).status, 200);
  const refused = await post<Problem>(service, '/psi', { urls: batchOf(2), strategy: 'mobile' });
  assert.equal(refused.status, 429);
  assert.match(refused.body.detail, /requested 2 pages, and has 1 of 5 pages a minute left/);
  assert.equal(await get(), 200, 'a refused request took nothing');
  assert.equal(await get(), 429);
});

test('a batch above the limit is accepted only in a minute without other requests', async t => {
  const { service, get } = await start(t, { RATE_LIMIT: '10' });
  assert.equal((await post(service, '/psi', { urls: batchOf(100), strategy: 'mobile' })).status, 200);
  const { status, headers } = await ask(service, target);
  const seconds = Number(headers.get('retry-after'));
  assert.equal(status, 429);
  assert.ok(seconds > 540 && seconds <= 600, `100 pages at 10 a minute are paid for in 600 s: ${seconds}`);

  const other = await start(t, { RATE_LIMIT: '10' });
  assert.equal(await other.get(), 200);
  assert.equal((await post(other.service, '/psi', { urls: batchOf(100) })).status, 429);
  assert.equal(await other.get(), 200);
  assert.equal(await get(), 429);
});

test('pages that cannot be sent to Google cost nothing', async t => {
  const service = await startService(t, { PSI_API_KEY: 'a-key', TARGETS: 'any', RATE_LIMIT: '1' });
  const inside = 'http://192.168.1.5/';
  const send = () => post<{ failed: number }>(service, '/psi', { urls: [1, 2, 3].map(at => `${inside}${at}`) });
  for (const { status, body } of [await send(), await send()]) assert.deepEqual([status, body.failed], [200, 3]);
  for (const path of ['/psi', '/psi/report'])
    assert.equal((await ask(service, withQuery(path, { url: inside }))).status, 403, path);
});

test('invalid requests and requests that analyse nothing cost nothing', async t => {
  const { service, get } = await start(t, { RATE_LIMIT: '1' });
  for (const path of ['/psi', '/lighthouse?url=nonsense', '/compare?url=x&strategy=y'])
    assert.equal((await ask(service, path)).status, 422);
  assert.equal((await post(service, '/psi', '{')).status, 422);
  assert.equal((await fetch(`${service.url}/pagespeedonline/v5/runPagespeed`)).status, 400);
  for (const path of ['/health', '/openapi.json']) assert.equal((await fetch(service.url + path)).status, 200);
  assert.equal((await ask(service, '/cache/clear', { method: 'POST' })).status, 200);
  assert.equal(await get(), 200);
  assert.equal(await get(), 429);
});

test('every analysis counts, and PSI clients get the error in PSI format', async t => {
  for (const path of ['/lighthouse', '/compare', '/psi', '/pagespeedonline/v5/runPagespeed']) {
    const { service, get } = await start(t, { RATE_LIMIT: '1' });
    // A URL that is not public is refused before a browser starts, and costs nothing.
    const response = await fetch(service.url + withQuery(path, { url: 'http://10.0.0.1/' }));
    assert.equal(response.status, 403, path);
    assert.equal(await get(), 200, path);
    assert.equal((await fetch(service.url + withQuery(path, { url: page }))).status, 429, path);
    if (!path.includes('v5')) continue;
    const refused = await fetch(service.url + withQuery(path, { url: page }));
    const { error } = (await refused.json()) as { error: { code: number; status: string } };
    assert.deepEqual([refused.status, error.code, error.status], [429, 429, 'RESOURCE_EXHAUSTED']);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  }
});

test('a list costs the pages that were accepted', async t => {
  const { service, get } = await start(t, { RATE_LIMIT: '3' });
  const urls = [page, 'nonsense', 'http://10.0.0.1/', `${page}2`, ...Array(50).fill('https://')];
  assert.equal((await post(service, '/psi', { urls, strategy: 'mobile' })).status, 200);
  assert.deepEqual([await get(), await get()], [200, 429]);
});

test('a rejected list costs nothing, however often it is sent', async t => {
  const { fake, service, get } = await start(t, { RATE_LIMIT: '400' });
  const release = fake.hold();
  t.after(release);
  const submit = (count: number) =>
    fetch(`${service.url}/psi`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ urls: batchOf(count), strategy: 'mobile' }),
    });
  // The largest number of jobs that a client may have.
  for (let job = 0; job < 200; job += 1) assert.equal((await submit(1)).status, 202);
  for (let again = 0; again < 5; again += 1) assert.equal((await submit(150)).status, 503);
  release();
  assert.equal(await get(), 200);
});

test('pages that a full queue rejects are refunded', async t => {
  const environment = { RATE_LIMIT: '10', CHROME_PATH: '/no/such/chrome', TARGETS: 'public' };
  const service = await startService(t, environment);
  for (let again = 0; again < 5; again += 1) {
    const { status, body } = await post<{ failed: number }>(service, '/psi', { urls: batchOf(10), strategy: 'mobile' });
    assert.deepEqual([status, body.failed], [200, 10]);
    const single = await ask<Problem>(service, target);
    assert.deepEqual([single.status, single.body.code], [503, 'lighthouse_unavailable']);
  }
});

test('there is no rate limit on loopback by default, and none with RATE_LIMIT=0', async t => {
  for (const environment of [{}, { RATE_LIMIT: '0', HOST: '0.0.0.0' }] as Record<string, string>[]) {
    const { get } = await start(t, environment);
    for (let count = 0; count < 70; count++) assert.equal(await get(), 200);
  }
});

test('beyond loopback the default limit is 60', async t => {
  const { service, get } = await start(t, { HOST: '0.0.0.0' });
  assert.equal((await post(service, '/psi', { urls: batchOf(60), strategy: 'mobile' })).status, 200);
  assert.equal(await get(), 429);
});

test('forwarding headers of an untrusted peer are ignored', async t => {
  const { get } = await start(t, { RATE_LIMIT: '2' });
  assert.equal(await get({ 'x-forwarded-for': '203.0.113.1' }), 200);
  assert.equal(await get({ 'x-forwarded-for': '203.0.113.2', forwarded: 'for=203.0.113.9' }), 200);
  assert.equal(await get({ 'x-forwarded-for': '203.0.113.3', 'x-real-ip': '203.0.113.8' }), 429);
});

test('behind a trusted proxy, each forwarded client has its own limit', async t => {
  const { get } = await start(t, { RATE_LIMIT: '1', TRUST_PROXY: '127.0.0.0/8,10.0.0.0/8' });
  const from = (addresses: string) => get({ 'x-forwarded-for': addresses });
  assert.equal(await from('203.0.113.1'), 200);
  assert.equal(await from('203.0.113.1'), 429);
  assert.equal(await from('203.0.113.2'), 200);
  assert.equal(await from('203.0.113.1, 10.0.0.7'), 429, 'behind two trusted proxies');
  assert.equal(await from('198.51.100.1, 203.0.113.1'), 429, 'what came before the first untrusted one says nothing');
  assert.equal(await from('2001:db8:1:2::1'), 200);
  assert.equal(await from('2001:db8:1:2:ffff::9'), 429, 'the same /64');
  assert.equal(await from('2001:db8:1:3::1'), 200);
  assert.equal(await from('::ffff:203.0.113.2'), 429, 'the same IPv4 address');
});

test('the OpenAPI document describes the rate limit if there is one', async t => {
  const { service } = await start(t, { RATE_LIMIT: '1' });
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  const limited = Object.keys(paths).filter(path => '429' in (paths[path]?.get?.responses ?? {}));
  const results = ['/psi/report', '/lighthouse/report', '/compare/report'];
  const others = ['/sitemap', '/pagespeedonline/v5/runPagespeed'];
  assert.deepEqual(limited, ['/psi', '/lighthouse', '/compare', ...results, ...others]);
});
