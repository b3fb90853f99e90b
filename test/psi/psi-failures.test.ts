/**
 * Contract sections 4 and 6: failures of the PSI server, with this service's error codes. These tests start no browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { type PsiAnswer, startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';

const secret = 'AIza-not-a-real-key';
const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, PSI_API_KEY: secret });

const googleError = (code: number, message: string, details: unknown[] = []): PsiAnswer => ({
  status: code,
  body: { error: { code, message, errors: [{ message, domain: 'global', reason: 'badRequest' }], details } },
});
const quota = (limit: string, value: string) =>
  googleError(429, "Quota exceeded for quota metric 'Queries'.", [
    { reason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit: limit, quota_limit_value: value } },
  ]);
const html = (status: number): PsiAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Sorry</h1>',
});

async function failWith(answer: PsiAnswer | undefined): Promise<{ headers: Headers; body: Problem; text: string }> {
  fake.answerWith(() => answer);
  const answered = await ask<Problem>(service, '/psi?url=https://example.com/&strategy=mobile');
  assert.equal(answered.status, answered.body.status);
  assert.equal(answered.headers.get('content-type'), 'application/problem+json');
  assert.equal(answered.body.source, 'psi');
  assert.ok(!answered.text.includes(secret), 'the key is in no answer');
  assert.equal((await ask<Health>(service, '/health')).body.cache.entries, 0, 'nothing failed is cached');
  return answered;
}

async function assertCode(answer: PsiAnswer | undefined, status: number, code: Problem['code']): Promise<Problem> {
  const { body } = await failWith(answer);
  assert.deepEqual([body.status, body.code], [status, code], body.detail);
  return body;
}

test('a Problem has every member that the contract names', async () => {
  const { body } = await failWith(googleError(500, 'Unable to process request.'));
  const { detail, ...others } = body;
  assert.deepEqual(others, {
    type: 'urn:rangelight:psi_unavailable',
    title: 'PSI server unavailable',
    status: 502,
    code: 'psi_unavailable',
    retryable: true,
    source: 'psi',
  });
  assert.match(detail, /\.$/);
});

test('5xx of the PSI server is psi_unavailable', async () => {
  for (const answer of [
    googleError(500, 'Backend Error'),
    html(500),
    html(502),
    html(503),
    toLighthouseError('Lighthouse returned error: Something went wrong.', 500),
  ])
    await assertCode(answer, 502, 'psi_unavailable');
});

test('504 of the PSI server is psi_timeout', async () => {
  await assertCode(html(504), 504, 'psi_timeout');
});

test('a broken connection is psi_unavailable', async () => {
  await assertCode(undefined, 502, 'psi_unavailable');
});

test('a redirect of the PSI server is not followed with the key', async () => {
  for (const status of [301, 302, 307, 308]) {
    const before = fake.calls.all.length;
    await assertCode({ status, headers: { location: fake.endpoint }, body: '' }, 502, 'psi_unavailable');
    assert.equal(fake.calls.all.length, before + 1);
  }
});

test('an answer that is not a Lighthouse result is psi_bad_response', async () => {
  const bodies: unknown[] = [
    'nonsense',
    '<html></html>',
    '{',
    '',
    '[]',
    'null',
    {},
    { lighthouseResult: {} },
    { lighthouseResult: { audits: 1 } },
  ];
  for (const body of bodies) await assertCode({ body }, 502, 'psi_bad_response');
  await assertCode({ status: 204, body: '' }, 502, 'psi_bad_response');
});

test('an answer that is nested too deeply is psi_bad_response', async () => {
  const body = toPsiBody({ params: new URLSearchParams({ url: 'https://example.com/', category: 'seo' }) });
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const [title, details] = [
    '"document-title":{',
    `"details":{"type":"table","headings":[],"items":[],"deep":${deep}},`,
  ];
  const text = JSON.stringify(body).replace(title, title + details);
  const { detail } = await assertCode({ body: text }, 502, 'psi_bad_response');
  assert.match(detail, /nested/);
});

test('a request that the PSI server rejects is psi_bad_response', async () => {
  await assertCode(googleError(400, 'Invalid value'), 502, 'psi_bad_response');
});

test('429 is psi_quota_exceeded, with Retry-After if a time is known', async t => {
  const perMinute = quota('QueriesPerMinute', '240');
  await assertCode(perMinute, 503, 'psi_quota_exceeded');
  const odd = googleError(429, 'Quota exceeded', [{ metadata: { quota_limit: 7, quota_unit: 1 } }]);
  await assertCode(odd, 503, 'psi_quota_exceeded');
  /** Each case needs its own service, because an announced back-off applies to all later calls. */
  const announced = async (answer: PsiAnswer) => {
    const other = await startService(t, { PSI_ENDPOINT: fake.endpoint, PSI_API_KEY: secret });
    fake.answerWith(() => answer);
    const { status, headers, body } = await ask<Problem>(other, '/psi?url=https://example.com/&strategy=mobile');
    assert.deepEqual([status, body.code], [503, 'psi_quota_exceeded']);
    return { retryAfter: Number(headers.get('retry-after')), detail: body.detail };
  };
  assert.equal((await announced({ ...perMinute, headers: { 'retry-after': '60' } })).retryAfter, 60);
  const perDay = await announced(quota('defaultPerDayPerProject', '25000'));
  assert.ok(
    perDay.retryAfter > 0 && perDay.retryAfter <= 25 * 3600,
    `${perDay.retryAfter} s to midnight in California`,
  );
  const { detail } = await announced(quota('defaultPerDayPerProject', '0'));
  assert.match(detail, /Set PSI_API_KEY/);
});

