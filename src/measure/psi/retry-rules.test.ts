import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameThread } from '../../../test/support/audits/same-thread.ts';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { startLocalServer } from '../../../test/support/sites/local-server.ts';
import { impatient } from '../../../test/support/start-service.ts';
import { AnalysisError, type ErrorCode } from '../../contract/errors.ts';
import { createPsiClient } from './client.ts';
import { type FailureKind, retryRules } from './retry-rules.ts';
import { invalidEnum, invalidParameter, toPsiFailure } from './wire/error-body.ts';
import { toPsiResult } from './wire/wire-result.ts';

/** One answer of an analyser; `cut`: the connection closes in the middle of it. */
type Answer = { status: number; body: unknown; headers?: Record<string, string>; cut?: boolean };

const ofGoogle = (status: number, message: string, reason = 'badRequest', details: object[] = []): Answer => ({
  status,
  body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }], details } },
});
const ofLighthouse = (status: number, text: string): Answer => {
  const message = `Lighthouse returned error: ${text}`;
  return {
    status,
    body: { error: { code: status, message, errors: [{ message, domain: 'lighthouse', reason: '' }] } },
  };
};
const ofOwn = (code: ErrorCode): Answer => {
  const body = toPsiFailure(new AnalysisError(code, 'It failed.'));
  return { status: body.error.code, body };
};
const quota = (limit: string, value: string): Answer =>
  ofGoogle(429, 'Quota exceeded.', 'rateLimitExceeded', [
    { reason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit: limit, quota_limit_value: value } },
  ]);
const html = (status: number): Answer => ({ status, body: '<html></html>', headers: { 'content-type': 'text/html' } });
const warned = (warning: string): Answer => ({
  status: 200,
  body: toPsiResult(buildMeasuredLhr({ runWarnings: [warning] })),
});

/** Every kind of failure with an answer that causes it, the resulting code, and the number of calls. */
const rows: readonly (readonly [kind: FailureKind, what: string, Answer, ErrorCode, calls: number])[] = [
  ['refused', 'a parameter at fault', { status: 400, body: invalidParameter('url', 'No.') }, 'psi_bad_response', 1],
  ['refused', 'a value that is none', { status: 400, body: invalidEnum('strategy', 'x') }, 'psi_bad_response', 1],
  ['refused', 'a wrong path', html(404), 'psi_bad_response', 1],
  ['refused', 'a redirect', { status: 302, body: '', headers: { location: '/' } }, 'psi_unavailable', 1],
  ['refused', "a firewall's 403", html(403), 'psi_key_rejected', 1],
  [
    'key',
    'a wrong key',
    ofGoogle(400, 'API key not valid.', 'badRequest', [{ reason: 'API_KEY_INVALID' }]),
    'psi_key_rejected',
    1,
  ],
  [
    'key',
    'a blocked key',
    ofGoogle(403, 'Blocked.', 'forbidden', [{ reason: 'API_KEY_SERVICE_BLOCKED' }]),
    'psi_key_rejected',
    1,
  ],
  [
    'key',
    'an API that is not enabled',
    ofGoogle(403, 'Disabled.', 'accessNotConfigured', [{ reason: 'SERVICE_DISABLED' }]),
    'psi_key_rejected',
    1,
  ],
  ['key', 'no key', ofGoogle(401, 'Login Required.', 'required'), 'psi_key_rejected', 1],
  ['page_final', 'no HTML', ofLighthouse(400, 'NOT_HTML. It is a PDF.'), 'page_not_html', 1],
  ['page_final', 'a bad certificate', ofLighthouse(400, 'INSECURE_DOCUMENT_REQUEST. No.'), 'page_insecure', 1],
  [
    'page_final',
    'a redirect loop',
    ofLighthouse(400, 'FAILED_DOCUMENT_REQUEST. (net::ERR_TOO_MANY_REDIRECTS)'),
    'too_many_redirects',
    1,
  ],
  ['page_final', 'an error page', ofLighthouse(400, 'ERRORED_DOCUMENT_REQUEST. (Status code: 503)'), 'page_error', 1],
  ['page_final', 'the score of an error page', warned('Not loaded. (Status code: 503)'), 'page_error', 1],
  ['page_passing', 'a page that paints nothing', ofLighthouse(400, 'NO_FCP. Nothing.'), 'page_blank', 2],
  [
    'page_passing',
    'a page out of reach',
    ofLighthouse(400, 'FAILED_DOCUMENT_REQUEST. (net::ERR_CONNECTION_REFUSED)'),
    'page_unreachable',
    2,
  ],
  [
    'page_passing',
    'a page that times out',
    ofLighthouse(400, 'FAILED_DOCUMENT_REQUEST. (net::ERR_TIMED_OUT)'),
    'page_timeout',
    2,
  ],
  [
    'page_passing',
    'the same as a 500, as it was said before',
    ofLighthouse(500, 'FAILED_DOCUMENT_REQUEST. (net::ERR_TIMED_OUT)'),
    'page_timeout',
    2,
  ],
  ['page_passing', 'a page that hangs', ofLighthouse(400, 'PAGE_HUNG. Hung.'), 'page_hung', 2],
  ['page_passing', 'a tab that crashed', ofLighthouse(400, 'TARGET_CRASHED. Crashed.'), 'page_crashed', 2],
  ['page_passing', 'a page that timed out elsewhere', ofOwn('page_timeout'), 'page_timeout', 2],
  ['machine', 'something that went wrong', ofLighthouse(500, 'Something went wrong.'), 'psi_unavailable', 3],
  ['machine', "a fault of Lighthouse's own", ofLighthouse(500, 'CRI_TIMEOUT. Timeout.'), 'psi_unavailable', 3],
  [
    'overload',
    'too many at once',
    ofGoogle(500, 'Unable to process request. Please wait a while and try again.', 'internalError'),
    'psi_unavailable',
    3,
  ],
  ['gateway', 'a 500 in HTML', html(500), 'psi_unavailable', 3],
  ['gateway', 'a bad gateway', html(502), 'psi_unavailable', 3],
  ['gateway', 'an unavailable front end', html(503), 'psi_unavailable', 3],
  ['gateway_timeout', 'a front end out of time', html(504), 'psi_timeout', 2],
  ['network', 'a body that is cut', { status: 200, body: '{"lighthouseResult"', cut: true }, 'psi_unavailable', 3],
  ['nonsense', 'HTML for an answer', html(200), 'psi_bad_response', 2],
  ['nonsense', 'JSON that is none', { status: 200, body: '{"lighthouseResult":' }, 'psi_bad_response', 2],
  ['quota_minute', 'a used-up minute', quota('QueriesPerMinutePerProject', '240'), 'psi_quota_exceeded', 3],
  ['quota_minute', 'a 429 without a word', html(429), 'psi_quota_exceeded', 3],
  ['quota_day', 'a used-up day', quota('defaultPerDayPerProject', '25000'), 'psi_quota_exceeded', 1],
  ['quota_none', 'no quota at all', quota('defaultPerDayPerProject', '0'), 'psi_quota_exceeded', 1],
  ['own_busy', 'a full queue', ofOwn('queue_full'), 'queue_full', 3],
  ['own_final', 'an audit out of time', ofOwn('lighthouse_timeout'), 'lighthouse_timeout', 1],
  ['own_final', 'no browser', ofOwn('lighthouse_unavailable'), 'lighthouse_unavailable', 1],
  ['gateway', 'a Rangelight that restarts', ofOwn('shutting_down'), 'psi_unavailable', 3],
  ['own_final', 'a target it may not measure', ofOwn('target_forbidden'), 'target_forbidden', 1],
  ['own_final', 'a fault of its own', ofOwn('internal'), 'psi_unavailable', 1],
];

