import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RatedMetric, type Rating, toRating } from './thresholds.ts';

/** The least step past a border, so that nothing between the two could go unseen. */
const past = (border: number): number => border * (1 + Number.EPSILON);

const borders: [RatedMetric, number, number][] = [
  ['largest_contentful_paint', 2500, 4000],
  ['cumulative_layout_shift', 0.1, 0.25],
  ['total_blocking_time', 200, 600],
  ['interaction_to_next_paint', 200, 500],
  ['first_contentful_paint', 1800, 3000],
  ['time_to_first_byte', 800, 1800],
];

for (const [metric, good, poor] of borders)
  test(`${metric} is good up to ${good}, poor beyond ${poor}, and a border belongs to the better side`, () => {
    const cases: [number, Rating][] = [
      [0, 'good'],
      [good, 'good'],
      [past(good), 'needs-improvement'],
      [poor, 'needs-improvement'],
      [past(poor), 'poor'],
      [Number.MAX_VALUE, 'poor'],
    ];
    for (const [value, rating] of cases) assert.equal(toRating(metric, value), rating, String(value));
  });
