/** Contract section 9: API_KEYS. Only the last test starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { docsBase } from '../../src/http/routes/docs.get.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import type { OpenApi } from '../support/asking/documented.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

const [first, second] = ['first-key-of-a-client-1', 'second-key-of-a-client'] as const;
const fake = await startFakePsi({ after });
const service = await startService(
  { after },
  { API_KEYS: `${first}, ${second}`, PSI_ENDPOINT: fake.endpoint, TARGETS: 'public' },
);
const v5 = '/pagespeedonline/v5/runPagespeed';
const page = 'https://example.com/';
/** TARGETS refuses this URL once the key is accepted, so no browser is started. */
const inside = 'http://10.0.0.1/';

const operations: readonly (readonly [method: string, target: string, whenLetIn: number])[] = [
  ['GET', withQuery('/psi', { url: page, strategy: 'mobile' }), 200],
  ['POST', '/psi', 422],
  ['GET', withQuery('/lighthouse', { url: inside }), 403],
  ['GET', withQuery('/compare', { url: inside }), 403],
  ['GET', withQuery('/sitemap', { url: inside }), 403],
  ['POST', '/cache/clear', 200],
  ['GET', withQuery('/history', { url: page }), 404],
  ['GET', withQuery('/compare-results', { before: 'v1', after: 'v2' }), 404],
];

const accepted = (key: string): Record<string, string>[] => [
  { authorization: `Bearer ${key}` },
  { authorization: `bearer  ${key}` },
  { 'x-api-key': key },
  { authorization: 'Basic eDp5', 'x-api-key': key },
];

const refused = (): Record<string, string>[] => [
  {},
  { authorization: 'Bearer' },
  { authorization: `Basic ${first}` },
  { authorization: first },
  { authorization: `Bearer ${first} ${second}` },
  { 'x-goog-api-key': first },
  { 'x-api-key': `${first},${second}` },
  { cookie: `key=${first}` },
  ...[first.toUpperCase(), `${first}x`, ''].map(key => ({ 'x-api-key': key })),
];

test('every expensive operation requires a key', async () => {
  for (const [method, target, whenLetIn] of operations) {
    for (const headers of refused()) {
      const { status, headers: answered, body } = await ask<Problem>(service, target, { method, headers });
      const what = `${method} ${target} ${JSON.stringify(headers)}`;
      assert.deepEqual([status, body.code, body.retryable], [401, 'unauthorized', false], what);
      assert.equal(answered.get('www-authenticate'), 'Bearer', what);
    }
    for (const key of [first, second])
      for (const headers of accepted(key))
        assert.equal((await ask(service, target, { method, headers })).status, whenLetIn, JSON.stringify(headers));
  }
});

test('a key in the query counts only for PageSpeed Insights clients', async () => {
  const target = withQuery('/psi', { url: page, strategy: 'mobile', key: first });
  assert.equal((await ask(service, target)).status, 401);
});

test('wrong keys are rejected alike, however long a correct prefix they have', async () => {
  const answers = new Set<string>();
  for (let length = 0; length < first.length; length++) {
    const headers = { 'x-api-key': first.slice(0, length) };
    const { status, text } = await ask(service, '/cache/clear', { method: 'POST', headers });
    assert.equal(status, 401, String(length));
    assert.ok(length < 6 || !text.includes(headers['x-api-key']), 'it is not repeated');
    answers.add(text);
  }
  assert.equal(answers.size, 1);
});

test('free operations need no key, and an unrouted path is 404 without one', async () => {
  assert.notEqual((await ask(service, '/health/ready')).status, 401);
  for (const path of ['/', '/health', '/openapi.json', '/docs', '/llms.txt', `${docsBase}start.js`])
    assert.equal((await fetch(service.url + path)).status, 200, path);
  for (const path of ['/robots.txt', '/psi/x']) assert.equal((await fetch(service.url + path)).status, 404, path);
  assert.equal((await fetch(`${service.url}/psi`, { method: 'DELETE' })).status, 405);
});

