import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { metricNames } from '../contract/names.ts';
import { rate } from '../contract/result/thresholds.ts';
import { rateScore, toScale } from './metric-range.ts';
import { metricWords, otherMetrics, scoredMetrics } from './words.ts';

test('every metric has its description and is shown once', () => {
  assert.deepEqual(Object.keys(metricWords).toSorted(), [...metricNames].toSorted());
  assert.deepEqual([...scoredMetrics, ...otherMetrics].toSorted(), [...metricNames].toSorted());
});

test('a value on a threshold has the better rating', () => {
  assert.deepEqual(
    [0, 2500, 2501, 4000, 4001].map(value => rate(value, [2500, 4000])),
    ['good', 'good', 'needs-improvement', 'needs-improvement', 'poor'],
  );
  assert.deepEqual([100, 90, 89, 50, 49, 0].map(rateScore), [
    'good',
    'good',
    'needs-improvement',
    'needs-improvement',
    'poor',
    'poor',
  ]);
});

test('a scale is linear, shows both thresholds, and marks values beyond it', () => {
  const { good, poor, place } = toScale([2000, 4000]);
  assert.deepEqual([good, poor], [33.33, 66.67]);
  assert.deepEqual(place(0), { percent: 0, isBeyond: false });
  assert.deepEqual(place(6000), { percent: 100, isBeyond: false });
  assert.deepEqual(place(6001), { percent: 100, isBeyond: true });
});

test('a value lies in the zone of its rating', () => {
  const thresholds = fc
    .tuple(fc.integer({ min: 10, max: 5000 }), fc.integer({ min: 10, max: 5000 }))
    .map(([a, b]) => [a, a + b] as const);
  fc.assert(
    fc.property(thresholds, fc.double({ min: 0, max: 20_000, noNaN: true }), (pair, value) => {
      const { good, poor, place } = toScale(pair);
      const { percent } = place(value);
      const rating = rate(value, pair);
      if (rating === 'good') assert.ok(percent <= good);
      else if (rating === 'poor') assert.ok(percent >= poor);
      else assert.ok(percent >= good && percent <= poor);
    }),
  );
});
