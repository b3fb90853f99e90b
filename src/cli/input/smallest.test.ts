import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSmallest } from './smallest.ts';

const read = (text: string | undefined) => {
  const faults: string[] = [];
  return { smallest: readSmallest(text, faults), faults };
};

test('points, milliseconds and percent are read in any combination', () => {
  assert.deepEqual(read('3 points'), { smallest: { smallest_points: '3' }, faults: [] });
  assert.deepEqual(read('1 point, 100 ms, 5 %').smallest, {
    smallest_points: '1',
    smallest_ms: '100',
    smallest_percent: '5',
  });
  assert.deepEqual(read(undefined), { smallest: {}, faults: [] });
});

test('a time in one unit alone is exactly that', () => {
  assert.deepEqual(read('100ms').smallest, { smallest_ms: '100', smallest_percent: '0' });
  assert.deepEqual(read('10 percent').smallest, { smallest_percent: '10', smallest_ms: '1' });
});

test('anything else is a fault that says what to write', () => {
  for (const text of ['3', '0 points', '2 s', '101 %', '3 points,', 'ms'])
    assert.match(read(text).faults.join(), /--smallest is .* write points, ms or percent/, text);
});
