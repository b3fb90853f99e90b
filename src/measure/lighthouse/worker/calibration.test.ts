import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrate, toMultiplier } from './calibration.ts';

test("the multiplier follows the line of Lighthouse's calculator, between its ends", () => {
  const drawn = [
    [10, 1],
    [150, 1],
    [475, 1.5],
    [800, 2],
    [1050, 2.5],
    [1300, 3],
    [1533, 4],
    [1766, 5],
    [2000, 6],
    [2466, 8],
    [4000, 10],
  ];
  for (const [index = 0, multiplier] of drawn) assert.equal(toMultiplier(index), multiplier, `${index}`);
});

test('a faster machine is never slowed down less', () => {
  for (let index = 1; index < 5000; index += 7) assert.ok(toMultiplier(index + 7) >= toMultiplier(index), `${index}`);
});

const never = () => assert.fail('nothing was to be measured');

test('three measurements are enough, and the median of all counts', async () => {
  assert.deepEqual(await calibrate([900, 100, 800], never), { benchmarkIndex: 800, measurements: 3, measured: [] });
  const many = [500, 510, 520, 530, 9000];
  assert.deepEqual(await calibrate(many, never), { benchmarkIndex: 520, measurements: 5, measured: [] });
});

test('missing measurements are made now', async () => {
  const next = [700, 750];
  const measure = async () => next.shift() ?? never();
  assert.deepEqual(await calibrate([600], measure), { benchmarkIndex: 700, measurements: 3, measured: [700, 750] });
});

test('a closed page ends the calibration', async () => {
  await assert.rejects(
    calibrate([], async () => {
      throw new Error('Target closed');
    }),
    /Target closed/,
  );
});
