/** Requests of the README, and the requests and exit codes that the documents show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHelp } from '../../src/cli/input/help.ts';
import { readMarkdownFiles } from '../contract/markdown.ts';
import { checkExamples, documents, readDocument, readExamples, startDocumented, toRequest } from './examples.ts';

test('the README shows a comparison with a real answer', async t => {
  await checkExamples(t, await startDocumented(t), 'README.md');
});

test('the documents show requests of the main operations with their answers', () => {
  const examples = ['README.md', ...documents].flatMap(path => readExamples(readDocument(path)));
  const paths = new Set(examples.map(({ command }) => new URL(toRequest(command).url).pathname));
  for (const path of ['/psi', '/lighthouse', '/compare', '/cache/clear', '/health'])
    assert.ok(paths.has(path), `no example of ${path}`);
});

test('every document that shows a request with its answer is tested', () => {
  const withExamples = readMarkdownFiles().filter(({ text }) => readExamples(text).length > 0);
  assert.deepEqual(
    withExamples.map(({ path }) => path),
    [...documents, 'README.md'].toSorted(),
  );
});

test('docs/command-line.md lists the exit codes of --help', () => {
  const rows = readDocument('docs/command-line.md').matchAll(/^\| `(\d+)`(?:, `(\d+)`)? \|/gm);
  const listed = [...rows].flatMap(row => row.slice(1));
  const [, ofHelp = ''] = toHelp('measure').split('Exit codes');
  const helped = [...ofHelp.matchAll(/^ {2}(\d+) |\((\d+) by/gm)].flatMap(row => row.slice(1));
  assert.deepEqual(listed.filter(Boolean), helped.filter(Boolean));
  assert.ok(helped.length > 4);
});
