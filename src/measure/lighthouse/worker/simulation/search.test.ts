import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLast, orderByGain, takeHeaviest, toBreakPoint, toCpuAt, toNetworkAt } from './search.ts';

const networks = [
  { rttMs: 10, throughputKbps: 10_000 },
  { rttMs: 100, throughputKbps: 1000 },
  { rttMs: 400, throughputKbps: 100 },
];

test('the last position is found to a thousandth, at either end too', () => {
  assert.equal(
    findLast(() => false),
    null,
  );
  assert.equal(
    findLast(() => true),
    1,
  );
  for (const edge of [0.001, 0.08, 0.5, 0.77, 0.999]) {
    const place = findLast(at => at <= edge) ?? assert.fail();
    assert.ok(place <= edge && edge - place < 0.001, `${place} for ${edge}`);
  }
});

test('a score that recovers on a slower device is not a break point: the first loss counts', () => {
  const place = findLast(at => at < 0.3 || at > 0.6) ?? assert.fail();
  assert.ok(place < 0.3 && place > 0.29);
});

test('cells are devices from 1 to the slowest, and networks in steps, never faster than stated', () => {
  assert.deepEqual([0, 1].map(toCpuAt(20)), [1, 20]);
  assert.deepEqual([0, 0.5, 1].map(toNetworkAt(networks)), networks);
  assert.deepEqual(toNetworkAt(networks)(0.25), { rttMs: 31, throughputKbps: 3163 });
  const found = toBreakPoint(toCpuAt(20), cpu => cpu <= 7.35);
  assert.deepEqual(found, { at: 7.3, isSlowest: false });
  assert.deepEqual(
    toBreakPoint(toCpuAt(20), () => false),
    { at: null, isSlowest: false },
  );
  assert.deepEqual(
    toBreakPoint(toCpuAt(20), () => true),
    { at: 20, isSlowest: true },
  );
});

test('items are in the order of their additions to the previous ones', () => {
  const gains: Record<string, number> = { '': 0, a: 3, b: 5, c: 4, ab: 6, bc: 9, ac: 5, abc: 9 };
  const ordered = orderByGain(
    ['a', 'b', 'c'],
    chosen => gains[chosen.toSorted().join('')] ?? assert.fail(),
    (one, other) => one > other,
  );
  assert.deepEqual(ordered, [
    { item: 'b', after: 5 },
    { item: 'c', after: 9 },
    { item: 'a', after: 9 },
  ]);
  assert.deepEqual(
    orderByGain(
      [],
      () => 0,
      () => true,
    ),
    [],
  );
});

test('the heaviest items are first, whatever their order was', () => {
  assert.deepEqual(
    takeHeaviest([3, 50, 1, 20], weight => weight, 2),
    [50, 20],
  );
});
