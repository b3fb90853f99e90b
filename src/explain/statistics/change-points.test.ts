import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type SimulatedHistory,
  type Stretch,
  simulatedHistories,
  simulateHistory,
} from '../../../test/support/builders/simulated-series.ts';
import { findChangePoints } from './change-points.ts';
import { type Random, toRandom } from './random.ts';
import { defaultSmallestEffects } from './smallest-effect.ts';

const days = 90;
const options = { direction: 'lower_is_better', smallestEffect: defaultSmallestEffects.time } as const;
const toPoints = (values: readonly (number | null)[]) => values.map((value, time) => ({ time, value }));
const indexesOf = (values: readonly number[]) => findChangePoints(toPoints(values), options).map(({ index }) => index);

const toStep = (random: Random): Stretch => ({ from: 10 + Math.floor(random() * 71), to: days });

test('a step is dated with its medians, size and interval', () => {
  const random = toRandom([1]);
  const stretch = { from: 60, to: days };
  const values = simulateHistory(simulatedHistories['quiet FCP +100'], { runs: 1, stretch, random });
  const [found, ...more] = findChangePoints(toPoints(values), options);
  assert.deepEqual(more, []);
  assert.deepEqual([found?.index, found?.time, found?.previous_time, found?.status], [60, 60, 59, 'worse']);
  assert.ok(found && Math.abs(found.difference - 100) < 15);
  assert.ok(found.interval[0] <= found.difference && found.difference <= found.interval[1]);
  assert.ok(found.interval[0] > 80 && found.interval[1] < 120 && found.confidence >= 0.98);
});

test('gaps count in the index, and the two points around the change are named', () => {
  const values = Array.from({ length: 40 }, (_, at) => (at >= 18 && at < 25 ? null : at < 20 ? 1000 + at : 1400 + at));
  const points = toPoints(values).map(({ time, value }) => ({
    time: new Date(time * 86_400_000).toISOString(),
    value,
  }));
  const [found] = findChangePoints(points, options);
  assert.equal(found?.index, 25);
  assert.deepEqual([found?.previous_time, found?.time], ['1970-01-18T00:00:00.000Z', '1970-01-26T00:00:00.000Z']);
});

test('a change and its reversal are found', () => {
  const random = toRandom([2]);
  const stretch = { from: 40, to: 50 };
  const values = simulateHistory(simulatedHistories['usual LCP +300'], { runs: 1, stretch, random });
  const found = findChangePoints(toPoints(values), options);
  assert.deepEqual(
    found.map(({ status }) => status),
    ['worse', 'better'],
  );
  assert.ok(found.every(({ index }, at) => Math.abs(index - (at === 0 ? 40 : 50)) <= 1));
});

test('nothing is found in series that are empty, short, constant, or have a single outlier', () => {
  const constant = Array.from({ length: days }, () => 1200);
  assert.deepEqual(indexesOf([]), []);
  assert.deepEqual(indexesOf([1, 2000, 1, 2000, 1]), []);
  assert.deepEqual(indexesOf(constant), []);
  assert.deepEqual(indexesOf(constant.with(50, 9000)), []);
  assert.deepEqual(findChangePoints(toPoints([null, null]), options), []);
});

test('steps too small to matter are not found, and every larger one between constants is', () => {
  const step = (size: number) => Array.from({ length: days }, (_, at) => (at < 30 ? 1200 : 1200 + size));
  assert.deepEqual(indexesOf(step(40)), []);
  assert.deepEqual(indexesOf(step(80)), [30]);
  assert.deepEqual(indexesOf(step(-80)), [30]);
});

const scoreOptions = { direction: 'higher_is_better', smallestEffect: defaultSmallestEffects.score } as const;
const inScores = (values: readonly number[]) =>
  findChangePoints(toPoints(values), scoreOptions).map(({ index }) => index);
/** Scores of a quiet page, which drop by `size` after `before` points. */
const drop = (before: number, after: number, size: number) =>
  Array.from({ length: before + after }, (_, at) => 99 + ((at * 37) % 5) / 4 - (at < before ? 0 : size + (at % 3)));

test('a large step is found two points after it, stays at every later look, and keeps its place', () => {
  for (const before of [4, 5, 8, 30])
    for (const size of [10, 34])
      for (let after = size === 34 || before > 5 ? 2 : 3; after < 40; after += 1)
        assert.deepEqual(inScores(drop(before, after, size)), [before], `${before} + ${after}, ${size} points`);
});

test('a step of 34 points without overlap is found from three points on each side, however much both sides vary', () => {
  const random = toRandom([7]);
  for (let round = 0; round < 200; round += 1) {
    const [before, after] = [3 + Math.floor(random() * 6), 3 + Math.floor(random() * 12)];
    const values = Array.from({ length: before + after }, (_, at) => (at < before ? 82 : 48) + 16 * random());
    assert.equal(inScores(values)[0], before, JSON.stringify(values));
  }
});

