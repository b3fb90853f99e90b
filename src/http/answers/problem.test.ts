import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { AnalysisError, type ErrorCode, errorTable } from '../../contract/errors.ts';
import { Problem, toProblem } from '../../contract/problem.ts';
import { toFailure } from './problem.ts';

const codes = Object.keys(errorTable) as ErrorCode[];

test('every code becomes a Problem with the status, title and retryable of the table', () => {
  for (const code of codes) {
    const problem = toProblem(new AnalysisError(code, 'What went wrong.'));
    assert.ok(Check(Problem, problem), code);
    const { status, title, retryable } = errorTable[code];
    assert.deepEqual(problem, {
      type: `urn:rangelight:${code}`,
      status,
      title,
      retryable,
      detail: 'What went wrong.',
      code,
    });
  }
});

test('a Problem has the source, the page status and the Lighthouse code if they are known', () => {
  const error = new AnalysisError('page_error', 'No.', {
    source: 'psi',
    pageStatus: 503,
    lighthouseCode: 'ERRORED_DOCUMENT_REQUEST',
  });
  const problem = toProblem(error);
  assert.ok(Check(Problem, problem));
  const { source, page_status, lighthouse_code } = problem;
  assert.deepEqual([source, page_status, lighthouse_code], ['psi', 503, 'ERRORED_DOCUMENT_REQUEST']);
  assert.equal(toProblem(error.from('lighthouse')).source, 'lighthouse');
});

test('zero and empty are values, a missing value is not', () => {
  const problem = toProblem(new AnalysisError('page_error', '', { pageStatus: 0, lighthouseCode: '' }));
  assert.deepEqual([problem.detail, problem.page_status, problem.lighthouse_code], ['', 0, '']);
  const without = toProblem(new AnalysisError('page_error', 'No.', { source: undefined, pageStatus: undefined }));
  for (const name of ['source', 'page_status', 'lighthouse_code']) assert.ok(!(name in without), name);
});

test('a Problem contains no cause, no stack and nothing meant only for PSI clients', () => {
  const error = new AnalysisError('internal', 'Something went wrong.', {
    cause: new Error('AIza-not-a-real-key'),
    lighthouseMessage: 'for PSI clients',
    retryAfterSeconds: 7,
  });
  const text = JSON.stringify(toProblem(error));
  for (const hidden of ['AIza', 'for PSI clients', '.ts:', '7']) assert.ok(!text.includes(hidden), hidden);
});

test('an expected failure is not changed', () => {
  for (const code of codes) {
    const error = new AnalysisError(code, 'What went wrong.');
    assert.equal(toFailure(error), error);
  }
});

test("a body too large for the framework is answered with the service's own message", () => {
  const error = toFailure(
    Object.assign(new Error('Request body is too large'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }),
  );
  assert.deepEqual(
    [error.code, error.message],
    ['payload_too_large', 'The request body is larger than this route accepts.'],
  );
});

test('an unexpected error is internal: its text is hidden, and the log has it as the cause', () => {
  const thrown: readonly unknown[] = [
    new Error('AIza-not-a-real-key'),
    Object.assign(new Error('AIza-not-a-real-key'), { code: 'ECONNRESET' }),
    Object.assign(new Error('AIza-not-a-real-key'), { code: 42 }),
    Object.assign(new Error('AIza-not-a-real-key'), { statusCode: 400 }),
    { code: 'FST_ERR_CTP_BODY_TOO_LARGE', message: 'AIza-not-a-real-key' },
    'AIza-not-a-real-key',
    null,
    undefined,
    0,
  ];
  for (const each of thrown) {
    const error = toFailure(each);
    assert.equal(error.code, 'internal');
    assert.equal(error.cause, each);
    assert.ok(!error.message.includes('AIza'));
    assert.ok(Check(Problem, toProblem(error)));
  }
});
