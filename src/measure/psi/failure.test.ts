import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError, type ErrorCode, errorTable } from '../../contract/errors.ts';
import { pageAnswered, toMachineFailure, toPageFailure } from '../lhr/page-failure.ts';
import { fromPsiFailure } from './failure.ts';
import { invalidEnum, invalidParameter, type PsiErrorBody, toPsiFailure } from './wire/error-body.ts';

const read = (status: number, body: unknown, retryAfterSeconds?: number) =>
  fromPsiFailure(status, body, { retryAfterSeconds, redact: text => text.replaceAll('SECRET', '…') }).error;

const body = (code: number, message: string, domain: string, reason: string, more: object = {}) => ({
  error: { code, message, errors: [{ message, domain, reason }], ...more },
});

const errorInfo = (reason: string, metadata: Record<string, string> = {}) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata,
});

const loadFailed =
  'Lighthouse was unable to reliably load the page you requested. Make sure you are testing the correct URL and that the server is properly responding to all requests.';

const ofLighthouse = (status: number, text: string) =>
  body(
    status,
    `Lighthouse returned error: ${text}`,
    'lighthouse',
    status === 400 ? 'lighthouseUserError' : 'lighthouseError',
  );

const forbidden = (message: string, reason: string) =>
  body(403, message, 'global', 'forbidden', { status: 'PERMISSION_DENIED', details: [errorInfo(reason)] });

const quota = (metadata: Record<string, string>) =>
  body(429, "Quota exceeded for quota metric 'Queries'.", 'global', 'rateLimitExceeded', {
    status: 'RESOURCE_EXHAUSTED',
    details: [
      errorInfo('RATE_LIMIT_EXCEEDED', metadata),
      { '@type': 'type.googleapis.com/google.rpc.Help', links: [{ description: 'Request a higher quota limit.' }] },
    ],
  });

