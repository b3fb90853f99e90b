import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { AnalysisError, type ErrorCode, errorTable } from '../../../contract/errors.ts';
import { toMachineFailure, toPageFailure } from '../../lhr/page-failure.ts';
import { invalidEnum, invalidMask, invalidParameter, PsiErrorBody, toPsiFailure } from './error-body.ts';

const notLoaded =
  'Lighthouse was unable to reliably load the page you requested. Make sure you are testing the correct URL and that the server is properly responding to all requests.';

const written = (lighthouseCode: string, text: string) => {
  const failure = toPageFailure(lighthouseCode, text);
  assert.ok(failure);
  return toPsiFailure(failure).error;
};

test("a document that failed has Lighthouse's message, whether Lighthouse or the service noticed it", () => {
  for (const text of [
    'The document failed (Details: net::ERR_CONNECTION_REFUSED)',
    'Lighthouse konnte die Seite nicht laden. (Details: net::ERR_CONNECTION_REFUSED)',
    `${notLoaded} (Details: net::ERR_CONNECTION_REFUSED)`,
  ])
    assert.equal(
      written('FAILED_DOCUMENT_REQUEST', text).message,
      `Lighthouse returned error: FAILED_DOCUMENT_REQUEST. ${notLoaded} (Details: net::ERR_CONNECTION_REFUSED)`,
    );
});

test("a certificate that the browser rejects has Lighthouse's message about an insecure document", () => {
  for (const [code, text] of [
    ['FAILED_DOCUMENT_REQUEST', 'The document failed (Details: net::ERR_CERT_DATE_INVALID)'],
    [
      'INSECURE_DOCUMENT_REQUEST',
      'The URL you have provided does not have a valid security certificate. net::ERR_CERT_DATE_INVALID',
    ],
  ] as const)
    assert.equal(
      written(code, text).message,
      'Lighthouse returned error: INSECURE_DOCUMENT_REQUEST. The URL you have provided does not have a valid security certificate. net::ERR_CERT_DATE_INVALID',
    );
});

test('a document that failed without a network error has its original message', () => {
  assert.equal(
    written('FAILED_DOCUMENT_REQUEST', 'It failed.').message,
    'Lighthouse returned error: FAILED_DOCUMENT_REQUEST. It failed.',
  );
});

test("a document that answers with an error has Lighthouse's message, with its status", () => {
  for (const text of ['The page answered with application/json (Status code: 404)', `${notLoaded} (Statuscode: 404)`])
    assert.equal(
      written('ERRORED_DOCUMENT_REQUEST', text).message,
      `Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. ${notLoaded} (Status code: 404)`,
    );
});

test('a machine failure without a Lighthouse code is the generic one, without its text', () => {
  const { error } = toPsiFailure(toMachineFailure('lighthouse_unavailable', undefined, 'Protocol error (/root/x)'));
  const message = 'Lighthouse returned error: Something went wrong.';
  assert.deepEqual(error, {
    code: 500,
    message,
    errors: [{ message, domain: 'lighthouse', reason: 'lighthouseError' }],
  });
});

test('a missing or wrong service key is a 401 in the envelope', () => {
  const { error } = toPsiFailure(new AnalysisError('unauthorized', 'A key is needed.'));
  assert.deepEqual([error.code, error.message, error.status], [401, 'A key is needed.', 'UNAUTHENTICATED']);
  assert.deepEqual(error.errors, [{ message: 'A key is needed.', domain: 'global', reason: 'required' }]);
});

test("too many requests are a 429 in Google's format", () => {
  const { error } = toPsiFailure(new AnalysisError('rate_limited', 'Too many requests.'));
  assert.deepEqual([error.code, error.status], [429, 'RESOURCE_EXHAUSTED']);
  assert.deepEqual(error.errors, [{ message: 'Too many requests.', domain: 'global', reason: 'rateLimitExceeded' }]);
  assert.equal(error.details?.[0]?.reason, 'RATE_LIMIT_EXCEEDED');
});

test('a failure of another service like this one keeps its kind', () => {
  const statusOf = (code: ErrorCode) => toPsiFailure(new AnalysisError(code, 'What happened.')).error.status;
  assert.equal(statusOf('target_forbidden'), 'PERMISSION_DENIED');
  assert.equal(statusOf('queue_full'), 'UNAVAILABLE');
  assert.equal(statusOf('lighthouse_timeout'), 'DEADLINE_EXCEEDED');
  assert.equal(statusOf('internal'), 'INTERNAL');
  assert.equal(statusOf('page_crashed'), 'FAILED_PRECONDITION');
  assert.equal(statusOf('payload_too_large'), undefined);
});

test("a mask that selects nothing is rejected as by Google's front end", () => {
  const { error } = invalidMask('foo', "Cannot find matching fields for path 'foo'.");
  const message = 'Request contains an invalid argument.';
  assert.deepEqual(error, {
    code: 400,
    message,
    errors: [{ message, domain: 'global', reason: 'badRequest' }],
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'foo', description: "Cannot find matching fields for path 'foo'." }],
      },
    ],
  });
});

test('no page failure, and no audit timeout, has a status that clients retry', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[])
    if (code.startsWith('page_') || code === 'too_many_redirects' || code === 'lighthouse_timeout')
      assert.equal(toPsiFailure(new AnalysisError(code, 'It failed.')).error.code, 400, code);
});

test('every written body matches the published schema', () => {
  const codes = Object.keys(errorTable) as ErrorCode[];
  const bodies = [
    ...codes.map(code => toPsiFailure(new AnalysisError(code, 'It failed.'))),
    ...codes.map(code => toPsiFailure(new AnalysisError(code, 'It failed.', { lighthouseCode: 'NO_FCP' }))),
    invalidParameter('url', 'No.'),
    invalidEnum('strategy', 'x'),
    invalidMask('x', 'No.'),
  ];
  for (const body of bodies) assert.ok(Check(PsiErrorBody, JSON.parse(JSON.stringify(body))), JSON.stringify(body));
});
