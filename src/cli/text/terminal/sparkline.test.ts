import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSparkline } from '../history-text.ts';

test('the lowest value is the lowest block, the highest the highest', () => {
  assert.equal(toSparkline([0, 7, 3.5], 10), '▁█▅');
  assert.equal(toSparkline([95, 96, 95], 10), '▁█▁');
});

test('values that are all the same are a line in the middle', () => {
  assert.equal(toSparkline([5, 5, 5], 10), '▄▄▄');
  assert.equal(toSparkline([0], 10), '▄');
});

test('more values than columns are squeezed, and none is lost at the end', () => {
  assert.equal(
    toSparkline(
      Array.from({ length: 100 }, (_, at) => at),
      8,
    ),
    '▁▂▃▄▅▆▇█',
  );
  assert.equal(
    [
      ...toSparkline(
        Array.from({ length: 10_000 }, (_, at) => at % 7),
        60,
      ),
    ].length,
    60,
  );
});

test('no value is no line', () => {
  assert.equal(toSparkline([], 10), '');
});