/** Known error responses of Google and its front ends. */
const answers: [name: string, status: number, body: unknown, code: ErrorCode][] = [
  ['a URL outside the pattern', 400, invalidParameter('url', "Invalid value 'foo'."), 'psi_bad_response'],
  ['a strategy that is none', 400, invalidEnum('strategy', 'xyz'), 'psi_bad_response'],
  [
    'a wrong key',
    400,
    body(400, 'API key not valid. Please pass a valid API key.', 'global', 'badRequest', {
      status: 'INVALID_ARGUMENT',
      details: [errorInfo('API_KEY_INVALID')],
    }),
    'psi_key_rejected',
  ],
  [
    'a key restricted to other services',
    403,
    forbidden('Requests are blocked.', 'API_KEY_SERVICE_BLOCKED'),
    'psi_key_rejected',
  ],
  [
    'a key restricted by referrer',
    403,
    forbidden('Requests are blocked.', 'API_KEY_HTTP_REFERRER_BLOCKED'),
    'psi_key_rejected',
  ],
  [
    'a key restricted by address',
    403,
    forbidden('Requests are blocked.', 'API_KEY_IP_ADDRESS_BLOCKED'),
    'psi_key_rejected',
  ],
  ['an API that is not enabled', 403, forbidden('It is disabled.', 'SERVICE_DISABLED'), 'psi_key_rejected'],
  ['no credentials', 401, undefined, 'psi_key_rejected'],
  [
    'no quota without a key',
    429,
    quota({ quota_limit: 'defaultPerDayPerProject', quota_limit_value: '0' }),
    'psi_quota_exceeded',
  ],
  [
    'a used-up day',
    429,
    quota({ quota_limit: 'defaultPerDayPerProject', quota_limit_value: '25000' }),
    'psi_quota_exceeded',
  ],
  [
    'a used-up minute',
    429,
    quota({ quota_limit: 'defaultPerMinutePerProject', quota_limit_value: '240' }),
    'psi_quota_exceeded',
  ],
  ['too many requests in HTML', 429, undefined, 'psi_quota_exceeded'],
  [
    'a page that does not load in time',
    400,
    ofLighthouse(400, `FAILED_DOCUMENT_REQUEST. ${loadFailed} (Details: net::ERR_TIMED_OUT)`),
    'page_timeout',
  ],
  [
    'a page that cannot be loaded, as it was said before',
    500,
    ofLighthouse(500, `FAILED_DOCUMENT_REQUEST. ${loadFailed} (Details: net::ERR_CONNECTION_FAILED)`),
    'page_unreachable',
  ],
  [
    'a page with a bad certificate',
    400,
    ofLighthouse(400, `FAILED_DOCUMENT_REQUEST. ${loadFailed} (Details: net::ERR_CERT_DATE_INVALID)`),
    'page_insecure',
  ],
  ['an error page', 500, ofLighthouse(500, `ERRORED_DOCUMENT_REQUEST. ${loadFailed} (Status code: 503)`), 'page_error'],
  ['a code without a text', 400, ofLighthouse(400, 'NO_FCP'), 'page_blank'],
  ['a code with an empty text', 400, ofLighthouse(400, 'NO_FCP.'), 'page_blank'],
  ['a text of several lines', 400, ofLighthouse(400, 'NO_FCP. The page did\nnot paint.'), 'page_blank'],
  [
    'a fault of the machine',
    500,
    ofLighthouse(500, 'CRI_TIMEOUT. Timeout waiting for initial Debugger Protocol connection.'),
    'psi_unavailable',
  ],
  ['a code of the future', 400, ofLighthouse(400, 'SOMETHING_NEW. It failed.'), 'psi_unavailable'],
  ['an unknown error', 500, ofLighthouse(500, 'UNKNOWN_ERROR. An unknown error occurred.'), 'psi_unavailable'],
  ['something that went wrong', 500, ofLighthouse(500, 'Something went wrong.'), 'psi_unavailable'],
  [
    'another wording of Lighthouse',
    500,
    body(500, 'Lighthouse is unwell.', 'lighthouse', 'lighthouseError'),
    'psi_unavailable',
  ],
  [
    'overload',
    500,
    body(500, 'Unable to process request. Please wait a while and try again.', 'global', 'internalError'),
    'psi_unavailable',
  ],
  ['a server error in HTML', 500, undefined, 'psi_unavailable'],
  ['a bad gateway', 502, undefined, 'psi_unavailable'],
  ['an unavailable front end', 503, undefined, 'psi_unavailable'],
  ['a slow request', 408, undefined, 'psi_unavailable'],
  ['a front end that ran out of time', 504, undefined, 'psi_timeout'],
  ['a wrong path', 404, undefined, 'psi_bad_response'],
  ['a bad request without a reason', 400, body(400, 'Bad.', 'global', 'badRequest'), 'psi_bad_response'],
];

for (const [name, status, answer, code] of answers)
  test(`${status}, ${name}, is ${code}`, () => {
    const failure = read(status, answer);
    assert.equal(failure.code, code);
    assert.equal(failure.source, undefined);
    assert.match(failure.message, /^The .+[.…]$/s);
  });

test('a failure of Lighthouse has its code and text', () => {
  const failure = read(400, ofLighthouse(400, 'NO_FCP. The page did not paint any content. (NO_FCP)'));
  assert.equal(failure.lighthouseCode, 'NO_FCP');
  assert.equal(failure.lighthouseMessage, 'The page did not paint any content. (NO_FCP)');

  const machine = read(500, ofLighthouse(500, 'CRI_TIMEOUT. Timeout.'));
  assert.equal(machine.lighthouseCode, 'CRI_TIMEOUT');
  assert.equal(machine.lighthouseMessage, 'Timeout.');

  const wordless = read(500, ofLighthouse(500, 'Something went wrong.'));
  assert.equal(wordless.lighthouseCode, undefined);
  assert.equal(wordless.lighthouseMessage, 'Lighthouse returned error: Something went wrong.');
});

test('an error page has its status', () => {
  assert.equal(
    read(400, ofLighthouse(400, `ERRORED_DOCUMENT_REQUEST. ${loadFailed} (Status code: 404)`)).pageStatus,
    404,
  );
});

