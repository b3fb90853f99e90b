import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Planted,
  type SimulatedPageName,
  simulatedPageNames,
  simulateRuns,
} from '../../../test/support/audits/lighthouse-noise.ts';
import { compareSets, type MeasuredRun, type SetComparison } from './compare-sets.ts';
import { toRandom } from './random.ts';
import { defaultSmallestEffects } from './smallest-effect.ts';

const isChange = ({ status }: { status: string }) => status === 'better' || status === 'worse';
const isAnyTold = ({ scores, metrics }: SetComparison) =>
  [...Object.values(scores), ...Object.values(metrics)].some(isChange);

type Pairs = { page: SimulatedPageName; runs?: number; pairs: number; planted?: Planted; seed?: number };

const simulate = ({ page, runs = 5, pairs, planted = {}, seed = 1 }: Pairs): SetComparison[] => {
  const random = toRandom([runs, pairs, seed]);
  return Array.from({ length: pairs }, () =>
    compareSets(simulateRuns(page, runs, { random }), simulateRuns(page, runs, { random, planted })),
  );
};

const repeat = (run: MeasuredRun, times = 5): MeasuredRun[] => Array.from({ length: times }, () => run);

const [mixedBefore, mixedAfter]: readonly MeasuredRun[] = [
  { scores: { performance: 90 }, metrics: { largest_contentful_paint: 2000, total_blocking_time: 300 } },
  { scores: { performance: 80 }, metrics: { largest_contentful_paint: 3000, total_blocking_time: 200 } },
];
const compareMixed = (runs: number) =>
  compareSets(repeat(mixedBefore as MeasuredRun, runs), repeat(mixedAfter as MeasuredRun, runs));

test('the deciding measures are named, and those that changed in the opposite direction', () => {
  const { verdict, metrics } = compareMixed(7);
  assert.deepEqual(verdict, {
    status: 'worse',
    decided_by: ['performance', 'largest_contentful_paint'],
    against: ['total_blocking_time'],
    more_runs: null,
  });
  assert.equal(metrics.largest_contentful_paint?.p_value, 0.000583);
});

test('five runs are too few for the score to overrule a contradicting metric, and the number needed is given', () => {
  const { verdict, metrics } = compareMixed(5);
  assert.deepEqual(verdict, {
    status: 'undecided',
    decided_by: ['total_blocking_time', 'performance', 'largest_contentful_paint'],
    against: [],
    more_runs: 2,
  });
  assert.equal(metrics.largest_contentful_paint?.p_value, 0.007937);
});

test('a changed metric decides even if the score did not change', () => {
  const { verdict } = compareSets(
    repeat({ scores: { performance: 100 }, metrics: { largest_contentful_paint: 1200 } }),
    repeat({ scores: { performance: 100 }, metrics: { largest_contentful_paint: 1500 } }),
  );
  assert.deepEqual([verdict.status, verdict.decided_by], ['worse', ['largest_contentful_paint']]);
});

test('if metrics contradict each other, a decided score decides', () => {
  const [before, after] = [
    { largest_contentful_paint: 2000, total_blocking_time: 300 },
    { largest_contentful_paint: 2300, total_blocking_time: 200 },
  ];
  const same = { scores: { performance: 90 } };
  const withScore = compareSets(repeat({ ...same, metrics: before }), repeat({ ...same, metrics: after }));
  assert.deepEqual(withScore.verdict, {
    status: 'no_difference',
    decided_by: ['performance'],
    against: ['total_blocking_time', 'largest_contentful_paint'],
    more_runs: null,
  });
  const without = compareSets(repeat({ scores: {}, metrics: before }), repeat({ scores: {}, metrics: after }));
  assert.equal(without.verdict.status, 'undecided');
});

test('other measures are reported but do not decide', () => {
  const { verdict, scores } = compareSets(
    repeat({ scores: { performance: 90, seo: 100 }, metrics: {} }),
    repeat({ scores: { performance: 90, seo: 80 }, metrics: {} }),
  );
  assert.deepEqual([scores.seo?.status, verdict.status], ['worse', 'no_difference']);
});

