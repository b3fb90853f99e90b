/** Every entry of docs/internals/acceptance.md names test files that exist, or a reason why there are none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readTests } from './named-tests.ts';
import { projectRoot } from './source-files.ts';

const entryCount = 56;

/** Joins the lines of a paragraph or a list item. */
const joinLines = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');

/** A section: the heading `## 12. What goes wrong`, the behavior of the service, and a list of tests. */
const toEntry = (section: string) => {
  const [, number = '', wrong = '', body = ''] = /^(\d+)\. ([^\n]+)\n([\s\S]*)$/.exec(section) ?? [];
  const [answer = '', ...items] = body.split(/^- /m);
  return { number: Number(number), wrong, answer: joinLines(answer), shown: items.map(joinLines) };
};

const [, ...sections] = readFileSync(`${projectRoot}docs/internals/acceptance.md`, 'utf8').split(/^## /m);
const entries = sections.map(toEntry);

/** An item: `test/http/keys.test.ts`, a colon, and what its tests show or the faults that it audits. */
const isThere = (item: string): boolean => {
  const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(item) ?? [];
  const text = readTests(file);
  const [, faults] = /^audits of (.+)$/.exec(name) ?? [];
  if (faults === undefined) return text !== '' && name.length > 10;
  return text.includes('auditEach(') && faults.split(', ').every(fault => text.includes(`'${fault}'`));
};

/** A reason has at least 20 characters. */
const isReason = (item: string): boolean => /^Not tested: .{20,}$/.test(item);

test("the page has every entry once, in order, with the service's behavior", () => {
  assert.deepEqual(
    entries.map(({ number }) => number),
    Array.from({ length: entryCount }, (_, index) => index + 1),
  );
  for (const { number, wrong, answer, shown } of entries) {
    assert.ok(wrong.length > 10 && answer.length > 10, String(number));
    assert.ok(shown.length > 0, String(number));
  }
});

test('every entry names existing test files and what they show, or the reason why it has none', () => {
  const missing = entries.flatMap(({ number, shown }) =>
    shown.filter(item => !isThere(item) && !isReason(item)).map(item => `${number}: ${item}`),
  );
  assert.deepEqual(missing, []);
});
