import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildProblem } from '../../test/web/reports.ts';
import { type ErrorCode, errorTable } from '../errors.ts';
import { toWords } from './errors-in-words.ts';
import { type Trouble, toTrouble, wantsKey } from './trouble.ts';

test('every code of the service says whose fault it is and what to do', () => {
  for (const [code, { title, status, retryable }] of Object.entries(errorTable)) {
    const problem = buildProblem({ code: code as ErrorCode, title, status, retryable, detail: 'What happened.' });
    const words = toWords({ kind: 'problem', problem });
    assert.equal(words.heading, title);
    assert.equal(words.code, code);
    assert.equal(words.canRetry, retryable, code);
    assert.match(words.advice, /^[A-Z].*\.$|\?$/, code);
    assert.match(words.whose, /^(the page|the remote analyser|this service|the request)$/);
    assert.deepEqual(words.what, ['What happened.']);
  }
});

test("a page's status is said once", () => {
  const saying = (detail: string) =>
    toWords({ kind: 'problem', problem: buildProblem({ detail, page_status: 503 }) }).what;
  assert.deepEqual(saying('The page answered with status 503.'), ['The page answered with status 503.']);
  assert.deepEqual(saying('The page answered with an error.'), [
    'The page answered with an error.',
    'It answered with status 503.',
  ]);
});

test('a time to wait is told', () => {
  const trouble = toTrouble(buildProblem({ code: 'queue_full' }), 503, '90');
  assert.match(toWords(trouble).advice, /free in 1\u00a0min 30\u00a0s\.$/);
});

test('a code we do not know is shown as the service words it', () => {
  const problem = { ...buildProblem(), code: 'constructor', title: 'New', detail: 'Something new.' };
  const words = toWords({ kind: 'problem', problem } as unknown as Trouble);
  assert.deepEqual([words.heading, words.what, words.code], ['New', ['Something new.'], 'constructor']);
});

test('faults of the input are told one by one, with their place', () => {
  const detail = [
    { loc: ['query', 'url'], msg: 'Input should be a valid URL', type: 'url_parsing' },
    { loc: ['body', 'urls', 2], msg: 'Input should be a valid string', type: 'string_type' },
    { loc: ['body'], msg: 'Field required', type: 'missing' },
  ];
  const words = toWords(toTrouble({ detail }, 422));
  assert.deepEqual(words.what, [
    'url: Input should be a valid URL.',
    'urls, number 3: Input should be a valid string.',
    'request: Field required.',
  ]);
  assert.equal(words.code, 'url_parsing, string_type, missing');
});

test('what is neither is something else that answered', () => {
  for (const body of [undefined, null, 'x', {}, { detail: 'Not Found' }, { code: 'x' }])
    assert.deepEqual(toTrouble(body, 502), { kind: 'unreadable', status: 502 });
  assert.match(toWords({ kind: 'unreadable', status: 502 }).what.join(), /502/);
});

test('a date to retry at is no number of seconds', () => {
  const trouble = toTrouble(buildProblem(), 503, 'Wed, 21 Oct 2026 07:28:00 GMT');
  assert.ok(!('retryAfterSeconds' in trouble));
});

test('only a missing or wrong key asks for one', () => {
  assert.ok(wantsKey(toTrouble(buildProblem({ code: 'unauthorized' }), 401)));
  assert.ok(!wantsKey(toTrouble(buildProblem({ code: 'rate_limited' }), 429)));
  assert.ok(!wantsKey({ kind: 'cut' }));
});