test('PageSpeed Insights clients send the key in the query, and get errors in PSI format', async () => {
  const target = withQuery(v5, { url: inside });
  for (const [query, headers] of [
    [`&key=${first}`, {}],
    ['', { 'x-goog-api-key': second }],
    ['', { authorization: `Bearer ${first}` }],
    ['', { 'x-api-key': first }],
  ] as const) {
    const response = await fetch(service.url + target + query, { headers });
    assert.equal(response.status, 403, `let in, and then refused by TARGETS: ${query} ${JSON.stringify(headers)}`);
  }
  for (const [query, headers] of [
    ['', {}],
    ['&key=', {}],
  ] as const) {
    const response = await fetch(service.url + target + query, { headers });
    const { error } = (await response.json()) as { error: { code: number; message: string; status: string } };
    assert.deepEqual([response.status, error.code, error.status], [401, 401, 'UNAUTHENTICATED']);
    assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    assert.ok(!error.message.includes(first));
  }
  for (const [query, headers] of [
    [`&key=${first}x`, {}],
    ['', { 'x-goog-api-key': `${first}x` }],
  ] as const) {
    const response = await fetch(service.url + target + query, { headers });
    const { error } = (await response.json()) as { error: { status: string; details: { reason: string }[] } };
    assert.deepEqual(
      [response.status, error.status, error.details[0]?.reason],
      [400, 'INVALID_ARGUMENT', 'API_KEY_INVALID'],
    );
  }
});

test('the OpenAPI document says which operations need a key, if there are keys', async t => {
  const read = async ({ url }: { url: string }) => (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
  const asks = ({ paths }: OpenApi) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => 'security' in operation && '401' in operation.responses)
        .map(([method]) => `${method} ${path}`),
    );
  assert.deepEqual(asks(await read(service)), [
    'get /psi',
    'post /psi',
    ...['lighthouse', 'compare'].flatMap(path => [`get /${path}`, `post /${path}`]),
    'get /psi/report',
    'get /lighthouse/report',
    'get /compare/report',
    'get /sitemap',
    'get /access',
    ...['get', 'put', 'delete'].map(method => `${method} /access/{name}`),
    'get /jobs',
    'post /jobs',
    ...['get', 'delete'].map(method => `${method} /jobs/{id}`),
    'get /jobs/{id}/events',
    'get /jobs/{id}/pages/{index}',
    'post /experiments',
    'get /experiments/{id}',
    'get /experiments/{id}/report',
    ...['get', 'post'].map(method => `${method} /schedules`),
    ...['get', 'patch', 'delete'].map(method => `${method} /schedules/{id}`),
    'post /schedules/{id}/run',
    'post /callbacks/test',
    'get /results',
    'delete /results',
    'get /sites',
    'get /history',
    'get /compare-results',
    ...['get', 'delete'].map(method => `${method} /results/{id}`),
    ...['report', 'screenshot', 'trace', 'network-log', 'har', 'what-if'].map(part => `get /results/{id}/${part}`),
    'post /results/{id}/what-if',
    'post /notes',
    'get /notes',
    'delete /notes/{id}',
    'post /cache/clear',
    'get /metrics',
    `get ${v5}`,
  ]);
  assert.deepEqual(asks(await read(await startService(t))), []);
});

test('the embedded analyser works with keys, and clients need not know', async t => {
  const pages = await startPages(t);
  const own = await startService(t, { API_KEYS: first, RATE_LIMIT: '1', TARGETS: 'any' });
  const target = withQuery('/psi', { url: `${pages.url}/good`, strategy: 'mobile', categories: 'seo' });
  const { status, body } = await ask<Result>(own, target, { headers: { 'x-api-key': first } });
  assert.deepEqual([status, body.analyser?.kind], [200, 'embedded']);
  const health = await ask<Health>(own, '/health');
  assert.deepEqual(health.body.psi, { analyser: 'embedded', key_configured: false, state: 'ok' });
  const again = await ask<Problem>(own, target, { headers: { 'x-api-key': first } });
  assert.deepEqual([again.status, again.body.code], [429, 'rate_limited'], "the service's own call was not counted");
});
