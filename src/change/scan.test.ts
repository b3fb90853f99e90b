import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRandom } from './random.ts';
import { findStretch } from './scan.ts';

/** Alternates between two levels, so often that only a search of every part finds all of it. */
const toLevels = (length: number, steps: number) => {
  const random = toRandom([length, steps]);
  return Array.from({ length }, (_, at) => 400 * (Math.floor((at * (steps + 1)) / length) % 2) + 100 * random());
};

test('a series without a change has no stretch, however long it is', () => {
  const random = toRandom([1]);
  for (const length of [7, 8, 90, 2000, 10_000])
    assert.equal(findStretch(Array.from({ length }, random), random), undefined, String(length));
});

test('a step is found with the same border with and without shuffles', () => {
  for (const length of [40, 90, 1000, 9000]) {
    const stretch = findStretch(toLevels(length, 1), toRandom([length]));
    assert.ok(stretch);
    const border = stretch.from === 0 ? stretch.to : stretch.from;
    assert.ok(Math.abs(border - length / 2) <= Math.max(1, length / 300), `${length}: ${border}`);
  }
});

test('where chance is excluded nothing is shuffled: the search draws no random number', () => {
  const draw = () => assert.fail('a shuffle');
  assert.ok(findStretch(toLevels(2000, 1), draw));
  assert.ok(findStretch(toLevels(10_000, 40), draw));
});

test('where it is not, shuffles decide', () => {
  let draws = 0;
  const random = toRandom([2]);
  const count = () => {
    draws += 1;
    return random();
  };
  assert.ok(findStretch(toLevels(60, 1), count));
  assert.ok(draws > 59);
});

test('no stretch is found in ties', () => {
  assert.equal(findStretch(new Array(200).fill(5), toRandom([1])), undefined);
});
