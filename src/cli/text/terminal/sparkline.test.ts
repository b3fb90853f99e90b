import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSparkline } from '../history-text.ts';

test('the scale runs from zero to the given top, so that small differences look small', () => {
  assert.equal(toSparkline([0, 100, 50], 10, 100), '▁█▅');
  assert.equal(toSparkline([95, 96, 95], 10, 100), '███');
  assert.equal(toSparkline([5, 5, 5], 10, 5), '███');
  assert.equal(toSparkline([0], 10, 0), '▁');
});

test('more values than columns are combined, and the last ones are not lost', () => {
  assert.equal(
    toSparkline(
      Array.from({ length: 100 }, (_, at) => at),
      8,
      100,
    ),
    '▁▂▃▄▅▆▇█',
  );
  assert.equal(
    [
      ...toSparkline(
        Array.from({ length: 10_000 }, (_, at) => at % 7),
        60,
        7,
      ),
    ].length,
    60,
  );
});

test('no values give no line', () => {
  assert.equal(toSparkline([], 10, 100), '');
});
