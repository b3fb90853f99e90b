/** Contract section 6: the key, and requests to the PSI server. These tests start no browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

const secret = 'AIza-not-a-real-key';

test('the key is sent in X-Goog-Api-Key, not in the query, and is in no response', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, PSI_API_KEY: secret });
  const target = '/psi?url=https://example.com/&strategy=mobile&detailed=true';
  const texts = [
    (await ask(service, target)).text,
    (await ask(service, '/health')).text,
    await (await fetch(`${service.url}/openapi.json`)).text(),
    (await post(service, '/psi', { urls: ['https://example.com/', 'nonsense'] })).text,
  ];
  assert.ok(texts.every(text => !text.includes(secret)));
  const [call] = fake.calls.all;
  assert.equal(call?.headers['x-goog-api-key'], secret);
  assert.ok(!call?.params.toString().includes(secret));
});

test('a key in the endpoint is sent in the query and is in no response', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: `${fake.endpoint}?key=${secret}` });
  fake.answerWith(() => ({
    status: 403,
    body: { error: { code: 403, message: `key=${secret} is blocked`, errors: [] } },
  }));
  const { text } = await ask(service, '/psi?url=https://example.com/&strategy=mobile');
  assert.equal(fake.calls.all[0]?.params.get('key'), secret);
  assert.ok(!text.includes(secret));
  assert.ok(!(await ask(service, '/health')).text.includes(secret));
});

test('without a key no key is sent', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  await ask(service, '/psi?url=https://example.com/&strategy=mobile');
  assert.equal(fake.calls.all[0]?.headers['x-goog-api-key'], undefined);
});

test('the request is what PSI v5 clients send', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const url = 'https://example.com/a?b=c&d=%20';
  const query = new URLSearchParams({ url, strategy: 'desktop', categories: 'seo,best-practices' });
  const { body } = await ask<Result>(service, `/psi?${query}`);
  const { params } = fake.calls.all[0] ?? { params: new URLSearchParams() };
  assert.deepEqual(params.getAll('url'), [url]);
  assert.deepEqual(params.getAll('strategy'), ['DESKTOP']);
  assert.deepEqual(params.getAll('category').toSorted(), ['BEST_PRACTICES', 'SEO']);
  assert.deepEqual(params.getAll('locale'), ['en-US']);
  assert.deepEqual(body.analyser, { kind: 'custom', host: new URL(fake.endpoint).host });
});

test('a page that is not public is rejected before anything is sent to Google', async t => {
  const service = await startService(t, { PSI_API_KEY: secret, TARGETS: 'any' });
  for (const url of ['http://localhost:3000/', 'http://192.168.1.1/', 'http://[::1]:1234/', 'http://printer.local/']) {
    const { status, body } = await ask<Problem>(service, `/psi?url=${encodeURIComponent(url)}&strategy=mobile`);
    assert.deepEqual([status, body.code, body.source], [403, 'target_forbidden', 'psi'], url);
    assert.match(body.detail, /\/lighthouse/);
  }
});

test('with a custom PSI server, TARGETS decides which pages are allowed', async t => {
  const fake = await startFakePsi(t);
  const open = await startService(t, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' });
  const strict = await startService(t, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public' });
  const target = '/psi?url=http://localhost:3000/&strategy=mobile';
  assert.equal((await ask(open, target)).status, 200);
  const { status, body } = await ask<Problem>(strict, target);
  assert.deepEqual([status, body.code, body.retryable], [403, 'target_forbidden', false]);
  assert.equal(fake.calls.all.length, 1);
});
