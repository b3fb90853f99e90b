/** Checks the log line of each request in a real process: its fields, and that no planted secret appears in it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { startListening } from '../support/start-process.ts';

const [clientKey, psiKey, token] = ['SENTINEL-client-key-1', 'SENTINEL-psi-key', 'SENTINEL-token'];
const pages = await startPages({ after });
const fake = await startFakePsi({ after });
const process = await startListening(
  { after },
  {
    environment: {
      API_KEYS: clientKey,
      PSI_API_KEY: psiKey,
      PSI_ENDPOINT: fake.endpoint,
      PSI_TIMEOUT: '2',
      LIGHTHOUSE_TIMEOUT: '60',
      LIGHTHOUSE_CONCURRENCY: '1',
      LOG_LEVEL: 'trace',
      DEBUG_HEADERS: 'true',
    },
  },
);
const { output, errors } = process;
const v5 = '/pagespeedonline/v5/runPagespeed';
const query = `?token=${token}#${token}`;
const bodies: string[] = [];

type Line = Record<string, unknown> & { msg: string; level: number };

const lines = (): Line[] => output.all.filter(line => line.startsWith('{')).map(line => JSON.parse(line));
const isAbout = (fact: string) => (line: string) => line.startsWith('{') && line.includes(fact);

/** Sends a client's key and stores the answer, to be searched later. */
async function ask(target: string, init: RequestInit = {}): Promise<number> {
  const headers = { 'x-api-key': clientKey, authorization: `Bearer ${clientKey}`, ...(init.headers ?? {}) };
  const response = await fetch(process.url + target, { ...init, headers });
  bodies.push(await response.text(), JSON.stringify([...response.headers]));
  return response.status;
}

/** The log line of this request; no other request is in flight. */
async function lineOf(target: string, init?: RequestInit): Promise<Line> {
  const before = output.all.filter(isAbout('"ms":')).length;
  await ask(target, init);
  const [text = ''] = (await output.waitFor(before + 1, isAbout('"ms":'))).slice(before);
  return JSON.parse(text);
}

const page = (path: string) => `${pages.url}${path}${query}`;
const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

test('an undecodable path is logged', async () => {
  const { status, outcome, route } = await lineOf('/caf%E9');
  assert.deepEqual([status, outcome, route], [404, undefined, undefined]);
});

test('the log line of an analysis has its page without query, its client and its outcome', async () => {
  const target = withQuery('/psi', { url: page('/good'), strategy: 'mobile' });
  const { level, msg, method, route, targets, pages: count, client, status, outcome } = await lineOf(target);
  assert.deepEqual(
    { level, msg, method, route, targets, count, client, status, outcome },
    {
      level: 30,
      msg: 'answered',
      method: 'GET',
      route: '/psi',
      targets: [`${pages.url}/good`],
      count: 1,
      client: '127.0.0.1',
      status: 200,
      outcome: 'ok',
    },
  );
});

test('the log line of a batch has its first pages, their number and the failures', async () => {
  fake.answerWith(call =>
    call.params.get('url')?.includes('/bad')
      ? toLighthouseError(`Lighthouse returned error: NO_FCP. ${page('/bad')}`)
      : { body: toPsiBody(call) },
  );
  const urls = [page('/bad'), `nonsense${query}`, ...Array.from({ length: 12 }, (_, index) => page(`/good/${index}`))];
  const line = await lineOf('/psi', json({ urls, strategy: 'mobile' }));
  assert.deepEqual([line.pages, line.status, line.outcome], [14, 200, 'partial']);
  assert.deepEqual((line.targets as string[]).slice(0, 2), [`${pages.url}/bad`, 'nonsense']);
  assert.equal((line.targets as string[]).length, 10);
  const codes = lines().flatMap(({ reqId, code }) => (reqId === line.reqId && code ? [code] : []));
  assert.deepEqual(codes.toSorted(), ['invalid_url', 'page_blank']);
});

