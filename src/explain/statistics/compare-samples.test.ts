import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareSamples } from './compare-samples.ts';
import { toRandom } from './random.ts';
import { defaultSmallestEffects } from './smallest-effect.ts';

const time = { direction: 'lower_is_better', smallestEffect: defaultSmallestEffects.time } as const;
const score = { direction: 'higher_is_better', smallestEffect: defaultSmallestEffects.score } as const;
const repeat = (value: number, times: number) => Array.from({ length: times }, () => value);

test('a clear difference is worse or better by the direction of the measure', () => {
  const [low, high] = [
    [1240, 1250, 1251, 1260, 1266],
    [1440, 1450, 1451, 1460, 1466],
  ];
  const { status, before, after, difference, interval, min_effect, by, more_runs } = compareSamples(low, high, time);
  assert.deepEqual(
    { status, before, after, difference },
    { status: 'worse', before: 1251, after: 1451, difference: 200 },
  );
  assert.deepEqual({ min_effect, by, more_runs }, { min_effect: 62.55, by: 'ranks', more_runs: null });
  assert.ok(interval && interval[0] > 170 && interval[1] < 230);
  assert.equal(compareSamples(high, low, time).status, 'better');
  assert.equal(compareSamples([70, 71, 71, 72, 70], [90, 91, 90, 92, 91], score).status, 'better');
});

test('constant samples show the clearest changes', () => {
  assert.equal(compareSamples(repeat(100, 5), repeat(88, 5), score).status, 'worse');
  assert.deepEqual(compareSamples(repeat(100, 5), repeat(88, 5), score).interval, [-12, -12]);
  assert.equal(compareSamples(repeat(0, 5), repeat(120, 5), time).status, 'worse');
  assert.equal(compareSamples(repeat(0, 5), repeat(0, 5), time).status, 'no_difference');
});

test('a clear difference that is too small to matter is no difference', () => {
  assert.equal(compareSamples(repeat(1200, 5), repeat(1230, 5), time).status, 'no_difference');
  assert.equal(compareSamples(repeat(100, 5), repeat(99, 5), score).status, 'no_difference');
});

test('a difference of exactly the smallest effect matters, without floating-point noise', () => {
  assert.equal(compareSamples(repeat(100, 5), repeat(98, 5), score).status, 'worse');
  const shift = { direction: 'lower_is_better', smallestEffect: defaultSmallestEffects.layoutShift } as const;
  assert.equal(compareSamples(repeat(0.1, 5), repeat(0.12, 5), shift).status, 'worse');
  assert.equal(compareSamples(repeat(0.1, 5), repeat(0.119, 5), shift).status, 'no_difference');
});

test('the smallest effect that the client configured is used', () => {
  const strict = { ...time, smallestEffect: { absolute: 10 } };
  assert.equal(compareSamples(repeat(1200, 5), repeat(1230, 5), strict).status, 'worse');
});

test('too few values are undecided, with the number of runs needed', () => {
  assert.deepEqual(compareSamples([1200], [2000], time), {
    before: 1200,
    after: 2000,
    difference: 800,
    interval: null,
    confidence: null,
    min_effect: 60,
    status: 'undecided',
    by: null,
    more_runs: 4,
  });
  const three = compareSamples([1200, 1201, 1202], [2000, 2001, 2002], time);
  assert.deepEqual([three.status, three.confidence, three.more_runs], ['undecided', 0.9, 2]);
  const four = compareSamples([1, 2, 3, 4], [2001, 2002, 2003, 2004], time);
  assert.deepEqual([four.status, four.more_runs], ['undecided', 1]);
});

test('three stable values of each side are enough for no difference', () => {
  assert.equal(compareSamples([1200, 1202, 1210], [1201, 1203, 1207], time).status, 'no_difference');
});

test('two modes on both sides are undecided', () => {
  const [before, after] = [
    [1100, 1105, 3900, 3910, 1103],
    [3905, 1101, 3899, 1104, 3911],
  ];
  const { status, interval, difference } = compareSamples(before, after, time);
  assert.equal(status, 'undecided');
  assert.ok(interval && difference !== null && interval[0] <= difference && difference <= interval[1]);
});