test('measures that a side lacks are skipped; without any, the verdict is undecided', () => {
  const compared = compareSets(
    repeat({ scores: { performance: null }, metrics: { speed_index: 1000 } }),
    repeat({ scores: {}, metrics: { speed_index: 1001 } }),
  );
  assert.deepEqual([Object.keys(compared.scores), Object.keys(compared.metrics)], [[], ['speed_index']]);
  assert.deepEqual(compareSets([], []).verdict, { status: 'undecided', decided_by: [], against: [], more_runs: null });
});

test('a failed run among others is one value less', () => {
  const failed: MeasuredRun = { scores: { performance: null }, metrics: {} };
  const broken: MeasuredRun = { scores: { performance: Number.NaN }, metrics: {} };
  const good = (value: number) => repeat({ scores: { performance: value }, metrics: {} }, 6);
  assert.equal(compareSets([failed, ...good(100)], [...good(80), broken]).verdict.status, 'worse');
});

test('at most 2 % of unchanged pairs raise a false alarm, over all measures', () => {
  const compared = simulatedPageNames.flatMap(page => simulate({ page, pairs: 30 }));
  assert.ok(compared.filter(isAnyTold).length <= 0.02 * compared.length);
});

test('a chance result of one of many noisy measures is ignored', () => {
  const compared = simulate({ page: 'busy', pairs: 200 });
  const claims = compared.filter(({ scores, metrics }) =>
    [...Object.values(scores), ...Object.values(metrics)].some(({ p_value }) => p_value !== null),
  );
  assert.ok(claims.length > 0.03 * compared.length, 'each by itself raises too many');
  assert.ok(compared.filter(isAnyTold).length <= 0.02 * compared.length);
});

const steps: readonly { title: string; planted: Planted; pages: readonly SimulatedPageName[] }[] = [
  {
    title: '+100 ms of FCP and LCP',
    planted: { first_contentful_paint: 100, largest_contentful_paint: 100 },
    pages: ['quiet', 'wideLcp', 'evenModes', 'rareMode', 'constant'],
  },
  {
    title: '+300 ms of FCP and LCP',
    planted: { first_contentful_paint: 300, largest_contentful_paint: 300 },
    pages: ['quiet', 'wideLcp', 'evenModes', 'rareMode', 'usual', 'constant'],
  },
  {
    title: '−10 points',
    planted: { total_blocking_time: 400 },
    pages: ['quiet', 'wideLcp', 'evenModes', 'rareMode', 'usual', 'disturbed', 'constant'],
  },
];
for (const { title, planted, pages } of steps)
  test(`${title} is found with five runs a side in nine of ten pairs, never in the wrong direction`, () => {
    for (const page of pages) {
      const statuses = simulate({ page, pairs: 30, planted }).map(({ verdict }) => verdict.status);
      assert.ok(statuses.filter(status => status === 'worse').length >= 27, page);
      assert.ok(!statuses.includes('better'), page);
    }
  });

test('a change is called no difference only if it is too small to matter', () => {
  const planted = { first_contentful_paint: 100, largest_contentful_paint: 100 };
  const quiet = simulate({ page: 'quiet', pairs: 40, runs: 3, planted });
  assert.ok(quiet.every(({ verdict }) => verdict.status !== 'no_difference'));
  const unchanged = simulate({ page: 'usual', pairs: 40, runs: 10 });
  assert.ok(unchanged.filter(({ verdict }) => verdict.status === 'no_difference').length > 30);
});

const answering = (all: readonly number[]): MeasuredRun[] =>
  all.map(server_response_time => ({ scores: { performance: 90 }, metrics: { server_response_time } }));

test('a slower server is worse, and a varying one does not prevent a verdict', () => {
  const quick = [3, 5, 4, 6, 5];
  assert.equal(compareSets(answering(quick), answering([300, 305, 304, 306, 303])).verdict.status, 'worse');
  const varying = compareSets(answering([20, 90, 30, 160, 40]), answering([30, 150, 25, 80, 60]));
  assert.deepEqual(
    [varying.verdict.status, varying.metrics.server_response_time?.status],
    ['no_difference', 'undecided'],
  );
});