test('the log line of a rejected request has its error code', async () => {
  const outcomes: readonly (readonly [string, RequestInit | undefined, string | undefined])[] = [
    ['/psi', undefined, 'invalid'],
    [v5, undefined, 'invalid'],
    ['/cache/clear', { method: 'POST', headers: { 'x-api-key': 'x', authorization: 'x' } }, 'unauthorized'],
    ['/cache/clear', { method: 'POST', headers: { origin: 'https://evil.example' } }, 'cross_site_request'],
    [withQuery('/psi', { url: page('/x').replace('127.0.0.1', '169.254.1.1') }), undefined, 'target_forbidden'],
    ['/health', undefined, 'ok'],
    ['/nothing', undefined, undefined],
  ];
  for (const [target, init, outcome] of outcomes) assert.equal((await lineOf(target, init)).outcome, outcome, target);
});

test('a failure of the PSI server is a warning, one of the page is not', async () => {
  const levelOf = async (answer: ReturnType<typeof toLighthouseError>, code: string) => {
    fake.answerWith(() => answer);
    const { reqId } = await lineOf(withQuery('/psi', { url: page(`/${code}`), strategy: 'mobile' }));
    return lines().find(line => line.reqId === reqId && line.code === code)?.level;
  };
  assert.equal(await levelOf(toLighthouseError('Lighthouse returned error: NO_FCP. No.'), 'page_blank'), 30);
  assert.equal(await levelOf({ status: 200, body: `${page('/')} ${psiKey}` }, 'psi_bad_response'), 40);
});

test('a client that disconnects is logged', async () => {
  const release = fake.hold();
  const disconnect = new AbortController();
  const before = fake.calls.all.length;
  const asked = ask(withQuery('/psi', { url: page('/left'), strategy: 'mobile' }), { signal: disconnect.signal });
  await fake.calls.waitFor(before + 1);
  disconnect.abort();
  await assert.rejects(asked);
  const [text = ''] = await output.waitFor(1, isAbout('"client_disconnected"'));
  release();
  const { msg, targets, status, outcome } = JSON.parse(text);
  assert.deepEqual(
    [msg, targets, status, outcome],
    ['client disconnected', [`${pages.url}/left`], undefined, 'client_disconnected'],
  );
});

test('keys, Authorization and page queries are in no log line, and keys in no answer', async () => {
  fake.answerWith(call => ({ body: toPsiBody(call) }));
  const url = page('/good');
  const closed = `${await findClosedPort()}/${query}`;
  const targets = [
    withQuery('/lighthouse', { url, categories: 'seo' }),
    withQuery('/lighthouse', { url: page('/404'), categories: 'seo' }),
    withQuery('/compare', { url: closed, categories: 'seo' }),
    withQuery('/compare', { url: 'http://localhost:1/', categories: 'nonsense', token }),
    withQuery(v5, { url: closed, category: 'SEO', key: clientKey }),
    withQuery(v5, { url: `ftp://x/${query}`, key: clientKey }),
    withQuery(v5, { url, key: `${clientKey}x` }),
    withQuery('/psi', { url: `not a URL ${query}` }),
    withQuery('/nothing', { key: clientKey, token }),
    withQuery('/%zz', { key: clientKey, token }),
    '/openapi.json',
    '/health',
  ];
  const headers = { referer: `https://example.com/${query}` };
  await Promise.all(targets.map(target => ask(target, { headers })));
  await ask('/psi', json({ url: `${token} ${token}` }));
  await ask('/psi', { method: 'POST', body: `{"url": "${page('/x')}` });
  const release = fake.hold();
  assert.equal(await ask(withQuery('/psi', { url: page('/slow'), strategy: 'mobile' })), 504);
  release();
  fake.answerWith(() => undefined);
  await ask(withQuery('/psi', { url: page('/cut'), strategy: 'mobile' }));
  process.child.kill('SIGTERM');
  assert.equal(await process.exited, 0);

  assert.ok(output.all.length > 20);
  for (const line of [...output.all, ...errors.all]) {
    assert.ok(!line.includes('SENTINEL'), line);
    assert.doesNotMatch(line, /"authorization"|bearer (?!KEY)/i);
  }
  assert.ok(bodies.length > 20 && bodies.some(body => body.includes(token)), 'an answer may have the URL of its page');
  for (const body of bodies) assert.ok(!body.includes(clientKey) && !body.includes(psiKey), body.slice(0, 500));
});
