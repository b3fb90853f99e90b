import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMinEffect } from './min-effect.ts';

const read = (text: string | undefined) => {
  const faults: string[] = [];
  return { minEffect: readMinEffect(text, faults), faults };
};

test('points, milliseconds and percent can be combined', () => {
  assert.deepEqual(read('3 points'), { minEffect: { min_effect_points: '3' }, faults: [] });
  assert.deepEqual(read('1 point, 100 ms, 5 %').minEffect, {
    min_effect_points: '1',
    min_effect_ms: '100',
    min_effect_percent: '5',
  });
  assert.deepEqual(read(undefined), { minEffect: {}, faults: [] });
});

test('an effect in one unit sets only that unit', () => {
  assert.deepEqual(read('100ms').minEffect, { min_effect_ms: '100', min_effect_percent: '0' });
  assert.deepEqual(read('10 percent').minEffect, { min_effect_percent: '10', min_effect_ms: '1' });
});

test('an invalid effect is rejected with the valid forms', () => {
  for (const text of ['3', '0 points', '2 s', '101 %', '3 points,', 'ms'])
    assert.match(read(text).faults.join(), /--min-effect must be in points, ms or percent/, text);
});
