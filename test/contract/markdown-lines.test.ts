/** Markdown sources are readable in a terminal and in a review: lines are short, including tables and code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarkdownFiles } from './markdown.ts';

const maxCharacters = 120;

test('every line of every Markdown file has at most 120 characters', () => {
  const long = readMarkdownFiles().flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const { length } = [...line];
      return length > maxCharacters ? [`${path}:${index + 1} has ${length}`] : [];
    }),
  );
  assert.deepEqual(long, []);
});

test('no line of a Markdown file ends with spaces', () => {
  const wrong = readMarkdownFiles().flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (/\s$/.test(line) ? [`${path}:${index + 1}`] : [])),
  );
  assert.deepEqual(wrong, []);
});
