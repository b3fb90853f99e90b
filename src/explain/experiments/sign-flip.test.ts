import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRandom } from '../statistics/random.ts';
import { toFewestPairs, toFlipInterval, toPValue, toSubsetMeans } from './sign-flip.ts';

/** By all sign patterns, one after the other. */
function toPValueByPatterns(differences: readonly number[]): number {
  const patterns = 2 ** differences.length;
  const sumOf = (pattern: number) =>
    differences.reduce((sum, value, at) => sum + (pattern & (1 << at) ? -value : value), 0);
  const observed = sumOf(0);
  const sums = Array.from({ length: patterns }, (_, pattern) => sumOf(pattern));
  const asHigh = sums.filter(sum => sum >= observed - 1e-9).length;
  const asLow = sums.filter(sum => sum <= observed + 1e-9).length;
  return Math.min(1, (2 * Math.min(asHigh, asLow)) / patterns);
}

const draw = (seed: number, count: number): number[] => {
  const random = toRandom([seed]);
  return Array.from({ length: count }, () => Math.round(1000 * (random() - 0.3)));
};

test('nine differences of one sign have the smallest p-value, 2/2⁹', () => {
  const means = toSubsetMeans([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(means.length, 511);
  assert.equal(toPValue(means), 2 / 512);
  assert.equal(toPValue(toSubsetMeans([-1, -2, -3, -4, -5, -6, -7, -8, -9])), 2 / 512);
});

test('no difference, and differences of zero, have the p-value 1', () => {
  assert.equal(toPValue(toSubsetMeans([])), 1);
  assert.equal(toPValue(toSubsetMeans([0, 0, 0, 0, 0])), 1);
  assert.equal(toPValue(toSubsetMeans([5, -5])), 1);
});

test('the p-value equals that of all sign patterns', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const differences = draw(seed, 2 + (seed % 8));
    assert.ok(Math.abs(toPValue(toSubsetMeans(differences)) - toPValueByPatterns(differences)) < 1e-12, `${seed}`);
  }
});

test('the interval excludes zero exactly when the p-value reaches the level', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const means = toSubsetMeans(draw(seed, 9));
    for (const level of [0.005, 0.01, 0.02, 0.1]) {
      const [low, high] = toFlipInterval(means, level)?.interval ?? [0, 0];
      assert.equal(low > 1e-9 || high < -1e-9, toPValue(means) <= level, `${seed} at ${level}`);
    }
  }
});

test('the interval contains the mean, and has a lower confidence with too few pairs', () => {
  const found = toFlipInterval(toSubsetMeans([100, 120, 140]), 0.01);
  assert.deepEqual(found, { interval: [100, 140], confidence: 0.75 });
  assert.equal(toFlipInterval(toSubsetMeans([100]), 0.01), undefined);
});

test('a level takes as many pairs as its smallest p-value needs', () => {
  assert.equal(toFewestPairs(2 / 512), 9);
  assert.equal(toFewestPairs(0.005), 9);
  assert.equal(toFewestPairs(0.0033), 10);
  assert.equal(toFewestPairs(0.002), 10);
});
