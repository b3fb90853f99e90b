/** Pages of other sites must not use a person's browser to start or delete anything in this service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { jsonOf, type RawRequest, sendRaw } from '../support/asking/raw-request.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' });
const target = withQuery('/psi', { url: 'https://example.com/', strategy: 'mobile' });
const entries = async () => (await ask<Health>(service, '/health')).body.cache.entries;
const clear = (headers: readonly string[]) => sendRaw(service, { method: 'POST', target: '/cache/clear', headers });

const assertRefused = async (request: RawRequest) => {
  const answer = await sendRaw(service, request);
  const { code, retryable } = jsonOf<Problem>(answer);
  assert.deepEqual([answer.status, code, retryable], [403, 'cross_site_request', false], JSON.stringify(request));
};

test('a form or a script of another site cannot clear the cache', async () => {
  await ask(service, target);
  assert.equal(await entries(), 1);
  for (const headers of [
    [
      'Origin: https://evil.example',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-Dest: document',
    ],
    ['Origin: http://localhost:3000', 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: cors'],
    ['Origin: https://evil.example', 'Content-Type: text/plain'],
    ['Origin: null'],
  ])
    await assertRefused({ method: 'POST', target: '/cache/clear', headers });
  assert.equal(await entries(), 1);
  const body = '{"url":"https://example.com/other"}';
  await assertRefused({ method: 'POST', target: '/psi', headers: ['Origin: https://evil.example'], body });
  assert.equal(fake.calls.all.length, 1);
});

test("the service's own pages, and programs, may clear the cache", async () => {
  const own = `Origin: ${service.url}`;
  for (const headers of [[], [own], [own, 'Sec-Fetch-Site: same-origin'], ['Sec-Fetch-Site: none']])
    assert.equal((await clear(headers)).status, 200, headers.join());
});

test('curl is allowed', async t => {
  const curl = promisify(execFile)('curl', ['-sS', '-X', 'POST', `${service.url}/cache/clear`]);
  const { stdout } = await curl.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return { stdout: undefined };
  });
  if (stdout === undefined) return t.skip('skipped: there is no curl here');
  assert.match(stdout, /^\{"cleared":\d+\}$/);
});

test('an image, a frame or a script of another site cannot start an analysis by GET', async () => {
  const before = fake.calls.all.length;
  for (const [mode, dest] of [
    ['no-cors', 'image'],
    ['cors', 'empty'],
    ['navigate', 'iframe'],
  ])
    for (const path of ['/psi', '/lighthouse', '/compare', '/sitemap'].map(name => target.replace('/psi', name)))
      await assertRefused({
        target: path,
        headers: ['Sec-Fetch-Site: cross-site', `Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${dest}`],
      });
  assert.equal(fake.calls.all.length, before);
  const visit = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
  await assertRefused({ target, headers: visit });
  const followed = [...visit, 'Sec-Fetch-User: ?1'];
  assert.equal((await sendRaw(service, { target, headers: followed })).status, 200, 'a link that a person followed');
});

test('a PSI client gets the error in PSI format', async () => {
  const headers = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors'];
  const answer = await sendRaw(service, {
    target: withQuery('/pagespeedonline/v5/runPagespeed', { url: 'x' }),
    headers,
  });
  assert.equal(answer.status, 403);
  assert.equal(
    jsonOf<{ error: { errors: { reason: string }[] } }>(answer).error.errors[0]?.reason,
    'cross_site_request',
  );
});

test('a page in a real browser cannot clear the cache with a form', async t => {
  const victim = await startService(t, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' });
  await ask(victim, target);
  const outcomes = Promise.withResolvers<string>();
  // A browser under audit may not reach the service's own port, so this proxy passes every request on.
  const way = await startLocalServer(t, async (request, response) => {
    const headers = Object.entries(request.headers).filter(([name]) => /^(origin|sec-fetch)/.test(name)) as [
      string,
      string,
    ][];
    const answer = await fetch(victim.url + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers,
      redirect: 'manual',
    });
    outcomes.resolve(`${request.method} ${request.url} ${answer.status}`);
    response.writeHead(answer.status, { 'content-type': 'text/html' }).end(await answer.text());
  });
  const attack = await startLocalServer(t, (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><html lang="en"><title>Attack</title><h1>Attack</h1>
<iframe name="away"></iframe><form id="form" method="post" target="away" action="${way.url}/cache/clear"></form>
<script>document.getElementById('form').submit()</script>`),
  );
  await ask(victim, withQuery('/lighthouse', { url: attack.url, categories: 'seo' }));
  assert.equal(await outcomes.promise, 'POST /cache/clear 403');
  assert.equal((await ask<Health>(victim, '/health')).body.cache.entries, 1);
});
