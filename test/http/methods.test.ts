/** Contract section 3: wrong methods, HEAD and OPTIONS. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { jsonOf, sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });

const allowed: Readonly<Record<string, readonly string[]>> = {
  '/': ['GET', 'HEAD'],
  '/health': ['GET', 'HEAD'],
  '/health/ready': ['GET', 'HEAD'],
  '/openapi.json': ['GET', 'HEAD'],
  '/docs': ['GET', 'HEAD'],
  '/llms.txt': ['GET', 'HEAD'],
  '/psi': ['GET', 'POST'],
  '/cache/clear': ['POST'],
  '/lighthouse': ['GET', 'POST'],
  '/history': ['GET'],
  '/compare-results': ['GET'],
  '/sitemap': ['GET'],
  '/compare': ['GET', 'POST'],
  '/psi/report': ['GET'],
  '/lighthouse/report': ['GET'],
  '/compare/report': ['GET'],
  '/pagespeedonline/v5/runPagespeed': ['GET'],
};
const free = Object.keys(allowed).filter(path => allowed[path]?.includes('HEAD'));
const costly = Object.keys(allowed).filter(path => !allowed[path]?.includes('HEAD'));
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const pairs = (paths: readonly string[], chosen: readonly string[]) =>
  paths.flatMap(path =>
    chosen.filter(method => !allowed[path]?.includes(method)).map(method => [path, method] as const),
  );

const query = '?url=https://example.com/&strategy=mobile';

test('a wrong method answers 405 with Allow', async () => {
  for (const [path, method] of pairs(Object.keys(allowed), methods)) {
    const answer = await sendRaw(service, { method, target: `${path}${query}` });
    assert.equal(answer.status, 405, `${method} ${path}`);
    const allow = (answer.headers.get('allow') ?? '').split(', ');
    assert.deepEqual(allow.toSorted(), allowed[path]?.toSorted(), `${method} ${path}`);
    assert.equal(answer.headers.get('content-type'), 'application/json', `${method} ${path}`);
    if (method !== 'HEAD') assert.deepEqual(jsonOf(answer), { detail: 'Method Not Allowed' }, `${method} ${path}`);
  }
});

test('a wrong method answers 405 with Allow on a path with an id, too', async () => {
  const id = '01a201e3-ac0c-7234-9a1b-bd2e414329fe';
  for (const [method, path, allow] of [
    ['PUT', `/results/${id}`, 'DELETE, GET, HEAD'],
    ['HEAD', `/results/${id}/report`, 'GET'],
    ['OPTIONS', `/jobs/${id}/events`, 'GET'],
    ['POST', `/jobs/${id}`, 'DELETE, GET, HEAD'],
  ] as const) {
    const answer = await sendRaw(service, { method, target: path });
    assert.equal(answer.status, 405, `${method} ${path}`);
    assert.equal((answer.headers.get('allow') ?? '').split(', ').toSorted().join(', '), allow, `${method} ${path}`);
  }
  assert.equal((await sendRaw(service, { method: 'PUT', target: `/results/${id}/nothing` })).status, 404);
});

test('a wrong method is 405 whatever the body', async () => {
  const headers = ['Content-Type: application/json'];
  assert.equal((await sendRaw(service, { method: 'POST', target: '/health', headers, body: '{' })).status, 405);
});

test('a wrong method is 405 even with a body above the limit', async () => {
  const body = 'x'.repeat(2 * 1024 * 1024);
  assert.equal((await sendRaw(service, { method: 'POST', target: '/health', body })).status, 405);
});

test('a wrong method answers 405 on a percent-encoded path, too', async () => {
  assert.equal((await sendRaw(service, { method: 'DELETE', target: '/%70si' })).status, 405);
});

test('QUERY answers 405 like any wrong method', async () => {
  assert.equal((await sendRaw(service, { method: 'QUERY', target: '/psi' })).status, 405);
});

test('HEAD works for free operations', async () => {
  for (const path of free) {
    const { status, headers, body } = await sendRaw(service, { method: 'HEAD', target: path });
    assert.deepEqual([status, body], [200, ''], path);
    const asGet = await sendRaw(service, { target: path });
    assert.equal(headers.get('content-type'), asGet.headers.get('content-type'), path);
  }
});

test('HEAD and OPTIONS never start an analysis', async () => {
  for (const [path, method] of pairs(costly, ['HEAD', 'OPTIONS']))
    await sendRaw(service, { method, target: `${path}${query}` });
  const { body } = await ask<Health>(service, '/health');
  assert.deepEqual([body.lighthouse.running, body.lighthouse.queued, fake.calls.all.length], [0, 0, 0]);
  assert.equal(body.cache.entries, 0);
});

test('an invalid method is rejected without harm', async () => {
  assert.equal((await sendRaw(service, { method: 'G{T', target: '/health' })).status, 400);
  assert.equal((await ask<Health>(service, '/health')).status, 200);
});
