/** The README says what is so: its requests and its exit codes. Its command is in readme.long.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helpText } from '../../src/cli/input/help.ts';
import { readMarkdownFiles } from '../contract/markdown.ts';
import { checkExamples, documents, readDocument, readExamples, startDocumented, toRequest } from './examples.ts';

const readme = readDocument('README.md');

test('the README shows each operation with a request and an answer that are real', async t => {
  const paths = new Set(readExamples(readme).map(({ command }) => new URL(toRequest(command).url).pathname));
  for (const path of ['/psi', '/lighthouse', '/compare', '/cache/clear', '/health'])
    assert.ok(paths.has(path), `no example of ${path}`);
  await checkExamples(t, await startDocumented(t), 'README.md');
});

test('every document that shows a request with its answer is tested', () => {
  const withExamples = readMarkdownFiles().filter(({ text }) => readExamples(text).length > 0);
  assert.deepEqual(
    withExamples.map(({ path }) => path),
    [...documents, 'README.md'].toSorted(),
  );
});

test('the README lists the exit codes of --help', () => {
  const listed = [...readme.matchAll(/^\| `(\d+)`(?:, `(\d+)`)? \|/gm)].flatMap(row => row.slice(1));
  const [, ofHelp = ''] = helpText.split('Exit codes');
  const helped = [...ofHelp.matchAll(/^ {2}(\d+) |\((\d+) by/gm)].flatMap(row => row.slice(1));
  assert.deepEqual(listed.filter(Boolean), helped.filter(Boolean));
  assert.ok(helped.length > 4);
});
