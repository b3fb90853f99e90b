import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFacts } from '../../../../test/support/builders/load-facts.ts';
import type { FileFacts } from '../../../contract/result/load-facts.ts';
import { toFileChanges } from './file-changes.ts';

const five = (files: Readonly<Record<string, Partial<FileFacts>>> = {}) => [0, 1, 2, 3, 4].map(() => buildFacts(files));
const told = (
  ...sides: [Parameters<typeof toFileChanges>[0]['before'], Parameters<typeof toFileChanges>[0]['after']]
) => toFileChanges({ before: sides[0], after: sides[1] }).map(({ kind, url }) => `${kind} ${url.split('/').at(-1)}`);

test('the same files are no change', () => {
  assert.deepEqual(told(five(), five()), []);
  assert.deepEqual(told(five(), five({ 'hero.png': { bytes: 20_900, resourceBytes: 20_900 } })), []);
});

test('added, removed, larger and differently compressed files are changes', () => {
  assert.deepEqual(told(five(), five({ 'tag.js': { type: 'Script' } })), ['added tag.js']);
  assert.deepEqual(told(five({ 'tag.js': { type: 'Script' } }), five()), ['removed tag.js']);
  assert.deepEqual(told(five(), five({ 'hero.png': { bytes: 420_000, resourceBytes: 420_000 } })), ['size hero.png']);
  assert.deepEqual(told(five(), five({ 'hero.png': { bytes: 420_000 } })), ['packed hero.png']);
});

test('text that compresses well counts by its size, and a redirect by its requests', () => {
  const grown = { type: 'Document', bytes: 20_300, resourceBytes: 60_000 };
  assert.deepEqual(told(five(), five({ '': grown })), ['size ']);
  const redirected = { type: 'Document', bytes: 20_300, requests: 2 };
  assert.deepEqual(told(five(), five({ '': redirected })), ['requests ']);
});

test('the same script with a different CPU time in every run is a change', () => {
  assert.deepEqual(told(five(), five({ 'app.js': { type: 'Script', cpuMs: 400 } })), ['work app.js']);
  assert.deepEqual(told(five(), five({ 'app.js': { type: 'Script', cpuMs: 110 } })), []);
});

test('one run a side shows which files changed, but not how long they take', () => {
  assert.deepEqual(told([buildFacts()], [buildFacts({ 'tag.js': {} })]), ['added tag.js']);
  assert.deepEqual(told([buildFacts()], [buildFacts({ 'app.js': { type: 'Script', cpuMs: 400 } })]), []);
});

test('a file in only some loads is not a change', () => {
  const some = [...five().slice(2), buildFacts({ 'ad.js': {} }), buildFacts({ 'ad.js': {} })];
  assert.deepEqual(told(five(), some), []);
});

test('the change with the largest effect is first', () => {
  const after = five({ 'small.png': { bytes: 5000 }, 'hero.png': { bytes: 420_000, resourceBytes: 420_000 } });
  assert.deepEqual(told(five(), after), ['size hero.png', 'added small.png']);
});

test('CPU times are compared for the same CPU speed', () => {
  const slower = five({ 'app.js': { type: 'Script', cpuMs: 200 } });
  const changes = toFileChanges({ before: five(), after: slower }, { before: five().map(() => 2), after: [] });
  assert.deepEqual(changes, []);
});