test('a used-up quota has its time to wait, and advice if no key was sent', () => {
  const messageOf = (metadata: Record<string, string>) => read(429, quota(metadata)).message;
  assert.match(messageOf({ quota_limit: 'defaultPerDayPerProject', quota_limit_value: '25000' }), /used up for today/);
  assert.match(messageOf({ quota_limit: 'defaultPerMinutePerProject', quota_limit_value: '240' }), /used up for now/);
  assert.match(messageOf({ quota_limit: 'defaultPerDayPerProject', quota_limit_value: '0' }), /PSI_API_KEY/);
  assert.match(messageOf({}), /used up for now/);
});

test('the time to wait is passed on if known', () => {
  assert.equal(read(429, undefined, 30).retryAfterSeconds, 30);
  assert.equal(read(429, undefined, 0).retryAfterSeconds, 0);
  assert.equal(read(429, undefined).retryAfterSeconds, undefined);
  assert.equal(read(503, undefined, 7).retryAfterSeconds, 7);
  assert.equal(read(503, toPsiFailure(new AnalysisError('queue_full', 'Full.')), 5).retryAfterSeconds, 5);
});

test('the message of a rejected key is shown without the key, and shortened', () => {
  const long = body(403, `SECRET is blocked. ${'x'.repeat(5000)}`, 'global', 'forbidden');
  const { message } = read(403, long);
  assert.match(message, /: … is blocked\. x+$/);
  assert.ok(message.length < 400);
});

test('no message contains the key, however the failure arose', () => {
  const messages = [
    ...[400, 403, 429, 500, 503].flatMap(status => [
      read(status, body(status, 'Bad key SECRET', 'global', 'badRequest', { details: [errorInfo('API_KEY_INVALID')] })),
      read(status, body(status, 'Bad key SECRET', 'rangelight', 'psi_key_rejected')),
      read(status, ofLighthouse(status, 'NO_FCP. https://example.com/?key=SECRET')),
      read(status, ofLighthouse(status, 'CRI_TIMEOUT. https://example.com/?key=SECRET')),
      read(status, body(status, 'SECRET', 'lighthouse', 'lighthouseError')),
    ]),
    read(401, body(401, 'SECRET', 'global', 'required')),
  ];
  for (const failure of messages) assert.ok(!JSON.stringify({ ...failure, text: failure.message }).includes('SECRET'));
});

test('an answer without an error body is judged by its status, and never breaks parsing', () => {
  const strange: unknown[] = [
    undefined,
    null,
    0,
    '',
    'error',
    [],
    {},
    { error: null },
    { error: 'quota' },
    { error: {} },
    { error: { message: 7 } },
    { error: { message: 'm' } },
    { error: { message: 'm', errors: null } },
    { error: { message: 'm', errors: [] } },
    { error: { message: 'm', errors: [null] } },
    { error: { message: 'm', errors: 'none' } },
    { error: { message: 'm', errors: [{ domain: 7, reason: {} }] } },
    { error: { message: 'm', errors: [{ domain: 'rangelight', reason: 7 }] } },
    { error: { message: 'm', errors: [{ domain: 'rangelight', reason: ['page_error'] }] } },
    { error: { message: 'm', errors: [{ domain: 'rangelight', reason: 'toString' }] } },
    { error: { message: 'm', errors: [{ domain: 'rangelight', reason: 'no_code_of_ours' }] } },
    { error: { message: 'm', details: null } },
    { error: { message: 'm', details: {} } },
    { error: { message: 'm', details: 'API_KEY_INVALID' } },
    { error: { message: 'm', details: [null, 'x', 7, [], {}] } },
    {
      error: {
        message: 'm',
        details: [{ reason: 7, metadata: null }, { metadata: 'x' }, { metadata: { quota_limit: 7 } }],
      },
    },
  ];
  const expected: [number, ErrorCode][] = [
    [400, 'psi_bad_response'],
    [401, 'psi_key_rejected'],
    [404, 'psi_bad_response'],
    [429, 'psi_quota_exceeded'],
    [500, 'psi_unavailable'],
    [504, 'psi_timeout'],
  ];
  for (const answer of strange)
    for (const [status, code] of expected)
      assert.equal(read(status, answer).code, code, `${status} ${JSON.stringify(answer)}`);
});

/** Returns whether a failure is a 400: one of the page, or an audit so slow that three retries would not help. */
const isBadRequest = (code: string) =>
  /^(?:page|login)_/.test(code) || code === 'too_many_redirects' || code === 'lighthouse_timeout';

