/** docs/internals/acceptance.md: every entry names tests that exist, or says why there is none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hasTest, readTests } from './named-tests.ts';
import { projectRoot } from './source-files.ts';

const entryCount = 56;

/** Lines of a paragraph or of a list item as one. */
const joinLines = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');

/** `## 12. What goes wrong`, what the service then does, and a list of what shows it. */
const toEntry = (section: string) => {
  const [, number = '', wrong = '', body = ''] = /^(\d+)\. ([^\n]+)\n([\s\S]*)$/.exec(section) ?? [];
  const [answer = '', ...items] = body.split(/^- /m);
  return { number: Number(number), wrong, answer: joinLines(answer), shown: items.map(joinLines) };
};

const [, ...sections] = readFileSync(`${projectRoot}docs/internals/acceptance.md`, 'utf8').split(/^## /m);
const entries = sections.map(toEntry);

/** `test/http/keys.test.ts`, a colon, and the name of a test in it or the faults that are audited there. */
const isThere = (item: string): boolean => {
  const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(item) ?? [];
  const text = readTests(file);
  const [, faults] = /^audits of (.+)$/.exec(name) ?? [];
  if (faults === undefined) return hasTest(text, name);
  return text.includes('auditEach(') && faults.split(', ').every(fault => text.includes(`'${fault}'`));
};

/** With a reason worth the name. */
const isReason = (item: string): boolean => /^Not tested: .{20,}$/.test(item);

test('the page has every entry once, in order, with the behaviour of the service', () => {
  assert.deepEqual(
    entries.map(({ number }) => number),
    Array.from({ length: entryCount }, (_, index) => index + 1),
  );
  for (const { number, wrong, answer, shown } of entries) {
    assert.ok(wrong.length > 10 && answer.length > 10, String(number));
    assert.ok(shown.length > 0, String(number));
  }
});

test('every entry names existing tests, or the reason why it has none', () => {
  const missing = entries.flatMap(({ number, shown }) =>
    shown.filter(item => !isThere(item) && !isReason(item)).map(item => `${number}: ${item}`),
  );
  assert.deepEqual(missing, []);
});
