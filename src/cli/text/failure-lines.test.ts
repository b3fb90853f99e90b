import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, errorTable } from '../../contract/errors.ts';
import type { FailureReason } from '../../presentation/errors-in-words.ts';
import { toFailureCell, toFailureLines } from './table-cells.ts';

const toProblem = (code: ErrorCode): FailureReason => ({
  kind: 'problem',
  problem: { type: 'x', title: 'Title', status: 500, detail: 'It went wrong.', code, retryable: false },
});

/** Words that make sense only on the web page, such as a form above or the URL it was loaded from. */
const ofThePage = /above|this page|Enter an API key|loaded from|show this|Open this/;

test('every failure has its code, a message, and advice that fits the command line', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const [what, advice] = toFailureLines(toProblem(code));
    assert.equal(what, `Title (${code}): It went wrong.`);
    assert.ok(advice.length > 20, code);
    assert.doesNotMatch(advice, ofThePage, code);
    assert.equal(toFailureCell(toProblem(code)), `✗ ${code}: It went wrong.`);
  }
});

test('failures of the connection and of the input have advice, too', () => {
  const fault = { loc: ['query', 'runs'], msg: 'Input should be less than 6', type: 'less_than' };
  for (const [failure, words] of [
    [{ kind: 'unreachable' }, /no_connection.*--server/s],
    [{ kind: 'cut' }, /connection_cut/],
    [{ kind: 'unreadable', status: 200 }, /status_200/],
    [{ kind: 'invalid', faults: [fault] }, /less_than.*runs: Input should be less than 6/],
  ] as const) {
    const text = toFailureLines(failure as FailureReason).join('\n');
    assert.match(text, words);
    assert.doesNotMatch(text, ofThePage);
  }
});