/** Failures of the client of v5. They are written in Google's words, and read as what these mean for that client. */
const ofTheClient: Partial<Record<ErrorCode, ErrorCode>> = {
  unauthorized: 'psi_key_rejected',
  rate_limited: 'psi_quota_exceeded',
};

for (const [code, readAs] of Object.entries(ofTheClient))
  test(`the PSI format of ${code} is read back as ${readAs}`, () => {
    const written = toPsiFailure(new AnalysisError(code as ErrorCode, 'What happened, in words.'));
    assert.equal(read(written.error.code, JSON.parse(JSON.stringify(written))).code, readAs);
  });

/** Failures that are written in Lighthouse's words, even if this service noticed them. */
const inLighthousesWords: readonly ErrorCode[] = ['page_timeout'];

const ownCodes = (Object.entries(errorTable) as [ErrorCode, { status: number }][]).filter(
  // A sitemap is not measured, so the v5 endpoint never reports its failures.
  ([code]) => !(code in ofTheClient) && !inLighthousesWords.includes(code) && !code.startsWith('sitemap_'),
);

/** Failures of another service's own clients, keys and machine mean something else to our clients. */
const readAs: Partial<Record<ErrorCode, ErrorCode>> = {
  cross_site_request: 'psi_bad_response',
  operator_only: 'psi_bad_response',
  host_not_allowed: 'psi_bad_response',
  invalid_url: 'psi_bad_response',
  payload_too_large: 'psi_bad_response',
  result_not_found: 'psi_bad_response',
  artifacts_gone: 'psi_bad_response',
  not_simulated: 'psi_bad_response',
  results_not_kept: 'psi_bad_response',
  job_not_found: 'psi_bad_response',
  job_cancelled: 'psi_bad_response',
  schedule_not_found: 'psi_bad_response',
  access_not_found: 'psi_bad_response',
  note_not_found: 'psi_bad_response',
  internal: 'psi_unavailable',
  shutting_down: 'psi_unavailable',
  psi_bad_response: 'psi_unavailable',
};

for (const [code, { status }] of ownCodes)
  test(`the PSI format of ${code} is read back as ${readAs[code] ?? code}`, () => {
    const written = toPsiFailure(new AnalysisError(code, 'What happened, in words.'));
    assert.equal(written.error.code, isBadRequest(code) ? 400 : status);
    assert.deepEqual(written.error.errors, [
      { message: 'What happened, in words.', domain: 'rangelight', reason: code },
    ]);

    const failure = read(written.error.code, JSON.parse(JSON.stringify(written)));
    assert.equal(failure.code, readAs[code] ?? code);
    if (!readAs[code] && !code.startsWith('psi_')) assert.equal(failure.message, 'What happened, in words.');
  });

const pageFailures: [string, string][] = [
  ['DNS_FAILURE', 'DNS servers could not resolve the provided domain.'],
  ['FAILED_DOCUMENT_REQUEST', `${loadFailed} (Details: net::ERR_TOO_MANY_REDIRECTS)`],
  ['FAILED_DOCUMENT_REQUEST', `${loadFailed} (Details: net::ERR_CONNECTION_REFUSED)`],
  ['ERRORED_DOCUMENT_REQUEST', `${loadFailed} (Status code: 503)`],
  ['NOT_HTML', 'The page provided is not HTML (served as MIME type application/pdf).'],
  ['INSECURE_DOCUMENT_REQUEST', 'No valid security certificate. net::ERR_CERT_DATE_INVALID'],
  ['CHROME_INTERSTITIAL_ERROR', 'Chrome prevented page load with an interstitial.'],
  ['PAGE_HUNG', 'The page stopped responding.'],
  [
    'PROTOCOL_TIMEOUT',
    'Waiting for DevTools protocol response has exceeded the allotted time. (Method: Network.enable)',
  ],
  ['TARGET_CRASHED', 'Browser tab has unexpectedly crashed.'],
  ['NO_FCP', 'The page did not paint any content. (NO_FCP)'],
];

