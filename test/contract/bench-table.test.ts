/** docs/internals/measurement.md contains the figures of bench/results.json, and whether each meets its limit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Results, toTable } from '../../bench/table.ts';
import { projectRoot } from './source-files.ts';

const read = (path: string) => readFileSync(projectRoot + path, 'utf8');

test('the table of the benchmark matches bench/results.json', () => {
  const results = JSON.parse(read('bench/results.json')) as Results;
  assert.ok(results.rows.length > 10);
  assert.ok(read('docs/internals/measurement.md').includes(toTable(results)));
});
