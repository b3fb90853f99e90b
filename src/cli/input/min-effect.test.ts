import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMinEffect } from './min-effect.ts';

test('points, milliseconds and percent can be combined', () => {
  assert.deepEqual(readMinEffect('3 points'), { min_effect_points: '3' });
  assert.deepEqual(readMinEffect('1 point, 100 ms, 5 %'), {
    min_effect_points: '1',
    min_effect_ms: '100',
    min_effect_percent: '5',
  });
});

test('an effect in one unit sets only that unit', () => {
  assert.deepEqual(readMinEffect('100ms'), { min_effect_ms: '100', min_effect_percent: '0' });
  assert.deepEqual(readMinEffect('10 percent'), { min_effect_percent: '10', min_effect_ms: '1' });
});

test('an invalid effect is rejected with the valid forms', () => {
  for (const text of ['3', '0 points', '2 s', '101 %', '3 points,', 'ms'])
    assert.throws(() => readMinEffect(text), /must be in points, ms or percent/, text);
});