for (const [lighthouseCode, text] of pageFailures)
  test(`the page failure ${lighthouseCode} is a 400 with Lighthouse's message, and is read back unchanged`, () => {
    const failure = toPageFailure(lighthouseCode, text);
    assert.ok(failure);
    const written = toPsiFailure(failure);
    const message = `Lighthouse returned error: ${lighthouseCode}. ${text}`;
    assert.deepEqual(written, {
      error: { code: 400, message, errors: [{ message, domain: 'lighthouse', reason: 'lighthouseUserError' }] },
    });
    assert.deepEqual(read(400, written), failure);
  });

test('a page that timed out is a 400 with the message of Lighthouse, and is read as page_timeout', () => {
  const written = toPsiFailure(new AnalysisError('page_timeout', 'What happened, in words.'));
  const message = `Lighthouse returned error: FAILED_DOCUMENT_REQUEST. ${loadFailed} (Details: net::ERR_TIMED_OUT)`;
  assert.deepEqual(written, {
    error: { code: 400, message, errors: [{ message, domain: 'lighthouse', reason: 'lighthouseUserError' }] },
  });
  assert.equal(read(400, written).code, 'page_timeout');
});

test('a page that answered with an error is a 400 with its status, whether Lighthouse or the service noticed it', () => {
  const written = toPsiFailure(pageAnswered(503));
  assert.equal(written.error.code, 400);
  assert.match(
    written.error.message,
    /^Lighthouse returned error: ERRORED_DOCUMENT_REQUEST\. .+ \(Status code: 503\)$/,
  );
  const failure = read(400, written);
  assert.equal(failure.code, 'page_error');
  assert.equal(failure.pageStatus, 503);
  assert.equal(failure.message, pageAnswered(503).message);
});

test("a machine's failure with a Lighthouse code is a 500, which clients retry", () => {
  const written = toPsiFailure(toMachineFailure('lighthouse_unavailable', 'CRI_TIMEOUT', 'Timeout.'));
  const message = 'Lighthouse returned error: CRI_TIMEOUT. Timeout.';
  assert.deepEqual(written, {
    error: { code: 500, message, errors: [{ message, domain: 'lighthouse', reason: 'lighthouseError' }] },
  });
  assert.equal(read(500, written).code, 'psi_unavailable');
  assert.equal(read(500, written).lighthouseCode, 'CRI_TIMEOUT');
});

test("a failure without a Lighthouse message has the service's own", () => {
  const failure = new AnalysisError('page_hung', 'The page stopped responding.', { lighthouseCode: 'PAGE_HUNG' });
  assert.equal(
    toPsiFailure(failure).error.message,
    'Lighthouse returned error: PAGE_HUNG. The page stopped responding.',
  );
});

test('neither cause nor stack is written', () => {
  const failure = new AnalysisError('internal', 'Something failed.', { cause: new Error('/etc/secret') });
  const json = JSON.stringify(toPsiFailure(failure));
  assert.ok(!json.includes('secret') && !json.includes('.ts:'));
});

test('a parameter outside its pattern is rejected as by Google', () => {
  const message =
    "Invalid value 'foo'. Values must match the following regular expression: '(?i)(url:|origin:)?http(s)?://.*'";
  assert.deepEqual(invalidParameter('url', message), {
    error: {
      code: 400,
      message,
      errors: [
        {
          message,
          domain: 'gdata.CoreErrorDomain',
          reason: 'INVALID_PARAMETER',
          location: 'url',
          locationType: 'other',
        },
      ],
    },
  } satisfies PsiErrorBody);
});

test('a value outside an enumeration is rejected as by Google', () => {
  const request = 'type.googleapis.com/google.chrome.pagespeedonline.v5.PagespeedonlinePagespeedapiRunpagespeedRequest';
  const strategy = invalidEnum('strategy', 'xyz').error;
  assert.equal(strategy.code, 400);
  assert.equal(strategy.message, `Invalid value at 'strategy' (${request}.Strategy), "xyz"`);
  assert.equal(strategy.errors[0]?.reason, 'invalid');
  assert.equal(strategy.status, 'INVALID_ARGUMENT');
  assert.equal(
    invalidEnum('category', 'a"b').error.message,
    `Invalid value at 'category' (${request}.Category), "a\\"b"`,
  );
});
