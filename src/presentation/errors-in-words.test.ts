import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildProblem } from '../../test/web/reports.ts';
import { type ErrorCode, errorTable } from '../contract/errors.ts';
import { type FailureReason, toFailureReason, toWords, wantsKey } from './errors-in-words.ts';
import { toSideNames } from './side-names.ts';

const whose = { page: 'the page', remote: 'the PSI server', machine: 'this service', client: 'the request' };

test('every code of the service has the part at fault and advice', () => {
  for (const [code, { title, status, retryable, fault }] of Object.entries(errorTable)) {
    const problem = buildProblem({ code: code as ErrorCode, title, status, retryable, detail: 'What happened.' });
    const words = toWords({ kind: 'problem', problem });
    assert.equal(words.heading, title);
    assert.equal(words.code, code);
    const isGone = ['result_not_found', 'results_not_kept', 'artifacts_gone'].includes(code);
    assert.equal(words.canRetry, retryable || isGone, code);
    assert.match(words.advice, /^[A-Z].*\.$|\?$/, code);
    assert.equal(words.whose, whose[fault]);
    assert.deepEqual(words.what, ['What happened.']);
  }
});

test('an analyser at fault is named', () => {
  const at = (analyser: Parameters<typeof toSideNames>[0]) =>
    toWords({ kind: 'problem', problem: buildProblem({ code: 'psi_timeout' }) }, toSideNames(analyser)).whose;
  assert.equal(at({ kind: 'google' }), 'PageSpeed Insights (Google)');
  assert.equal(at({ kind: 'custom', host: 'psi.example' }), 'PageSpeed Insights at psi.example');
  assert.equal(at({ kind: 'embedded' }), 'this service');
  assert.equal(at(undefined), 'the PSI server');
});

test('a page status is shown once', () => {
  const saying = (detail: string) =>
    toWords({ kind: 'problem', problem: buildProblem({ detail, page_status: 503 }) }).what;
  assert.deepEqual(saying('The page returned status 503.'), ['The page returned status 503.']);
  assert.deepEqual(saying('The page answered with an error.'), [
    'The page answered with an error.',
    'The page returned status 503.',
  ]);
});

test('the time to wait is shown', () => {
  const failure = toFailureReason(buildProblem({ code: 'queue_full' }), 503, '90');
  assert.match(toWords(failure).advice, /Retry in 1\u00a0min 30\u00a0s\.$/);
});

test("an unknown code is shown with the service's message", () => {
  const problem = { ...buildProblem(), code: 'constructor', title: 'New', detail: 'Something new.' };
  const words = toWords({ kind: 'problem', problem } as unknown as FailureReason);
  assert.deepEqual([words.heading, words.what, words.code], ['New', ['Something new.'], 'constructor']);
});

test('every input error is shown with its field', () => {
  const detail = [
    { loc: ['query', 'url'], msg: 'Input should be a valid URL', type: 'url_parsing' },
    { loc: ['body', 'urls', 2], msg: 'Input should be a valid string', type: 'string_type' },
    { loc: ['body'], msg: 'Field required', type: 'missing' },
  ];
  const words = toWords(toFailureReason({ detail }, 422));
  assert.deepEqual(words.what, [
    'url: Input should be a valid URL.',
    'urls, number 3: Input should be a valid string.',
    'request: Field required.',
  ]);
  assert.equal(words.code, 'url_parsing, string_type, missing');
});

test('a URL that is neither http nor https is rejected in plain words', () => {
  const detail = [{ loc: ['query', 'url'], msg: "URL scheme should be 'http' or 'https'", type: 'url_scheme' }];
  const { what } = toWords(toFailureReason({ detail }, 422));
  assert.deepEqual(what, ['url: it must start with http:// or https://.']);
});

test('any other answer is reported as unreadable', () => {
  for (const body of [undefined, null, 'x', {}, { detail: 'Not Found' }, { code: 'x' }])
    assert.deepEqual(toFailureReason(body, 502), { kind: 'unreadable', status: 502 });
  assert.match(toWords({ kind: 'unreadable', status: 502 }).what.join(), /502/);
});

test('a retry date is not a number of seconds', () => {
  const failure = toFailureReason(buildProblem(), 503, 'Wed, 21 Oct 2026 07:28:00 GMT');
  assert.ok(!('retryAfterSeconds' in failure));
});

test('only a missing or wrong key asks for a key', () => {
  assert.ok(wantsKey(toFailureReason(buildProblem({ code: 'unauthorized' }), 401)));
  assert.ok(!wantsKey(toFailureReason(buildProblem({ code: 'rate_limited' }), 429)));
  assert.ok(!wantsKey({ kind: 'cut' }));
});
