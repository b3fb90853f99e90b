import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildCategory, buildLhr, buildRef } from '../../../../test/support/builders/lhr.ts';
import { buildSide } from '../../../../test/support/builders/side.ts';
import { splitPerformance } from './category-points.ts';

const sideOf = (...metricScores: (number | null)[]) => buildSide({ metricScores }).lhr;
const score = fc.integer({ min: 0, max: 100 }).map(percent => percent / 100);
const scores = fc.array(score, { minLength: 5, maxLength: 5 });
const pointsOf = (split: ReturnType<typeof splitPerformance>) =>
  Object.values(split?.metrics ?? {}).map(({ points }) => points);

test('a metric costs its weight times the difference of its scores', () => {
  const split = splitPerformance(sideOf(1, 0.8, 1, 1, 1), sideOf(1, 0.4, 0.5, 1, 1));
  assert.equal(split?.difference, -25);
  assert.deepEqual(split?.metrics.largest_contentful_paint, { weight: 25, psi: 80, lighthouse: 40, points: -10 });
  assert.deepEqual(split?.metrics.total_blocking_time, { weight: 30, psi: 100, lighthouse: 50, points: -15 });
  assert.equal(split?.metrics.speed_index?.points, 0);
  assert.equal(split?.rounding, 0);
});

test("the points of all metrics add up to the difference, within Lighthouse's rounding", () => {
  fc.assert(
    fc.property(scores, scores, (psi, lighthouse) => {
      const split = splitPerformance(sideOf(...psi), sideOf(...lighthouse));
      const sum = pointsOf(split).reduce<number>((total, points) => total + (points ?? 0), 0);
      assert.ok(Math.abs((split?.rounding ?? 9) + sum - (split?.difference ?? 0)) < 0.05);
      assert.ok(Math.abs(split?.rounding ?? 9) <= 1.05);
    }),
  );
});

test('swapping the sides negates every point', () => {
  fc.assert(
    fc.property(scores, scores, (one, other) => {
      const forward = splitPerformance(sideOf(...one), sideOf(...other));
      const backward = splitPerformance(sideOf(...other), sideOf(...one));
      assert.deepEqual(
        pointsOf(backward),
        pointsOf(forward).map(points => 0 - (points ?? 0)),
      );
      assert.equal(backward?.difference, 0 - (forward?.difference ?? 0));
    }),
  );
});

test('a score of zero counts, a missing one has no points', () => {
  const split = splitPerformance(sideOf(0, 1, 1, 1, 1), sideOf(0.5, null, 1, 1, 1));
  assert.deepEqual(split?.metrics.first_contentful_paint, { weight: 10, psi: 0, lighthouse: 50, points: 5 });
  assert.deepEqual(split?.metrics.largest_contentful_paint, { weight: 25, psi: 100, lighthouse: null, points: null });
  assert.deepEqual([split?.difference, split?.rounding], [null, null]);
});

test('without performance on both sides nothing is split', () => {
  assert.equal(splitPerformance(buildLhr(), sideOf(1, 1, 1, 1, 1)), null);
  assert.equal(splitPerformance(sideOf(1, 1, 1, 1, 1), buildLhr()), null);
});

test('sides with different weights use their own', () => {
  const other = sideOf(1, 1, 1, 1, 1);
  const refs = [buildRef('first-contentful-paint', 1), buildRef('total-blocking-time', 1)];
  const psi = { ...other, categories: { performance: buildCategory('performance', refs, 1) } };
  const split = splitPerformance(psi, other);
  assert.equal(split?.difference, 0);
  assert.equal(split?.metrics.first_contentful_paint?.points, -40);
  assert.equal(split?.metrics.largest_contentful_paint?.points, null, 'one side does not count it');
  assert.equal(split?.rounding, null);
});

test('metrics invented by a remote answer stay a short list, and all count', () => {
  const own = sideOf(1, 1, 1, 1, 1);
  const refs = Array.from({ length: 500 }, (_, at) => buildRef(`${at}${'x'.repeat(5000)}`));
  const split = splitPerformance({ ...own, categories: { performance: buildCategory('performance', refs, 1) } }, own);
  assert.equal(Object.keys(split?.metrics ?? {}).length, 20);
  assert.ok(JSON.stringify(split).length < 6000);
  assert.equal(split?.rounding, null);
});
