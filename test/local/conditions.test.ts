/** Conditions of a load, as a client asks for them: real audits of a site of this test. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, post } from '../support/asking/ask.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const page = `<!doctype html><html lang="en"><title>Conditions</title><meta name="viewport" content="width=device-width">
<h1>Conditions</h1><img src="/ads/banner.png" alt="" width="10" height="10"><script src="/app.js"></script>`;

async function startSite(t: TestContext) {
  const asked: string[] = [];
  const { url } = await startLocalServer(t, ({ url: path = '' }, response) => {
    asked.push(path);
    response.writeHead(200, { 'content-type': path === '/' ? 'text/html; charset=utf-8' : 'text/javascript' });
    response.end(path === '/' ? page : '');
  });
  return { url: `${url}/`, asked };
}

const quick = { categories: ['performance'] };

test('blocked URLs are not loaded, and the result says what was blocked', async t => {
  const site = await startSite(t);
  const service = await startService(t);
  const block = ['/ads/*.png', '*://nobody.example.net/*'];
  const { status, body } = await post<Result>(service, '/lighthouse', { url: site.url, ...quick, block });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.conditions?.block, [
    { pattern: '*://nobody.example.net/*', requests: 0 },
    { pattern: '/ads/*.png', requests: 1 },
  ]);
  assert.match(body.conditions?.id ?? '', /^block-[0-9a-f]{10}$/);
  assert.ok(site.asked.includes('/app.js'));
  assert.ok(!site.asked.includes('/ads/banner.png'));
  const plain = await ask<Result>(service, `/lighthouse?url=${site.url}&categories=performance`);
  assert.equal(plain.body.conditions, undefined);
  assert.ok(site.asked.includes('/ads/banner.png'));
});

test('bad conditions are one 422 that names each, and nothing is loaded', async t => {
  const site = await startSite(t);
  const service = await startService(t);
  const refused = async (fields: object) => {
    const { status, body } = await post<{ detail: { loc: unknown[]; msg: string }[] }>(service, '/lighthouse', {
      url: site.url,
      ...fields,
    });
    assert.equal(status, 422, JSON.stringify(fields));
    return body.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  };
  assert.deepEqual(await refused({ block: ['*', site.url, 'a\0b'] }), [
    'body.block.0: Value error, this pattern matches every URL: name a host or a path',
    'body.block.1: Value error, this pattern matches the page itself',
    'body.block.2: Value error, it must not contain U+0000 or half of a surrogate pair',
  ]);
  assert.deepEqual(await refused({ block: 'ads' }), ['body.block: Input should be a valid list']);
  assert.deepEqual(await refused({ block: ['x'.repeat(501)] }), [
    'body.block.0: String should have at most 500 characters',
  ]);
  assert.deepEqual(await refused({ block: Array(51).fill('/ads/') }), [
    'body.block: List should have at most 50 items after validation, not 51',
  ]);
  const unknown = await refused({ blok: ['/ads/'], cookies: [] });
  assert.deepEqual(
    unknown.map(fault => fault.replace(/ The fields are .*/, '')),
    [
      'body.blok: Extra inputs are not permitted. Did you mean `block`?',
      'body.cookies: Extra inputs are not permitted.',
    ],
  );
  assert.deepEqual(site.asked, []);
});
