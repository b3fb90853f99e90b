/** The README's table of figures is the one that the bench wrote, and says of each whether it is met. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isMet, type Results, toTable } from '../../bench/table.ts';
import { readDocument } from './examples.ts';

const results = JSON.parse(readFileSync(new URL('../../bench/results.json', import.meta.url), 'utf8')) as Results;

test('the table in the README is that of bench/results.json', () => {
  assert.ok(readDocument('README.md').includes(toTable(results)));
});

test('a row that misses what is wanted says so', () => {
  for (const row of results.rows) {
    const line = toTable(results)
      .split('\n')
      .find(each => each.startsWith(`| ${row.what} |`));
    assert.equal(line?.endsWith('| yes |'), isMet(row), row.what);
  }
});
