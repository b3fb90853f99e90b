/** The table of docs/operations.md: every fault in it is shown by tests that exist, or says why it cannot be. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readTableRows } from './markdown.ts';
import { projectRoot } from './source-files.ts';

const rowCount = 44;

const [, section = ''] = readFileSync(`${projectRoot}docs/operations.md`, 'utf8').split(/^## Acceptance$/m);
const rows = readTableRows(section).map(([number, fault = '', answer = '', shown = '']) => ({
  number: Number(number),
  fault,
  answer,
  shown,
}));

const readTest = (file: string): string =>
  file.endsWith('.test.ts') && existsSync(projectRoot + file) ? readFileSync(projectRoot + file, 'utf8') : '';

/** A test may be one of several made by a loop, with a part of its name in braces. */
const hasTest = (text: string, name: string): boolean =>
  [`test('${name}',`, `test("${name}",`].some(start => text.includes(start)) ||
  [...text.matchAll(/test\(`([^`]+)`,/g)].some(([, template = '']) =>
    new RegExp(
      `^${template
        .split(/\$\{[^}]*\}/)
        .map(part => part.replace(/[^\w ]/g, '\\$&'))
        .join('.+')}$`,
    ).test(name),
  );

/** `test/api/keys.test.ts` followed by the name of a test in it, or by the faults that are audited there. */
const isThere = (entry: string): boolean => {
  const [, file = '', name = ''] = /^`([^`]+)` (.+)$/.exec(entry) ?? [];
  const text = readTest(file);
  const [, faults] = /^audits of (.+)$/.exec(name) ?? [];
  if (faults === undefined) return hasTest(text, name);
  return text.includes('auditEach(') && faults.split(', ').every(fault => text.includes(`'${fault}'`));
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
  const wrong = rows.flatMap(({ number, shown }) =>
    shown
      .split('<br>')
      .map(entry => entry.trim())
      .filter(entry => !isThere(entry) && !isReason(entry))
      .map(entry => `${number}: ${entry}`),
  );
  assert.deepEqual(wrong, []);
});
