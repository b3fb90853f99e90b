import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildLhr, buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Lhr } from './lhr.ts';
import { chooseRun, isSteady, toConfidenceInterval, toRuns, toSpread, withRepeats } from './runs.ts';
import { toResult } from './to-result.ts';

const toLocalResult = (lhr: Lhr): Result =>
  toResult(lhr, {
    source: 'lighthouse',
    analyser: { kind: 'local' },
    url: 'https://example.com/',
    strategy: 'mobile',
    categories: ['performance'],
    field: null,
    conditions: null,
    requestedAt: '2026-11-20T09:59:30.000Z',
  });
const bare = toLocalResult(buildLhr());
const resultOf = (performance: number | null, lcp: number | null): Result => {
  const result = toLocalResult(buildMeasuredLhr());
  const { metrics } = result;
  const largest = { ...metrics.largest_contentful_paint, value: lcp };
  return { ...result, scores: { performance }, metrics: { ...metrics, largest_contentful_paint: largest } };
};

test('a disturbed run is shown only if all are disturbed', () => {
  const disturbed = { ...resultOf(80, 2000), disturbed: true };
  const runs = [disturbed, resultOf(90, 1500), disturbed];
  assert.deepEqual(chooseRun(runs), { index: 1, by: 'median_run' });
  assert.equal(toRuns(runs, { asked: 3, chosen: chooseRun(runs) }).disturbed, 2);
  assert.deepEqual(chooseRun([disturbed, disturbed]), { index: 0, by: 'median_run' });
});

test('disturbed runs do not count towards ranges and intervals, unless all are disturbed', () => {
  const disturbed = (score: number) => ({ ...resultOf(score, 9000), disturbed: true });
  const runs = [resultOf(90, 1500), disturbed(40), resultOf(91, 1600), disturbed(41), disturbed(42)];
  const { completed, counted, scores, metrics, score_interval } = toRuns(runs, { asked: 5, chosen: chooseRun(runs) });
  assert.deepEqual([completed, counted, scores.performance], [5, 2, { min: 90, median: 90.5, max: 91, spread: 1 }]);
  assert.equal(metrics.largest_contentful_paint?.max, 1600);
  assert.equal(score_interval, undefined, 'two are too few');
  const all = [40, 41, 42, 40, 41].map(disturbed);
  assert.equal(toRuns(all, { asked: 5, chosen: chooseRun(all) }).counted, undefined);
  assert.equal(toRuns(all, { asked: 5, chosen: chooseRun(all) }).scores.performance?.max, 42);
  assert.equal(isSteady(all), false, 'loads that other work slows down alike prove nothing');
});

test('ranges of disturbed runs alone are of the scores without the disturbance, and absent if these are unknown', () => {
  const toOwn = (...corrected: readonly (number | null)[]) => {
    const runs = corrected.map(
      (performance, at): Result => ({
        ...resultOf(60 + at, 9000),
        disturbed: true,
        disturbance: {
          kinds: ['processor_wait'],
          denied: ['largest_contentful_paint'],
          performance,
          total_blocking_time: null,
          ...(performance === null ? {} : { paints: { largest_contentful_paint: 1000 + performance } }),
        },
      }),
    );
    return toRuns(runs, { asked: 5, chosen: chooseRun(runs) });
  };
  const known = toOwn(83, 86, 85, 84, 85);
  assert.deepEqual(known.scores.performance, { min: 83, median: 85, max: 86, spread: 3 });
  assert.deepEqual([known.score_interval?.low, known.score_interval?.high, known.selected], [83, 86, 3]);
  assert.equal(known.metrics.largest_contentful_paint?.max, 1086);
  const unknown = toOwn(null, null, null, null, null);
  assert.deepEqual([unknown.scores, unknown.score_interval], [{}, undefined]);
});

test('a spread has the minimum, maximum, median and range', () => {
  assert.deepEqual(toSpread([3, 1, 2]), { min: 1, median: 2, max: 3, spread: 2 });
  assert.deepEqual(toSpread([4, 1]), { min: 1, median: 2.5, max: 4, spread: 3 });
  assert.deepEqual(toSpread([0, 0]), { min: 0, median: 0, max: 0, spread: 0 });
  assert.deepEqual(toSpread([0.3, 0.1]), { min: 0.1, median: 0.2, max: 0.3, spread: 0.2 });
});

test('a missing value does not count, zero does', () => {
  assert.deepEqual(toSpread([null, 0, undefined, 10]), { min: 0, median: 5, max: 10, spread: 10 });
  assert.equal(toSpread([null, undefined]), undefined);
  assert.equal(toSpread([null, 5]), undefined, 'one value has no spread');
  assert.equal(toSpread([]), undefined);
});

test('the median lies between minimum and maximum', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 5 }), values => {
      const { min, median, max } = toSpread(values) ?? assert.fail();
      assert.ok(min <= median && median <= max);
    }),
  );
});

