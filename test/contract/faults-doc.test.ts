/** Every trial in docs/internals/faults.md names test files that exist, and how many of how many runs were correct. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readTests } from './named-tests.ts';
import { projectRoot } from './source-files.ts';

const [, ...sections] = readFileSync(`${projectRoot}docs/internals/faults.md`, 'utf8').split(/^## /m);
/** The last section has no number and contains figures. */
const trials = sections.filter(section => /^\d/.test(section));

/** An item: a file, the number of correct runs, the number of runs, and what the test shows. */
const itemPattern = /^`([^`]+)`, (\d+) of (\d+): (.+)$/;

const itemsOf = (trial: string) =>
  trial
    .split(/^- /m)
    .slice(1)
    .map(item => {
      const [, file = '', right, runs, name = ''] = itemPattern.exec(item.trim().replaceAll(/\s*\n\s*/g, ' ')) ?? [];
      return { file, right: Number(right), runs: Number(runs), name };
    });

test('every trial describes its fault and its tests', () => {
  assert.deepEqual(
    trials.map(trial => Number.parseInt(trial, 10)),
    trials.map((_, index) => index + 1),
  );
  for (const trial of trials) assert.ok(itemsOf(trial).length > 0, trial);
});

test('the file of every test of a trial exists, and it was correct at most as often as it ran', () => {
  for (const { file, right, runs, name } of trials.flatMap(itemsOf)) {
    assert.ok(readTests(file) !== '' && name.length > 10, `${file}: ${name}`);
    assert.ok(runs > 0 && right <= runs, `${file}: ${name}`);
  }
});
