/** HTML reports over HTTP: their answers, and failures like those of their operation. No browser opens them here. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createGunzip } from 'node:zlib';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sendRaw } from '../support/asking/raw-request.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { buildMeasuredLhr } from '../support/builders/lhr.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';
import { assertIsReport } from './report-answer.ts';

const fake = await startFakePsi({ after });
const settings = { PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' };
const service = await startService({ after }, settings, undefined, { pool: sharedPool() });
const url = 'https://example.com/';

type Query = Parameters<typeof withQuery>[1];
const get = (path: string, query: Query, init: RequestInit = {}) =>
  fetch(`${service.url}${withQuery(path, query)}`, init);

const dataOf = (html: string, id: string) =>
  JSON.parse(new RegExp(`<script type="application/json" id="${id}">([^<]*)</script>`).exec(html)?.[1] ?? 'null');

test('GET /psi/report is the full result of one strategy as a file', async () => {
  const response = await get('/psi/report', { url, strategy: 'mobile', categories: 'performance' });
  assertIsReport(response);
  assert.equal(response.headers.get('content-disposition'), 'inline; filename="example.com-psi-mobile.html"');
  const result = dataOf(await response.text(), 'lighthouse-result');
  assert.deepEqual(Object.keys(result.categories), ['performance']);
  assert.equal(result.finalDisplayedUrl, url);
});

test('a report of /psi is answered from the cache of /psi, and says so', async () => {
  const page = { url: 'https://cached.example/', strategy: 'desktop' };
  await ask(service, withQuery('/psi', page));
  const before = fake.calls.all.length;
  const response = await get('/psi/report', page);
  assertIsReport(response);
  assert.match(response.headers.get('cache-status') ?? '', /^Rangelight; hit/);
  assert.ok(response.headers.get('age'));
  assert.equal(fake.calls.all.length, before);
  await get('/psi/report', page, { headers: { 'cache-control': 'no-cache' } });
  assert.equal(fake.calls.all.length, before + 1);
});

test('both strategies, the default, are one file with a frame for each', async () => {
  const response = await get('/psi/report', { url });
  assertIsReport(response);
  assert.equal(response.headers.get('content-disposition'), 'inline; filename="example.com-psi-both.html"');
  const html = await response.text();
  assert.equal(html.match(/<iframe /g)?.length, 2);
  for (const [frame] of html.matchAll(/<iframe [^>]*/g)) assert.match(frame, / sandbox="allow-scripts [^"]*" srcdoc='/);
});

test('one failed strategy is shown next to the other, and two failed ones fail the request as /psi does', async t => {
  t.after(() => fake.answerWith(call => ({ body: toPsiBody(call) })));
  const page = { url: 'https://half.example/' };
  fake.answerWith(call =>
    call.params.get('strategy') === 'MOBILE'
      ? toLighthouseError('Lighthouse returned error: NO_FCP. Nothing was painted.')
      : { body: toPsiBody(call) },
  );
  const half = await get('/psi/report', page);
  assertIsReport(half);
  const html = await half.text();
  assert.equal(html.match(/<iframe /g)?.length, 1);
  assert.ok(html.includes('<code>page_blank</code>') && html.includes('value="desktop" checked=""'));
  fake.answerWith(() => toLighthouseError('Lighthouse returned error: NO_FCP. Nothing was painted.'));
  const none = { url: 'https://none.example/' };
  const [result, own] = await Promise.all(['/psi/report', '/psi'].map(path => ask(service, withQuery(path, none))));
  assert.equal(result?.status, 502);
  assert.deepEqual([result?.status, result?.body], [own?.status, own?.body]);
});

test('a failure has the status and the body of the operation', async () => {
  for (const [path, query] of [
    ['/psi', { url, strategy: 'tablet', categories: 'speed' }],
    ['/psi', {}],
    ['/lighthouse', { url, strategy: 'both', runs: 9, profile: 'x' }],
    ['/lighthouse', { url: `${service.url}/` }],
    ['/compare', { url: 'ftp://example.com/' }],
    ['/compare', { url: `${service.url}/` }],
  ] as const) {
    const [result, own] = await Promise.all(
      [`${path}/report`, path].map(target => ask(service, withQuery(target, query as Query))),
    );
    assert.ok((result?.status ?? 0) >= 400, path);
    assert.deepEqual([result?.status, result?.body], [own?.status, own?.body], `${path} ${JSON.stringify(query)}`);
    assert.equal(result?.headers.get('content-type'), own?.headers.get('content-type'));
    assert.equal(result?.headers.get('cross-origin-opener-policy'), 'same-origin');
  }
});

