import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toFamilyPValues } from './family.ts';

const smallest = () => 50;
const repeat = (value: number, times: number) => Array.from({ length: times }, () => value);
const isNear = (value: number | undefined, wanted: number) => assert.ok(Math.abs((value ?? 1) - wanted) < 1e-9);

test('five runs of each side reach a p-value of 1/126 at best', () => {
  const changed = { values: [1, 2, 3, 4, 5, 901, 902, 903, 904, 905], smallest };
  isNear(toFamilyPValues([changed], 5, 5)[0], 2 / 252);
});

test('three runs of each side reach a p-value of 1/10 at best', () => {
  isNear(toFamilyPValues([{ values: [1, 2, 3, 901, 902, 903], smallest }], 3, 3)[0], 0.1);
});

test('a difference that is too small to matter does not count', () => {
  const small = { values: [...repeat(1000, 5), ...repeat(1049, 5)], smallest };
  assert.deepEqual(toFamilyPValues([small], 5, 5), [1]);
});

test('measures that move together count once, and a noisy one does not weaken a clear change', () => {
  const changed = { values: [...repeat(1000, 5), ...repeat(2000, 5)], smallest };
  const noisy = { values: [100, 900, 350, 700, 120, 640, 810, 90, 480, 260], smallest };
  const [first, second, third] = toFamilyPValues([changed, changed, noisy], 5, 5);
  isNear(first, 2 / 252);
  isNear(second, 2 / 252);
  assert.ok((third ?? 0) > 0.1);
});

test('runs without a value are permuted with the others', () => {
  const values = [null, ...repeat(1000, 5), ...repeat(2000, 5), null];
  assert.ok((toFamilyPValues([{ values, smallest }], 6, 6)[0] ?? 1) < 0.02);
});

test('a p-value is never zero, and swapping the sides does not change it', () => {
  const sample = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(sample, values => {
      const [one] = toFamilyPValues([{ values, smallest }], 4, 4);
      const [other] = toFamilyPValues([{ values: [...values.slice(4), ...values.slice(0, 4)], smallest }], 4, 4);
      assert.ok(one !== undefined && one >= 2 / 70 - 1e-9 && one <= 1);
      isNear(other, one);
    }),
    { numRuns: 50 },
  );
});

test('many runs use a sample of the permutations, the same one each time', () => {
  const values = Array.from({ length: 40 }, (_, at) => (at < 20 ? 1000 : 1300) + ((at * 37) % 90));
  const first = toFamilyPValues([{ values, smallest }], 20, 20);
  isNear(first[0], 1 / 2000);
  assert.deepEqual(toFamilyPValues([{ values, smallest }], 20, 20), first);
});