test('the run closest to the medians of score and largest contentful paint is selected, in any order', () => {
  const runs = [resultOf(70, 3900), resultOf(93, 1100), resultOf(92, 1200)];
  assert.deepEqual(chooseRun(runs), { index: 2, by: 'median_run' });
  assert.deepEqual(chooseRun(runs.toReversed()), { index: 0, by: 'median_run' });
  assert.deepEqual(chooseRun([resultOf(80, 1), resultOf(80, 1)]), { index: 0, by: 'median_run' });
  // Milliseconds do not outweigh points.
  assert.equal(chooseRun([resultOf(90, 2000), resultOf(60, 2100), resultOf(91, 9000)]).index, 0);
});

test('a run without those values is not selected if another has them', () => {
  assert.deepEqual(chooseRun([bare, resultOf(1, 2), bare]), { index: 1, by: 'median_run' });
  assert.deepEqual(chooseRun([bare, bare]), { index: 0, by: 'first_run' });
  assert.deepEqual(chooseRun([bare]), { index: 0, by: 'only_run' });
});

test('the interval of the median excludes as many runs as possible', () => {
  assert.equal(toConfidenceInterval([1, 2, 3, 4]), undefined, 'four runs hold it in 87.5 % of cases');
  assert.deepEqual(toConfidenceInterval([5, 1, 3, 2, 4]), { low: 1, high: 5, confidence: 0.9375 });
  assert.deepEqual(toConfidenceInterval([1, 2, 3, 4, 5, 6, 7]), { low: 1, high: 7, confidence: 0.984375 });
  assert.deepEqual(toConfidenceInterval([0, 2, 3, 4, 5, 6, 7, 99]), { low: 2, high: 7, confidence: 0.929688 });
  assert.deepEqual(toConfidenceInterval([0, 2, 3, 4, 5, 6, 7, 8, 99]), { low: 2, high: 8, confidence: 0.960938 });
});

test('the interval contains the median of any distribution as often as stated', () => {
  // Two modes, as simulated LCP has them: one load in five is far off. The median of all loads is near 90.
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const draw = () => (random() < 0.2 ? 60 : 88) + 4 * random();
  // Of the 0.8 above: at 0.5 of all, so at (0.5 - 0.2) / 0.8 of the upper mode.
  const median = 88 + (4 * 0.3) / 0.8;
  for (const count of [5, 7, 8, 9]) {
    let held = 0;
    for (let time = 0; time < 4000; time += 1) {
      const { low, high } = toConfidenceInterval(Array.from({ length: count }, draw)) ?? assert.fail();
      if (low <= median && median <= high) held += 1;
    }
    assert.ok(held / 4000 > 0.89, `${count} runs: ${held / 4000}`);
  }
});

test('runs are enough if every score is known to within two points', () => {
  const scored = (...scores: number[]) => scores.map(score => resultOf(score, 1000));
  assert.equal(isSteady(scored(90, 90, 90, 90)), false, 'five at least');
  assert.equal(isSteady(scored(88, 90, 92, 90, 89)), true);
  assert.equal(isSteady(scored(87, 90, 92, 90, 89)), false);
  assert.equal(isSteady(scored(60, 90, 92, 90, 89, 88, 90, 91)), true, 'one that is far off is left out of eight');
  assert.equal(isSteady(scored(60, 60, 92, 90, 89, 88, 90, 91, 90)), false);
});

test('several runs report their number and which one is shown', () => {
  const results = [resultOf(70, 1000), resultOf(90, null), resultOf(80, 3000)];
  const runs = toRuns(results, { asked: 4, chosen: { index: 2, by: 'median_run' } });
  assert.deepEqual([runs.requested, runs.completed, runs.selected, runs.selected_by], [4, 3, 3, 'median_run']);
  assert.deepEqual(runs.scores, { performance: { min: 70, median: 80, max: 90, spread: 20 } });
  assert.deepEqual(runs.metrics.largest_contentful_paint, { min: 1000, median: 2000, max: 3000, spread: 2000 });
  assert.deepEqual(toRuns([resultOf(null, null)], { asked: 2, chosen: { index: 0, by: 'only_run' } }).scores, {});
});

test('a result says how often its load was repeated, and several runs say how often in total', () => {
  const quiet = resultOf(90, 1500);
  assert.equal(withRepeats(quiet, 0), quiet);
  const repeated = withRepeats({ ...resultOf(80, 2000), disturbed: true }, 2);
  assert.deepEqual(repeated.runs, {
    requested: 1,
    completed: 1,
    selected: 1,
    selected_by: 'only_run',
    disturbed: 1,
    repeated: 2,
    scores: {},
    metrics: {},
  });
  const all = [quiet, repeated, withRepeats(quiet, 1)];
  assert.equal(toRuns(all, { asked: 3, chosen: chooseRun(all) }).repeated, 3);
  assert.equal(toRuns([quiet, quiet], { asked: 2, chosen: chooseRun(all) }).repeated, undefined);
});
