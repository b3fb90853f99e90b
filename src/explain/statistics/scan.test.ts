import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shuffle, toRandom } from './random.ts';
import { findStretch, shortestStretch, toRanks } from './scan.ts';

/** Alternates between two levels, so often that only a search of every part finds all of it. */
const toLevels = (length: number, steps: number) => {
  const random = toRandom([length, steps]);
  return Array.from({ length }, (_, at) => 400 * (Math.floor((at * (steps + 1)) / length) % 2) + 100 * random());
};

test('a series without a change has no segment, however long it is', () => {
  const random = toRandom([1]);
  for (const length of [7, 8, 90, 2000, 10_000])
    assert.equal(findStretch(Array.from({ length }, random), random), undefined, String(length));
});

test('a step has the same border with and without shuffles', () => {
  for (const length of [40, 90, 1000, 9000]) {
    const stretch = findStretch(toLevels(length, 1), toRandom([length]));
    assert.ok(stretch);
    const border = stretch.from === 0 ? stretch.to : stretch.from;
    assert.ok(Math.abs(border - length / 2) <= Math.max(1, length / 300), `${length}: ${border}`);
  }
});

test('if chance is excluded, nothing is shuffled and no random number is drawn', () => {
  const draw = () => assert.fail('a shuffle');
  assert.ok(findStretch(toLevels(2000, 1), draw));
  assert.ok(findStretch(toLevels(10_000, 40), draw));
});

test('if chance is not excluded, shuffles decide', () => {
  let draws = 0;
  const random = toRandom([2]);
  const count = () => {
    draws += 1;
    return random();
  };
  assert.ok(findStretch(toLevels(60, 1), count));
  assert.ok(draws > 59);
});

test('no segment is found in ties', () => {
  assert.equal(findStretch(new Array(200).fill(5), toRandom([1])), undefined);
});

/** How clearly the clearest of all stretches differs: each of them looked at. */
function toClearness(ranks: readonly number[]): number {
  const { length } = ranks;
  const mean = (length - 1) / 2;
  let clearest = 0;
  for (let from = 0; from < length; from += 1)
    for (let to = from + shortestStretch; to <= length; to += 1) {
      // A border as near to an end as this would part too few points.
      const isBorder = (at: number) => at % length === 0 || (at >= shortestStretch && at <= length - shortestStretch);
      const outside = length - (to - from);
      if (!isBorder(from) || !isBorder(to) || outside < shortestStretch) continue;
      const sum = ranks.slice(from, to).reduce((total, rank) => total + rank - mean, 0);
      clearest = Math.max(clearest, sum ** 2 / ((to - from) * outside));
    }
  return clearest;
}

test('shuffles decide as if every segment of each were examined', () => {
  for (let series = 0; series < 24; series += 1) {
    const random = toRandom([series]);
    const length = 9 + (series % 14);
    const step = (series % 5) / 2;
    const values = Array.from({ length }, (_, at) => random() + (at > length / 2 ? step : 0));
    const ranks = Float64Array.from(toRanks(values));
    const clearness = toClearness([...ranks]);
    const [shuffled, drawn] = [toRandom([series, 1]), toRandom([series, 1])];
    let isClear = true;
    for (let count = 0; count < 399 && isClear; count += 1)
      isClear = toClearness([...shuffle(ranks, shuffled)]) < clearness - 1e-9;
    assert.equal(findStretch(values, drawn) !== undefined, isClear, String(series));
    // After as many shuffles: both draw the same number next.
    assert.equal(drawn(), shuffled());
  }
});
