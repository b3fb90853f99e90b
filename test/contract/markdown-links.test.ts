/** Everything that documents name exists: files and headings in links, files in backticks, scripts of `npm run`. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { readMarkdownFiles, withoutCodeBlocks } from './markdown.ts';
import { projectRoot } from './source-files.ts';

const files = readMarkdownFiles();
const exists = (path: string): boolean => existsSync(`${projectRoot}${path}`);

/** The anchor that GitHub generates for a heading. */
const toAnchor = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (path: string): Set<string> => {
  const text = withoutCodeBlocks(readFileSync(`${projectRoot}${path}`, 'utf8'));
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => toAnchor(heading.trim())));
};

/** Relative links of a text, resolved from its folder to the root. */
const linksOf = ({ path, text }: (typeof files)[number]) =>
  [...withoutCodeBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/i.test(target))
    .map(target => {
      const [file = '', anchor] = target.split('#', 2);
      return { link: `${path}: ${target}`, anchor, to: file === '' ? path : posix.join(posix.dirname(path), file) };
    });

test('every relative link leads to a file and a heading that exist', () => {
  const links = files.flatMap(linksOf);
  assert.ok(links.length > 20);
  const dead = links.filter(({ to, anchor }) => !exists(to) || (anchor !== undefined && !anchorsOf(to).has(anchor)));
  assert.deepEqual(
    dead.map(({ link }) => link),
    [],
  );
});

/** Top-level folders that documents name. */
const topFolders = 'src|test|docs|bench|demo|bin|build|\\.ci';
/** Whether the whole word is a path, such as `src/http/app.ts`, `docs/` or `test/faults/*.test.ts`. */
const isPath = (word: string): boolean => new RegExp(`^(${topFolders})/[\\w./*-]*$`).test(word);
/** Whether the word is the bare name of a source file, such as `audit-queue.ts`. */
const isSourceName = (word: string): boolean => /^[\w-]+(\.[\w-]+)*\.ts$/.test(word);

const sourceNames = new Set(
  globSync(`{src,test,bench,demo,build}/**/*.ts`, { cwd: projectRoot }).map(path => posix.basename(path)),
);
const isThere = (word: string): boolean => {
  if (isSourceName(word)) return sourceNames.has(word);
  const pattern = word.replaceAll(/NAME|METHOD/g, '*');
  return pattern.includes('*') ? globSync(pattern, { cwd: projectRoot }).length > 0 : exists(pattern);
};

/** Words in backticks, and paths in code blocks, such as the map of the project. */
const wordsOf = (text: string): string[] => {
  const prose = [...withoutCodeBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
  const blocks = [...text.matchAll(/^```(?:text)?\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.split(/[\s,;()]+/),
  );
  return [...prose.filter(word => isPath(word) || isSourceName(word)), ...blocks.filter(isPath)];
};

test('every source path that a document names exists', () => {
  const named = files.flatMap(({ path, text }) => wordsOf(text).map(word => ({ path, word })));
  assert.ok(named.length > 50);
  assert.deepEqual(
    named.filter(({ word }) => !isThere(word)).map(({ path, word }) => `${path}: ${word}`),
    [],
  );
});

test('every document that the code names exists', () => {
  const paths = globSync('{src,test,bench,demo,build,bin,deploy}/**/*.{ts,js,yaml,service}', { cwd: projectRoot });
  const named = paths.flatMap(path =>
    [...readFileSync(`${projectRoot}${path}`, 'utf8').matchAll(/(?<![\w./])(?:docs\/[\w/-]+|[A-Z]{4,})\.md\b/g)].map(
      ([word]) => ({ path, word }),
    ),
  );
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter(({ word }) => !exists(word)).map(({ path, word }) => `${path}: ${word}`),
    [],
  );
});

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync(`${projectRoot}package.json`, 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = files.flatMap(({ path, text }) =>
    [...text.matchAll(/npm run (?:--silent )?([a-z][a-z:-]*[a-z])/g)].map(([, name = '']) => ({ path, name })),
  );
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter(({ name }) => !Object.hasOwn(scripts, name)).map(({ path, name }) => `${path}: npm run ${name}`),
    [],
  );
});