/** client.test.ts tests the kinds that no answer causes. */
const withoutAnswer: readonly FailureKind[] = ['timeout'];

test('every row of the table is covered', () => {
  const shown = new Set([...rows.map(([kind]) => kind), ...withoutAnswer]);
  assert.deepEqual(shown, new Set(Object.keys(retryRules)));
});

for (const [kind, what, answer, code, calls] of rows)
  test(`${what} (${kind}) is asked ${calls === 1 ? 'once' : `${calls} times`} and ends as ${code}`, async t => {
    let asked = 0;
    const { url } = await startLocalServer(t, (_request, response) => {
      asked += 1;
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      if (answer.cut) response.write(text, () => response.destroy());
      else response.end(text);
    });
    const client = createPsiClient({
      server: { kind: 'custom', endpoint: url, host: new URL(url).host, apiKey: undefined },
      threads: sameThread,
      timeoutMs: 60_000,
      concurrency: 1,
      ratePerMinute: Number.POSITIVE_INFINITY,
      patience: impatient,
    });
    const request = {
      url: 'https://example.com/',
      strategy: 'mobile',
      categories: [],
      locale: 'en-US',
      requestedAt: '2026-11-20T12:00:00.000Z',
    } as const;
    await assert.rejects(client.analyse(request, new AbortController().signal), { code, source: 'psi' });
    assert.deepEqual([asked, retryRules[kind].retries], [calls, calls - 1]);
  });

test('no page failure is blamed on the analyser or an origin, and a used-up daily quota is never retried', () => {
  assert.deepEqual(
    (['page_final', 'page_passing', 'own_final', 'refused'] as const).map(kind => retryRules[kind].blames),
    Array(4).fill('none'),
  );
  assert.deepEqual([retryRules.quota_day.retries, retryRules.quota_none.retries, retryRules.key.retries], [0, 0, 0]);
});
