import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeResult } from '../../../test/web/sample-answers.ts';
import type { Whole } from './read.ts';
import { toScripts, toScriptTotal } from './treemap.ts';

const withNodes = (nodes: unknown): Whole => ({ audits: { 'script-treemap-data': { details: { nodes } } } });
const leaf = (name: string, resourceBytes: number, unusedBytes?: number) => ({ name, resourceBytes, unusedBytes });

test('scripts are listed largest first, with their owner and unused bytes', () => {
  const scripts = toScripts(wholeResult as Whole);
  assert.deepEqual(
    scripts.map(({ name, entity, bytes, transferBytes, unusedBytes }) => [
      name.slice(-10),
      entity,
      bytes,
      transferBytes,
      unusedBytes,
    ]),
    [
      ['a91c0e2.js', undefined, 312_400, 43_200, 184_000],
      ['tides.js', 'Tide Tables Inc.', 121_800, 60_400, 30_000],
      ['timetable', undefined, 2400, 700, undefined],
    ],
  );
  assert.deepEqual(toScriptTotal(scripts), { bytes: 436_600, unusedBytes: 214_000 });
});

test('the modules of a script are its files, by their full paths', () => {
  const [script] = toScripts(wholeResult as Whole);
  assert.deepEqual(
    script?.parts.map(({ name, bytes, unusedBytes }) => [name, bytes, unusedBytes]),
    [
      ['node_modules/chart/index.js', 180_400, 151_000],
      ['src/timetable.ts', 72_000, 13_000],
      ['node_modules/dates/locales.js', 60_000, 20_000],
    ],
  );
});

test('many small modules are combined into one, with their sum', () => {
  const children = Array.from({ length: 30 }, (_, at) => leaf(`${at}.js`, 1000 - at, 10));
  const [script] = toScripts(withNodes([{ ...leaf('https://example.com/a.js', 30_000, 300), children }]));
  assert.equal(script?.parts.length, 13);
  const rest = script?.parts.at(-1);
  assert.deepEqual([rest?.name, rest?.unusedBytes], ['18 smaller ones', 180]);
  assert.equal(
    script?.parts.reduce((sum, { bytes }) => sum + bytes, 0),
    children.reduce((sum, { resourceBytes }) => sum + resourceBytes, 0),
  );
});

test('a document whose inline scripts all ran has nothing unused, and an unmeasured one reports nothing', () => {
  const unusedOf = (children: unknown[]) =>
    toScripts(withNodes([{ ...leaf('https://example.com/', 90), children }]))[0]?.unusedBytes;
  assert.equal(unusedOf([leaf('(inline) a', 50, 0), leaf('(inline) b', 40, 0)]), 0);
  assert.equal(unusedOf([leaf('(inline) a', 50, 0), leaf('(inline) b', 40)]), undefined);
  assert.equal(unusedOf([]), undefined);
});

test('impossible sizes are dropped, and unused bytes never exceed all bytes', () => {
  const scripts = toScripts(
    withNodes([leaf('a', 100, 900), leaf('b', -5), leaf('c', 0), leaf('d', Number.NaN), null, 3]),
  );
  assert.deepEqual(
    scripts.map(({ name, unusedBytes }) => [name, unusedBytes]),
    [['a', 100]],
  );
});

test('an endless tree is cut, and anything else is not a tree', () => {
  const chain = Array.from({ length: 500 }).reduce<object>(
    inner => ({ ...leaf('x', 10), children: [inner] }),
    leaf('end', 10),
  );
  assert.equal(toScripts(withNodes([{ ...leaf('top', 20), children: [chain, leaf('y', 10)] }]))[0]?.parts.length, 2);
  for (const nodes of [undefined, null, 3, 'x', {}, []]) assert.deepEqual(toScripts(withNodes(nodes)), []);
  assert.deepEqual(toScripts({}), []);
});
