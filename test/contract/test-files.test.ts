/**
 * `npm test` and `npm run test:long` together run every test file once: in its own process, or with other files in one.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectRoot } from './source-files.ts';

const read = (path: string): string => readFileSync(projectRoot + path, 'utf8');
const find = (patterns: readonly string[]): string[] => globSync(patterns, { cwd: projectRoot });
const quoted = (text: string): string[] =>
  [...text.matchAll(/(?<=[\s'])([^\s']*\.test\.ts)/g)].map(([, pattern = '']) => pattern);

test('every test file is run once', () => {
  const { test, 'test:long': long } = JSON.parse(read('package.json')).scripts;
  const started = [test, long].flatMap(script => find(quoted(script)));
  const groups = started.map(read).filter(text => text.includes('await importTests('));
  const imported = groups.flatMap(text => find(quoted(text)));
  assert.ok(groups.length > 1 && imported.length > 100);
  const all = find(['src/**/*.test.ts', 'test/**/*.test.ts']);
  assert.deepEqual([...started, ...imported].toSorted(), all.toSorted());
});
