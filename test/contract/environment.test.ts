/** Only the listed files read the environment: for settings, and for the environment of child processes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSourceFiles } from './source-files.ts';

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
const filesWith = (pattern: RegExp) =>
  readSourceFiles()
    .filter(({ text }) => pattern.test(withoutComments(text)))
    .map(({ path }) => path);

test('process.env is read only for settings and for the environment of children', () => {
  const readers = [
    'measure/lighthouse/worker/browser.ts',
    'measure/lighthouse/worker-processes/worker-process.ts',
    'service/main.ts',
    'settings/settings.ts',
    'cli/start.ts',
  ];
  const found = filesWith(/process\s*(\?\.|\.|\[\s*['"])env\b|\benv\b[^;]*from 'node:process'/);
  assert.deepEqual(
    found.filter(path => !readers.includes(path)),
    [],
  );
});

test('only the process itself ends the process', () => {
  const found = filesWith(/process\.(exit|abort)\b/);
  // The worker is a separate process.
  assert.deepEqual(found, ['cli/start.ts', 'measure/lighthouse/worker/worker.ts', 'service/main.ts']);
});

test('an error becomes a Problem in one place', () => {
  assert.deepEqual(filesWith(/urn:rangelight:/), ['contract/problem.ts']);
});
