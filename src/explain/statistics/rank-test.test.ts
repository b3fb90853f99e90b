import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSorted } from '../../presentation/values.ts';
import { toRandom } from './random.ts';
import { normalTail, toAllowance, toDifferenceAt } from './rank-test.ts';

test("the number of inverted pairs allowed equals that in Mann and Whitney's tables, two-sided at 2 %", () => {
  const table: [number, number, number][] = [
    [5, 5, 1],
    [6, 6, 3],
    [7, 7, 6],
    [8, 8, 9],
    [10, 10, 19],
    [12, 12, 31],
    [5, 10, 6],
  ];
  for (const [first, second, pairs] of table) assert.equal(toAllowance(first, second, 0.98).pairs, pairs);
});

test('the confidence reached is reported: three runs of each side give at most 90 %', () => {
  const { pairs, confidence } = toAllowance(3, 3, 0.98);
  assert.equal(pairs, -1);
  assert.ok(Math.abs(confidence - 0.9) < 1e-12);
  assert.ok(Math.abs(toAllowance(5, 5, 0.98).confidence - (1 - 4 / 252)) < 1e-12);
});

test('the approximation for large samples is conservative, by three pairs at most', () => {
  for (const [size, pairs] of [
    [13, 39],
    [15, 56],
    [20, 114],
  ] as const)
    assert.ok([0, 1, 2, 3].includes(pairs - toAllowance(size, size, 0.98).pairs));
  assert.ok(Math.abs(normalTail(1.959964) - 0.025) < 1e-6);
});

test('the difference at a rank equals that in a list of all pairs', () => {
  const random = toRandom([7]);
  for (let round = 0; round < 300; round += 1) {
    const isRounded = round % 3 === 0;
    const draw = (size: number) =>
      toSorted(Array.from({ length: size }, () => (isRounded ? Math.round(6 * random()) : 3000 * random() - 1500)));
    const samples = [draw(1 + Math.floor(12 * random())), draw(1 + Math.floor(12 * random()))] as const;
    const [first, second] = samples;
    const all = toSorted(first.flatMap(before => second.map(after => after - before)));
    assert.deepEqual(
      all.map((_, place) => toDifferenceAt(samples, place)),
      all,
    );
  }
});