test('a report requires the key of its operation', async t => {
  const keyed = await startService(t, { PSI_ENDPOINT: fake.endpoint, API_KEYS: 'a-key-of-some-client' });
  for (const path of ['/psi/report', '/lighthouse/report', '/compare/report'])
    assert.equal((await ask(keyed, withQuery(path, { url, strategy: 'mobile' }))).status, 401, path);
  const target = `${keyed.url}${withQuery('/psi/report', { url, strategy: 'mobile' })}`;
  assertIsReport(await fetch(target, { headers: { authorization: 'Bearer a-key-of-some-client' } }));
});

test('a report counts against the limit of its client', async t => {
  const limited = await startService(t, { PSI_ENDPOINT: fake.endpoint, RATE_LIMIT: '1' });
  const target = withQuery('/psi/report', { url, strategy: 'mobile' });
  assertIsReport(await fetch(`${limited.url}${target}`));
  assert.equal((await ask(limited, target)).status, 429);
});

test('a page of another site can link to a report, and do no more', async () => {
  const target = withQuery('/psi/report', { url, strategy: 'mobile' });
  const from = (...more: string[]) => ['Sec-Fetch-Site: cross-site', ...more];
  const visit = { target, headers: from('Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Sec-Fetch-User: ?1') };
  assert.equal((await sendRaw(service, visit)).status, 200);
  // There was no click: a script of the other site opened it.
  const opened = { target, headers: from('Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document') };
  assert.equal((await sendRaw(service, opened)).status, 403);
  const framed = { target, headers: from('Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe') };
  assert.equal((await sendRaw(service, framed)).status, 403);
  assert.equal((await sendRaw(service, { target, headers: from('Sec-Fetch-Mode: no-cors') })).status, 403);
});

test('a report is sent as a file, whatever else the client accepts', async () => {
  for (const accept of ['text/event-stream', 'application/json', 'text/html'])
    assertIsReport(await get('/psi/report', { url, strategy: 'mobile' }, { headers: { accept } }));
});

test('a report is sent compressed', async () => {
  const received = Promise.withResolvers<{ coding: string | undefined; html: string }>();
  const target = new URL(withQuery('/psi/report', { url, strategy: 'mobile' }), service.url);
  request(target, { headers: { 'accept-encoding': 'gzip' } }, async response => {
    const html = await text(response.pipe(createGunzip()));
    received.resolve({ coding: response.headers['content-encoding'], html });
  })
    .on('error', received.reject)
    .end();
  const { coding, html } = await received.promise;
  assert.equal(coding, 'gzip');
  assert.ok(html.length > 150_000 && html.endsWith('</html>\n'));
});

test('a client that disconnects ends the work for its report', async t => {
  const release = fake.hold();
  t.after(release);
  const before = fake.calls.all.length;
  const left = new AbortController();
  const answer = get('/psi/report', { url: 'https://left.example/', strategy: 'mobile' }, { signal: left.signal });
  await fake.calls.waitFor(before + 1);
  left.abort();
  await assert.rejects(answer);
  await inTime(fake.calls.all.at(-1)?.abandoned ?? assert.fail());
});

test('GET /lighthouse/report measures as requested, and GET /compare/report contains the answer of /compare', async t => {
  const pages = await startPages(t);
  fake.answerWith(call => ({ body: toPsiBody(call, buildMeasuredLhr() as never) }));
  t.after(() => fake.answerWith(call => ({ body: toPsiBody(call) })));
  const query = { url: `${pages.url}/good`, categories: 'seo', profile: 'psi', strategy: 'desktop' };
  const [local, both] = await Promise.all([get('/lighthouse/report', query), get('/compare/report', query)]);
  assertIsReport(local);
  assertIsReport(both);
  const port = new URL(pages.url).port;
  assert.equal(
    local.headers.get('content-disposition'),
    `inline; filename="127.0.0.1-${port}-good-lighthouse-desktop.html"`,
  );
  const result = dataOf(await local.text(), 'lighthouse-result');
  assert.deepEqual(Object.keys(result.categories), ['seo']);
  assert.deepEqual([result.configSettings.formFactor, result.configSettings.channel], ['desktop', 'lr']);
  assert.equal(
    both.headers.get('content-disposition'),
    `inline; filename="127.0.0.1-${port}-good-compared-desktop.html"`,
  );
  const compared = dataOf(await both.text(), 'comparison');
  assert.deepEqual(Object.keys(compared), ['url', 'strategy', 'psi', 'lighthouse', 'comparison']);
  assert.deepEqual(Object.keys(compared.lighthouse.scores), ['seo']);
  assert.ok(!('lighthouse_result' in compared.lighthouse));
});