test('one low value is no change, nor are two that are followed by the values of before', () => {
  assert.deepEqual(inScores(drop(12, 1, 34)), []);
  assert.deepEqual(inScores([...drop(12, 2, 34), ...drop(12, 0, 0)]), []);
});

test('an earlier outlier does not hide a step', () => {
  assert.deepEqual(inScores(drop(30, 3, 20).with(11, 60)), [30]);
  for (const before of [8, 12, 20]) assert.deepEqual(inScores(drop(before, 5, 33).with(5, 60)), [before]);
});

const level = (count: number, value: number) => Array.from({ length: count }, (_, at) => value + (at % 2));

test('the next step leaves the one before it, and three points between two steps are enough', () => {
  for (const [first, second, third] of [
    [62, 34, 63],
    [61, 72, 41],
    [99, 70, 30],
    [99, 50, 90],
  ] as const)
    for (const [one, two] of [
      [4, 11],
      [10, 4],
      [10, 3],
    ] as const)
      for (let after = 3; after < 20; after += 1)
        assert.deepEqual(
          inScores([...level(one, first), ...level(two, second), ...level(after, third)]),
          [one, one + two],
          `${one} × ${first}, ${two} × ${second}, ${after} × ${third}`,
        );
});

test('a slow drift has no changes smaller than what matters', () => {
  const values = Array.from({ length: 140 }, (_, at) => 60 + Math.max(0, Math.floor((at - 5) / 15)));
  const found = findChangePoints(toPoints(values), scoreOptions);
  assert.ok(found.length > 0 && found.every(({ difference }) => difference >= 2), JSON.stringify(found));
});

test('a small step is found in time', () => {
  const noise = Array.from({ length: 40 }, (_, at) => 1000 + ((at * 37) % 60));
  for (const before of [15, 30]) {
    const values = noise.slice(0, before + 5).map((value, at) => value + (at < before ? 0 : 110));
    assert.deepEqual(indexesOf(values), [before]);
    assert.deepEqual(indexesOf(values.slice(0, -3)), []);
  }
});

test('the last points of a series with two modes are no change', () => {
  const modes = Array.from({ length: 35 }, (_, at) => (at % 3 === 0 || at >= 30 ? 1600 : 1000) + (at % 7));
  assert.deepEqual(indexesOf(modes), []);
});

test('several steps are found', () => {
  const values = Array.from({ length: 120 }, (_, at) => 1000 + 300 * Math.floor(at / 30) + (at % 7));
  assert.deepEqual(indexesOf(values), [30, 60, 90]);
});

test('a step among two thousand points is dated', () => {
  const random = toRandom([6]);
  const stretch = { from: 1503, to: 2000 };
  const values = simulateHistory(simulatedHistories['usual LCP +300'], { days: 2000, runs: 1, stretch, random });
  assert.deepEqual(indexesOf(values), [1503]);
});

test('the same series has the same change points', () => {
  const random = toRandom([3]);
  const values = simulateHistory(simulatedHistories['busy LCP +1000'], { runs: 1, stretch: toStep(random), random });
  assert.deepEqual(findChangePoints(toPoints(values), options), findChangePoints(toPoints(values), options));
});

test('at least 95 % of series without a change have no change point', () => {
  const random = toRandom([4]);
  const series = Object.values(simulatedHistories)
    .filter(({ measure }) => measure !== 'performance')
    .flatMap(history => Array.from({ length: 40 }, () => simulateHistory(history, { runs: 1, random })));
  const wrong = series.filter(values => indexesOf(values).length > 0);
  assert.ok(wrong.length <= 0.05 * series.length, String(wrong.length));
});

const toOutcomes = (history: SimulatedHistory, runs: number) => {
  const random = toRandom([5, runs]);
  return Array.from({ length: 40 }, () => {
    const stretch = toStep(random);
    const found = indexesOf(simulateHistory(history, { runs, stretch, random }));
    return found.length === 1 && Math.abs((found[0] ?? 0) - stretch.from) <= 1;
  });
};
for (const [name, runs] of [
  ['quiet FCP +100', 1],
  ['usual LCP +300', 1],
  ['busy LCP +1000', 5],
  ['busy TBT +400', 5],
] as const)
  test(`${name} is dated within one point in 95 % of series with ${runs} a day, with no other change point`, () => {
    const outcomes = toOutcomes(simulatedHistories[name], runs);
    assert.ok(outcomes.filter(Boolean).length >= 38, String(outcomes.filter(Boolean).length));
  });
