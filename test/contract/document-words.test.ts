/** User documents stay short, and the indexes list each of them. */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { readMarkdownFiles } from './markdown.ts';

const maxWordsOfReadme = 900;
/** Limit of all user documents together, except docs/fields.md, which is generated and for reference. */
const maxWordsOfDocs = 20_000;
const generated = 'docs/fields.md';

const files = readMarkdownFiles();
const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const textOf = (path: string): string => files.find(file => file.path === path)?.text ?? '';
const isIn = (folder: string) => (path: string) => posix.dirname(path) === folder;

test(`the README has at most ${maxWordsOfReadme} words`, () => {
  const words = countWords(textOf('README.md'));
  assert.ok(words > 400 && words <= maxWordsOfReadme, String(words));
});

test(`the user documents have at most ${maxWordsOfDocs} words in total`, () => {
  const texts = files.filter(({ path }) => isIn('docs')(path) && path !== generated).map(({ text }) => text);
  const words = countWords(texts.join('\n'));
  assert.ok(texts.length > 15 && words <= maxWordsOfDocs, String(words));
});

for (const [index, folders] of [
  ['docs/README.md', ['docs']],
  ['docs/internals/README.md', ['docs/internals', 'docs/internals/decisions']],
] as const)
  test(`${index} links to every document`, () => {
    const links = [...textOf(index).matchAll(/\]\(([^)#]+)/g)].map(([, to = '']) =>
      posix.join(posix.dirname(index), to),
    );
    const paths = files.map(({ path }) => path).filter(path => folders.some(folder => isIn(folder)(path)));
    assert.ok(paths.length > 5);
    assert.deepEqual(
      paths.filter(path => path !== index && !links.includes(path)),
      [],
    );
  });
