import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFacts, pageUrl } from '../../../../test/support/builders/load-facts.ts';
import { alignNames, isApart } from './sides.ts';

test('sides differ only if all values of one exceed those of the other, with at least five runs a side', () => {
  assert.equal(isApart([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]), true);
  assert.equal(isApart([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]), true);
  assert.equal(isApart([1, 2, 3, 4, 6], [5, 7, 8, 9, 10]), false);
  assert.equal(isApart([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 6), false);
  assert.equal(isApart([1, 2, 3], [6, 7, 8]), false);
  assert.equal(isApart([], [1, 2, 3, 4, 5]), false);
});

test('with ten runs a side, some values may overlap', () => {
  const [low, high] = [0, 20].map(from => Array.from({ length: 10 }, (_, at) => from + at)) as [number[], number[]];
  assert.equal(isApart([...low.slice(1), 25], [...high.slice(1), 5]), true);
  assert.equal(isApart([...low.slice(5), 25, 26, 27, 28, 29], high), false);
  assert.equal(isApart([7, 7, 7, 7, 7], [7, 7, 7, 7, 7]), false);
});

test('a renamed file has its new name on both sides, paired by type and size', () => {
  const load = (files: Parameters<typeof buildFacts>[0]) => [buildFacts(files)];
  const { facts, toNameBefore } = alignNames({
    before: load({
      'a-11112222.js': { type: 'Script', bytes: 1000 },
      'a-33334444.js': { type: 'Script', bytes: 90_000 },
      'a-55556666.css': { type: 'Stylesheet' },
    }),
    after: load({
      'a-77778888.js': { type: 'Script', bytes: 91_000 },
      'a-99990000.js': { type: 'Script', bytes: 1010 },
      'a-0000aaaa.css': { type: 'Image' },
    }),
  });
  const names = (of: typeof facts.before) => Object.keys(of[0]?.files ?? {}).slice(3);
  assert.deepEqual(
    names(facts.before),
    ['a-99990000.js', 'a-77778888.js', 'a-55556666.css'].map(name => pageUrl + name),
  );
  assert.equal(toNameBefore(`${pageUrl}a-77778888.js`), `${pageUrl}a-33334444.js`);
  assert.equal(toNameBefore(pageUrl), pageUrl);
});
