import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWaterfall } from './waterfall.ts';

const split = {
  difference: -26,
  rounding: 0.4,
  metrics: {
    total_blocking_time: { points: -25.9 },
    largest_contentful_paint: { points: -1 },
    cumulative_layout_shift: { points: 0.5 },
    speed_index: { points: 0.01 },
    first_contentful_paint: { points: null },
  },
};

test('the steps lead from one score to the other, largest first, rounding last', () => {
  const waterfall = toWaterfall(split, 74);
  assert.deepEqual(
    waterfall?.steps.map(({ label, points }) => [label, points]),
    [
      ['Total Blocking Time', -25.9],
      ['Largest Contentful Paint', -1],
      ['Cumulative Layout Shift', 0.5],
      ['Rounding', 0.4],
    ],
  );
  assert.equal(waterfall?.steps.at(-1)?.to.toFixed(6), '48.000000');
  assert.deepEqual(
    waterfall?.steps.map(({ from }) => from.toFixed(1)),
    ['74.0', '48.1', '47.1', '47.6'],
  );
});

test('the drawing spans only the scores involved', () => {
  const { low, high } = toWaterfall({ metrics: { x: { points: -2 } } }, 100) ?? {};
  assert.deepEqual([low, high], [95, 100]);
});

test('nothing is drawn that the service did not report', () => {
  for (const given of [
    undefined,
    null,
    {},
    { metrics: {} },
    { metrics: { x: { points: null } } },
    { metrics: { x: undefined } },
  ])
    assert.equal(toWaterfall(given, 74), undefined);
  assert.equal(toWaterfall(split, null), undefined);
});
