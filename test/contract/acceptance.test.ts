/** The table of docs/operations.md: every fault in it is shown by tests that exist, or says why it cannot be. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readTableRows } from './markdown.ts';
import { projectRoot } from './source-files.ts';

const rowCount = 44;

/** Rows that others are at work on. It shrinks with every row they fill, and ends empty. */
const beingBuilt: readonly number[] = [
  2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 37, 38, 41, 43,
];

const [, section = ''] = readFileSync(`${projectRoot}docs/operations.md`, 'utf8').split(/^## Acceptance$/m);
const rows = readTableRows(section).map(([number, fault = '', answer = '', shown = '']) => ({
  number: Number(number),
  fault,
  answer,
  shown,
}));

/** `test/api/keys.test.ts` followed by the name of a test in it. */
const isThere = (entry: string): boolean => {
  const [, file = '', name = ''] = /^`([^`]+\.test\.ts)` (.+)$/.exec(entry) ?? [];
  if (file === '' || !existsSync(projectRoot + file)) return false;
  const text = readFileSync(projectRoot + file, 'utf8');
  return [`'${name}'`, `"${name}"`].some(quoted => text.includes(`test(${quoted},`));
};

/** `cannot apply: …`, with a reason worth the name. */
const isReason = (entry: string): boolean => /^cannot apply: .{20,}$/.test(entry);

test('the table has every row once, in order', () => {
  assert.deepEqual(
    rows.map(({ number }) => number),
    Array.from({ length: rowCount }, (_, index) => index + 1),
  );
  for (const { number, fault, answer } of rows) assert.ok(fault.length > 10 && answer.length > 10, String(number));
});

test('every row names tests that exist, or the reason why there is none', () => {
  const finished = rows.filter(({ number }) => !beingBuilt.includes(number));
  const wrong = finished.flatMap(({ number, shown }) =>
    shown
      .split('<br>')
      .map(entry => entry.trim())
      .filter(entry => !isThere(entry) && !isReason(entry))
      .map(entry => `${number}: ${entry}`),
  );
  assert.deepEqual(wrong, []);
});

test('rows that are being built say so, and are no others', () => {
  const unfinished = rows.filter(({ shown }) => shown === 'being built').map(({ number }) => number);
  assert.deepEqual(unfinished, [...beingBuilt]);
});
