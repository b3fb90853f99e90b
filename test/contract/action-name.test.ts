/** All files name action.yml alike in workflows: with the repository and the major version of the package. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from './source-files.ts';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };
const wanted = `${name}/${name}@v${version.split('.')[0]}`;

const folders = ['demo', 'deploy', 'docs'];
const documents = readdirSync(projectRoot, { withFileTypes: true }).flatMap(entry => {
  if (entry.isFile()) return [entry.name];
  if (!folders.includes(entry.name)) return [];
  return readdirSync(join(projectRoot, entry.name), { recursive: true }).map(path => join(entry.name, String(path)));
});

test('every file names the action by one slug, with the version of the package', () => {
  const named = documents
    .filter(path => /\.(?:md|ya?ml)$/.test(path))
    .flatMap(path =>
      [...read(path).matchAll(new RegExp(`[\\w.-]+/${name}@[\\w.]+`, 'g'))].map(([slug]) => [path, slug]),
    );
  assert.deepEqual(
    named.filter(([, slug]) => slug !== wanted),
    [],
  );
  for (const path of ['README.md', 'docs/ci.md', 'demo/ci/.github/workflows/rangelight.yml'])
    assert.ok(
      named.some(([where]) => where === path),
      `${path} does not name the action`,
    );
});
