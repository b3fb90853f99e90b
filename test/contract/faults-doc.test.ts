/** Every trial in docs/internals/faults.md names test files that exist, and what they show. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readTests } from './named-tests.ts';
import { projectRoot } from './source-files.ts';

const [, ...sections] = readFileSync(`${projectRoot}docs/internals/faults.md`, 'utf8').split(/^## /m);
/** The last section has no number and contains figures. */
const trials = sections.filter(section => /^\d/.test(section));

/** An item: a file, and what its tests show. */
const itemPattern = /^`([^`]+)`: (.+)$/;

const itemsOf = (trial: string) =>
  trial
    .split(/^- /m)
    .slice(1)
    .map(item => {
      const [, file = '', name = ''] = itemPattern.exec(item.trim().replaceAll(/\s*\n\s*/g, ' ')) ?? [];
      return { file, name };
    });

test('every trial describes its fault and its tests', () => {
  assert.deepEqual(
    trials.map(trial => Number.parseInt(trial, 10)),
    trials.map((_, index) => index + 1),
  );
  for (const trial of trials) assert.ok(itemsOf(trial).length > 0, trial);
});

test('the file of every test of a trial exists', () => {
  for (const { file, name } of trials.flatMap(itemsOf))
    assert.ok(readTests(file) !== '' && name.length > 10, `${file}: ${name}`);
});
