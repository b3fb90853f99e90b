import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApart } from './sides.ts';

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
