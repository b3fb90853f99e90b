/**
 * `node build/documents/habits.ts [FOLDER]` counts how often the sentences of a checkout have the habits listed in
 * docs/internals/language.md. It counts matches, not faults: some matches are correct.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? '.';

const read = (pattern: string): string =>
  globSync(pattern, { cwd: root, exclude: path => /node_modules|\.git$/.test(path) })
    .map(path => readFileSync(join(root, path), 'utf8'))
    .join('\n');

const source = read('src/**/!(*.test).ts');
const tests = read('{src,test}/**/*.test.ts') + read('test/**/*.long.ts');

const withoutBlocks = (markdown: string): string => markdown.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, '');

/** Text by kind. Only strings with a space count: others are names. */
const texts = {
  strings: [
    ...source
      .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
      .matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)* (?:(?!\1)[^\\\n]|\\.)*)\1/g),
  ]
    .map(([, , text = '']) => text)
    .join('\n'),
  comments: [...source.matchAll(/\/\*\*?([\s\S]*?)\*\/|\/\/ (.*)/g)]
    .map(([, block, line]) => (block ?? line ?? '').replaceAll(/^\s*\* ?/gm, '').trim())
    .join('\n'),
  'user documents': withoutBlocks(read('README.md') + read('docs/*.md')),
  internals: withoutBlocks(read('docs/{internals,decisions}/**/*.md')),
  'test names': [...tests.matchAll(/test\(\s*['"`]([^'"`]+)/g)].map(([, name = '']) => name).join('\n'),
};

const habits: Readonly<Record<string, RegExp>> = {
  'begins with What, Of, Where, That, Nothing, So': /(?:^|[.:;!?] )(?:What|Of|Where|That|Nothing|So) /gm,
  'kept, keep, keeps': /\b(?:kept|keeps?)\b/gi,
  'address, addresses': /\baddress(?:es)?\b/gi,
  'tell, told, say, says, said, hold, holds': /\b(?:tells?|told|says?|said|holds?)\b/gi,
  beside: /\bbeside\b/gi,
  'nobody, somebody, anew': /\b(?:nobody|somebody|anew)\b/gi,
  'remote side, this side, embedded or remote analyser':
    /\b(?:remote side|this side|embedded analyser|remote analyser)\b/gi,
};

const names = Object.keys(texts);
console.log(`| Habit | ${names.join(' | ')} |\n|---|${names.map(() => '--:').join('|')}|`);
for (const [habit, pattern] of Object.entries(habits))
  console.log(
    `| ${habit} | ${Object.values(texts)
      .map(text => [...text.matchAll(pattern)].length)
      .join(' | ')} |`,
  );