test('a speed index that varies does not prevent a verdict if the score is bounded', () => {
  const painting = (all: readonly number[], performance = 90): MeasuredRun[] =>
    all.map(speed_index => ({ scores: { performance }, metrics: { speed_index } }));
  const [before, after] = [
    [1005, 1255, 994, 988, 1009],
    [1028, 978, 995, 1250, 1000],
  ] as const;
  const varying = compareSets(painting(before), painting(after));
  assert.deepEqual([varying.verdict.status, varying.metrics.speed_index?.status], ['no_difference', 'undecided']);
  const later = [1005, 1255, 1100, 1095, 1090];
  assert.equal(compareSets(painting(before), painting(later)).verdict.status, 'undecided');
  const alike = { isAlike: true, sureEffects: 2, sameEffects: 2 };
  const unchanged = compareSets(painting(before), painting(later), alike);
  assert.equal(unchanged.verdict.status, 'no_difference', 'below the effect that a change would need');
  const muchLater = painting([1005, 1255, 1250, 1240, 1009]);
  assert.equal(compareSets(painting(before), muchLater, alike).verdict.status, 'undecided');
  const [quick, slow] = [painting([1001, 1003, 1000, 1005, 1002]), painting([1091, 1090, 1095, 1092, 1093])];
  assert.equal(compareSets(quick, slow, alike).verdict.status, 'undecided', 'every load is later');
});

test('a smaller smallest effect does not lower the noise of unchanged files', () => {
  const painted = (more: number): MeasuredRun[] =>
    [0, 1, 2, 3, 4].map(at => ({ scores: {}, metrics: { largest_contentful_paint: 1000 + more + at } }));
  const options = { smallestEffects: { ...defaultSmallestEffects, time: { absolute: 10 } }, isAlike: true };
  const statusOf = (more: number, sureEffects: number) =>
    compareSets(painted(0), painted(more), { ...options, sureEffects }).verdict.status;
  assert.deepEqual([statusOf(28, 0), statusOf(28, 2), statusOf(130, 2)], ['worse', 'undecided', 'worse']);
});

test('a measure that several runs of one side lack is undecided, and one that a single run lacks is not', () => {
  const painted = (...all: (number | null)[]): MeasuredRun[] =>
    all.map(largest_contentful_paint => ({ scores: { performance: 90 }, metrics: { largest_contentful_paint } }));
  const whole = painted(1000, 1001, 1002, 1003, 1004);
  assert.equal(compareSets(whole, painted(1000, 1001, null, 1003, 1004)).verdict.status, 'no_difference');
  const { verdict, onlyOn } = compareSets(whole, painted(1000, null, null, null, 1004));
  assert.deepEqual([verdict.status, onlyOn.before], ['undecided', ['largest_contentful_paint']]);
  assert.equal(compareSets(painted(null, null, null, 1, 2), painted(1, null, null, null, 2)).onlyOn.before.length, 0);
});

test('too few runs of a server that seems slower are undecided, never no difference', () => {
  const { verdict } = compareSets(answering([3, 5, 4]), answering([300, 305, 304]));
  assert.deepEqual([verdict.status, verdict.decided_by], ['undecided', ['server_response_time']]);
});

test('a page that lost its score and its largest paint is neither better nor the same', () => {
  const whole: MeasuredRun = {
    scores: { performance: 90 },
    metrics: { largest_contentful_paint: 2000, first_contentful_paint: 1000, total_blocking_time: 100 },
  };
  const blank = (paint: number): MeasuredRun => ({
    scores: { performance: null },
    metrics: { largest_contentful_paint: null, first_contentful_paint: paint, total_blocking_time: 100 },
  });
  for (const paint of [1000, 300]) {
    const { verdict, onlyOn } = compareSets(repeat(whole), repeat(blank(paint)));
    assert.deepEqual([verdict.status, verdict.decided_by], ['undecided', ['performance', 'largest_contentful_paint']]);
    assert.deepEqual(onlyOn, { before: ['performance', 'largest_contentful_paint'], after: [] });
  }
  assert.equal(compareSets(repeat(whole), repeat(blank(3000))).verdict.status, 'worse');
});