test('a bad, blocked or missing key is psi_key_rejected', async () => {
  const invalid = googleError(400, 'API key not valid.', [{ reason: 'API_KEY_INVALID' }]);
  const blocked = googleError(403, 'Requests are blocked.', [{ reason: 'API_KEY_SERVICE_BLOCKED' }]);
  for (const answer of [invalid, blocked, googleError(401, 'Login Required.'), html(403)]) {
    const { retryable } = await assertCode(answer, 502, 'psi_key_rejected');
    assert.equal(retryable, false);
  }
});

test('a key that the PSI server repeats is hidden', async () => {
  const { detail } = await assertCode(googleError(403, `The key ${secret} is blocked.`), 502, 'psi_key_rejected');
  assert.match(detail, /The key … is blocked/);
});

test("a page's failure keeps its own code", async () => {
  const say = (code: string, text = 'Words.') => toLighthouseError(`Lighthouse returned error: ${code}. ${text}`);
  const cases: [PsiAnswer, Problem['code']][] = [
    [say('NO_FCP'), 'page_blank'],
    [say('DNS_FAILURE'), 'page_unreachable'],
    [say('FAILED_DOCUMENT_REQUEST', '(Details: net::ERR_CONNECTION_REFUSED)'), 'page_unreachable'],
    [say('FAILED_DOCUMENT_REQUEST', '(Details: net::ERR_TOO_MANY_REDIRECTS)'), 'too_many_redirects'],
    [say('NOT_HTML'), 'page_not_html'],
    [say('INSECURE_DOCUMENT_REQUEST'), 'page_insecure'],
    [say('PAGE_HUNG'), 'page_hung'],
    [say('TARGET_CRASHED'), 'page_crashed'],
  ];
  for (const [answer, code] of cases) {
    const { lighthouse_code: lighthouseCode } = await assertCode(answer, 502, code);
    assert.match(lighthouseCode ?? '', /^[A-Z_]+$/);
  }
});

test('a runtimeError inside a 200 is a failure', async () => {
  const runtimeError = { code: 'NO_FCP', message: 'The page did not paint any content.' };
  const call = { params: new URLSearchParams('url=https://example.com/&category=SEO') };
  await assertCode({ body: toPsiBody(call, { runtimeError }) }, 502, 'page_blank');
  const timeout = { code: 'CRI_TIMEOUT', message: 'Timeout.' };
  await assertCode({ body: toPsiBody(call, { runtimeError: timeout }) }, 502, 'psi_unavailable');
});

test('a page that answered 503 has no score, even if the PSI server returns one with a warning', async () => {
  const runWarnings = ['Lighthouse was unable to reliably load the page you requested. (Status code: 503)'];
  const call = { params: new URLSearchParams('url=https://example.com/&category=PERFORMANCE') };
  const body = await assertCode({ body: toPsiBody(call, { runWarnings }) }, 502, 'page_error');
  assert.equal(body.page_status, 503);
});

test('an answer that does not arrive within PSI_TIMEOUT is psi_timeout, and its call is cancelled', async t => {
  const silent = await startFakePsi(t);
  silent.hold();
  const hasty = await startService(t, { PSI_ENDPOINT: silent.endpoint, PSI_TIMEOUT: '1' });
  const { status, body } = await inTime(ask<Problem>(hasty, '/psi?url=https://example.com/&strategy=mobile'));
  assert.deepEqual([status, body.code, body.source, body.retryable], [504, 'psi_timeout', 'psi', true]);
  await inTime(silent.calls.all[0]?.abandoned ?? assert.fail());
});

test('an endpoint that refuses the connection is psi_unavailable, for both strategies too', async t => {
  const deaf = await startService(t, { PSI_ENDPOINT: await findClosedPort() });
  const single = await ask<Problem>(deaf, '/psi?url=https://example.com/&strategy=mobile');
  assert.deepEqual([single.status, single.body.code], [502, 'psi_unavailable']);
  const both = await ask<Problem & { mobile: { error: Problem } }>(deaf, '/psi?url=https://example.com/');
  assert.deepEqual(
    [both.status, both.body.code, both.body.mobile.error.code],
    [502, 'psi_unavailable', 'psi_unavailable'],
  );
});

test('the status is 200 if only one strategy failed', async () => {
  fake.answerWith(call => (call.params.get('strategy') === 'MOBILE' ? html(500) : { body: toPsiBody(call) }));
  const { status, body } = await ask<{ mobile: { url: string; error: Problem }; desktop: { strategy: string } }>(
    service,
    '/psi?url=https://half.example/',
  );
  assert.equal(status, 200);
  assert.deepEqual([body.mobile.url, body.mobile.error.code], ['https://half.example/', 'psi_unavailable']);
  assert.equal(body.desktop.strategy, 'desktop');
});

test('if everything failed the status is that of the first failure', async () => {
  fake.answerWith(call => (call.params.get('strategy') === 'MOBILE' ? quota('QueriesPerMinute', '240') : html(500)));
  const { status, body } = await ask<Problem & { desktop: { error: Problem } }>(
    service,
    '/psi?url=https://none.example/',
  );
  assert.deepEqual([status, body.code, body.desktop.error.code], [503, 'psi_quota_exceeded', 'psi_unavailable']);
});

test('after a failure the next request calls the analyser again', async () => {
  const target = withQuery('/psi', { url: 'https://again.example/', strategy: 'mobile' });
  fake.answerWith(() => html(500));
  assert.equal((await ask(service, target)).status, 502);
  fake.answerWith(call => ({ body: toPsiBody(call) }));
  assert.equal((await ask(service, target)).status, 200);
});