test('a side without a value is undecided and has no numbers', () => {
  const { before, after, difference, status, more_runs } = compareSamples([null, undefined, Number.NaN], [1200], time);
  assert.deepEqual([before, after, difference, status, more_runs], [null, 1200, null, 'undecided', null]);
  assert.equal(compareSamples([1200, null, 1201, 1202, 1203, 1204], repeat(2000, 5), time).status, 'worse');
});

test('earlier runs decide if one value of each side cannot', () => {
  const random = toRandom([1]);
  const earlier = Array.from({ length: 30 }, () => Array.from({ length: 5 }, () => 1250 + 20 * random()));
  const compared = compareSamples([1255], [1400], { ...time, earlier });
  assert.deepEqual([compared.status, compared.by], ['worse', 'earlier_runs']);
  assert.equal(compareSamples([1255], [1262], { ...time, earlier }).status, 'no_difference');
  const twoModes = earlier.map(set => set.map(value => (random() < 0.3 ? value + 2800 : value)));
  assert.equal(compareSamples([1255], [4000], { ...time, earlier: twoModes }).status, 'undecided');
  assert.equal(compareSamples([1255], [1400], { ...time, earlier: [[1250, 1251]] }).status, 'undecided');
});

test('one value needs more earlier runs than three values, because it may be an outlier', () => {
  const earlier = Array.from({ length: 8 }, () => [1250, 1252, 1255, 1258, 1260]);
  assert.equal(compareSamples([1255], [1400], { ...time, earlier }).status, 'undecided');
  assert.equal(compareSamples([1255, 1256, 1257], [1400, 1401, 1402], { ...time, earlier }).status, 'worse');
});

const values = fc.array(fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constantFrom(0, 1100, 3900)), { maxLength: 12 });

test('the order of the runs does not matter, and the same input gives the same answer', () => {
  fc.assert(
    fc.property(values, values, (before, after) => {
      const compared = compareSamples(before, after, time);
      assert.deepEqual(compareSamples(before.toReversed(), after.toReversed(), time), compared);
    }),
  );
});

test('the interval contains the difference, changes sign with the sides, and agrees with the status', () => {
  const absolute = { direction: 'lower_is_better', smallestEffect: { absolute: 50 } } as const;
  const turned = { better: 'worse', worse: 'better', no_difference: 'no_difference', undecided: 'undecided' } as const;
  fc.assert(
    fc.property(values, values, (before, after) => {
      const { interval, difference, status } = compareSamples(before, after, absolute);
      const back = compareSamples(after, before, absolute);
      assert.equal(back.status, turned[status]);
      if (!interval || difference === null) return assert.equal(status, 'undecided');
      const [low, high] = interval;
      assert.ok(low <= difference && difference <= high);
      assert.deepEqual(back.interval, [-high || 0, -low || 0]);
      if (status === 'worse') assert.ok(low > 0 && difference >= 50);
      if (status === 'better') assert.ok(high < 0 && difference <= -50);
      if (status === 'no_difference') assert.ok(low > -50 && high < 50);
    }),
  );
});

test('more runs are recommended only if undecided, at least one', () => {
  fc.assert(
    fc.property(values, values, (before, after) => {
      const { status, more_runs } = compareSamples(before, after, time);
      if (more_runs !== null) assert.ok(status === 'undecided' && more_runs >= 1 && more_runs <= 50);
    }),
  );
});

test('with seven runs, an outlier does not widen the interval for no difference', () => {
  const [before, after] = [
    [1000, 1001, 1002, 1003, 1004, 1005, 1006],
    [1000, 1001, 1002, 1003, 1004, 1005, 1400],
  ];
  assert.equal(compareSamples(before, after, { ...time, hasOwnSame: true }).status, 'no_difference');
  assert.equal(
    compareSamples([...before], [...after.slice(0, 5), 1400, 1500], { ...time, hasOwnSame: true }).status,
    'undecided',
  );
});
