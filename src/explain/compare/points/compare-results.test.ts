import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { Check } from 'typebox/value';
import { buildMeasuredLhr } from '../../../../test/support/builders/lhr.ts';
import { Comparison, type Pair } from '../../../contract/analysis/comparison.ts';
import { categoryNames, type MetricName, metricNames } from '../../../contract/names.ts';
import type { Scores } from '../../../contract/result/metrics.ts';
import type { Result } from '../../../contract/result/result.ts';
import { toRuns } from '../../../measure/lhr/runs.ts';
import { toResult } from '../../../measure/lhr/to-result.ts';
import { compareResults } from './compare-audits.ts';
import { isOfOneRun, missesRunsBy, toFloor, toNoise } from './noise.ts';

type Values = Partial<Record<MetricName, number | null>>;

/** A result with the metrics of a good page, except for the given ones. */
const resultOf = (scores: Scores = {}, values: Values = {}): Result => {
  const result = toResult(buildMeasuredLhr(), {
    source: 'psi',
    analyser: { kind: 'local' },
    url: 'https://example.com/',
    strategy: 'mobile',
    categories: ['performance'],
    field: null,
    conditions: null,
    requestedAt: '2026-11-20T09:59:30.000Z',
  });
  const metrics = structuredClone(result.metrics);
  for (const name of metricNames) {
    const value = values[name];
    if (value !== undefined) metrics[name].value = value;
  }
  return { ...result, scores, metrics };
};

type Differences = ReturnType<typeof compareResults>;
const Differences = Type.Pick(Comparison, ['scores', 'metrics']);

const pairsOf = ({ scores, metrics }: Differences): Pair[] => [...Object.values(scores), ...Object.values(metrics)];

const value = fc.option(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true })));
const score = fc.option(fc.integer({ min: 0, max: 100 }));
const result = fc
  .tuple(
    fc.record({ performance: score, accessibility: score, 'best-practices': score, seo: score }, { requiredKeys: [] }),
    fc.record(Object.fromEntries(metricNames.map(name => [name, value])) as Record<MetricName, typeof value>),
  )
  .map(([scores, values]) => resultOf(scores, values));

test('a difference is lighthouse minus psi', () => {
  const { scores, metrics } = compareResults(
    resultOf({ performance: 90 }, { largest_contentful_paint: 2500, cumulative_layout_shift: 0.25 }),
    resultOf({ performance: 70 }, { largest_contentful_paint: 3200, cumulative_layout_shift: 0.05 }),
  );
  assert.deepEqual(scores, { performance: { psi: 90, lighthouse: 70, difference: -20 } });
  assert.deepEqual(metrics.largest_contentful_paint, {
    psi: 2500,
    lighthouse: 3200,
    difference: 700,
    unit: 'millisecond',
  });
  assert.deepEqual(metrics.cumulative_layout_shift, {
    psi: 0.25,
    lighthouse: 0.05,
    difference: -0.2,
    unit: 'unitless',
  });
});

test('every metric is compared, in one order, with its unit', () => {
  const { metrics } = compareResults(resultOf(), resultOf());
  assert.deepEqual(Object.keys(metrics), [...metricNames]);
  for (const name of metricNames)
    assert.equal(metrics[name]?.unit, name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond');
});

test('zero is a value on either side', () => {
  const zero = resultOf({ seo: 0 }, { total_blocking_time: 0 });
  const some = resultOf({ seo: 5 }, { total_blocking_time: 12 });
  const forward = compareResults(zero, some);
  assert.deepEqual(forward.scores.seo, { psi: 0, lighthouse: 5, difference: 5 });
  assert.equal(forward.metrics.total_blocking_time?.difference, 12);
  const backward = compareResults(some, zero);
  assert.deepEqual(backward.scores.seo, { psi: 5, lighthouse: 0, difference: -5 });
  assert.equal(backward.metrics.total_blocking_time?.difference, -12);
  assert.deepEqual(compareResults(zero, zero).scores.seo, { psi: 0, lighthouse: 0, difference: 0 });
});

test('without a value on one side there is no difference', () => {
  const none = resultOf({ seo: null }, { speed_index: null });
  const some = resultOf({ seo: 0 }, { speed_index: 0 });
  const pairs: readonly (readonly [Result, Result, Pair])[] = [
    [none, some, { psi: null, lighthouse: 0, difference: null }],
    [some, none, { psi: 0, lighthouse: null, difference: null }],
    [none, none, { psi: null, lighthouse: null, difference: null }],
  ];
  for (const [psi, lighthouse, pair] of pairs) {
    const { scores, metrics } = compareResults(psi, lighthouse);
    assert.deepEqual(scores.seo, pair);
    assert.deepEqual(metrics.speed_index, { ...pair, unit: 'millisecond' });
  }
});

test('a category on neither side is absent, one on a single side is present', () => {
  const { scores } = compareResults(resultOf({ seo: 90, performance: 80 }), resultOf({ accessibility: 70, seo: 95 }));
  assert.deepEqual(scores, {
    performance: { psi: 80, lighthouse: null, difference: null },
    accessibility: { psi: null, lighthouse: 70, difference: null },
    seo: { psi: 90, lighthouse: 95, difference: 5 },
  });
  assert.deepEqual(Object.keys(scores), ['performance', 'accessibility', 'seo'], 'in one order');
  assert.deepEqual(compareResults(resultOf(), resultOf()).scores, {});
});

test('the noise of a floating-point subtraction is no difference', () => {
  const differenceOf = (psi: number, lighthouse: number) =>
    compareResults(resultOf({}, { speed_index: psi }), resultOf({}, { speed_index: lighthouse })).metrics.speed_index
      ?.difference;
  assert.equal(differenceOf(0.1, 0.3), 0.2);
  assert.equal(differenceOf(0.3, 0.1 + 0.2), 0);
  assert.equal(differenceOf(1.1, 3.3), 2.2);
  assert.equal(differenceOf(1000.1, 1000.3), 0.2);
  assert.equal(differenceOf(0, 0.000001), 0.000001);
  assert.ok(Object.is(differenceOf(0.1 + 0.2, 0.3), 0), 'nor is it minus zero');
  assert.ok(Object.is(differenceOf(0.0000001, 0), 0), 'nor is it minus zero');
});

test('equal results have a difference of zero for every value', () => {
  fc.assert(
    fc.property(result, same => {
      for (const { psi, lighthouse, difference } of pairsOf(compareResults(same, same))) {
        assert.equal(psi, lighthouse);
        assert.ok(Object.is(difference, psi === null ? null : 0));
      }
    }),
  );
});

test('swapping the sides swaps the values and negates the differences', () => {
  const swapped = ({ psi, lighthouse, difference, ...rest }: Pair) => ({
    ...rest,
    psi: lighthouse,
    lighthouse: psi,
    // The subtraction avoids minus zero.
    difference: difference === null ? null : 0 - difference,
  });
  fc.assert(
    fc.property(result, result, (one, other) => {
      const forward = compareResults(one, other);
      const backward = compareResults(other, one);
      assert.deepEqual(Object.keys(forward.scores), Object.keys(backward.scores));
      assert.deepEqual(pairsOf(backward), pairsOf(forward).map(swapped));
    }),
  );
});

test('a comparison has the published shape, and survives JSON unchanged', () => {
  fc.assert(
    fc.property(result, result, (one, other) => {
      const comparison = compareResults(one, other);
      assert.ok(Check(Differences, comparison));
      assert.deepEqual(JSON.parse(JSON.stringify(comparison)), comparison);
      const known: readonly string[] = categoryNames;
      assert.ok(Object.keys(comparison.scores).every(name => known.includes(name)));
    }),
  );
});

test('the given results are not changed', () => {
  const [one, other] = [resultOf({ seo: 1 }), resultOf({ seo: 2 })];
  const before = structuredClone([one, other]);
  compareResults(one, other);
  assert.deepEqual([one, other], before);
});

const noiseOf = (psi: number, scores: readonly number[]) => {
  const [shown = 0, ...others] = scores;
  const sorted = scores.toSorted((a, b) => a - b);
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  const lighthouse = resultOf({ performance: shown });
  const spread = { min, median: sorted[sorted.length >> 1] ?? 0, max, spread: max - min };
  lighthouse.runs = {
    requested: scores.length,
    completed: scores.length,
    selected: 1,
    selected_by: 'median_run' as const,
    scores: { performance: spread },
    metrics: {},
  };
  return toNoise(
    resultOf({ performance: psi }),
    lighthouse,
    others.map(performance => resultOf({ performance })),
  );
};

test('disturbed runs do not extend the range', () => {
  const lighthouse = { ...resultOf({ performance: 99 }) };
  const spread = { min: 99, median: 99, max: 99, spread: 0 };
  const runs = { requested: 5, completed: 5, selected: 1, selected_by: 'median_run' as const, metrics: {} };
  const others = [99, 99, 79, 78].map((performance, at) => ({ ...resultOf({ performance }), disturbed: at > 1 }));
  const noise = toNoise(
    resultOf({ performance: 80 }),
    { ...lighthouse, runs: { ...runs, disturbed: 2, counted: 3, scores: { performance: spread } } },
    others,
  );
  assert.deepEqual([noise?.runs, noise?.scores.performance?.psi_inside], [3, false]);
  assert.equal(missesRunsBy(noise), undefined, 'it is too far from the others to be noise');
  const one = { ...lighthouse, runs: { ...runs, disturbed: 4, counted: 1, scores: {} } };
  assert.equal(toNoise(resultOf({ performance: 80 }), one, others), null, 'one undisturbed run has no range');
});

test('the range of disturbed runs alone is of their measured scores, which a comparison explains', () => {
  const disturbance = { kinds: [], denied: [], performance: 95, total_blocking_time: null };
  const runOf = (performance: number): Result => ({ ...resultOf({ performance }), disturbed: true, disturbance });
  const [lighthouse, others] = [runOf(60), [runOf(62), runOf(65)]];
  const runs = toRuns([lighthouse, ...others], { asked: 3, chosen: { index: 0, by: 'median_run' } });
  const noise = toNoise(resultOf({ performance: 95 }), { ...lighthouse, runs }, others);
  assert.deepEqual([noise?.scores.performance?.max, noise?.scores.performance?.psi_inside], [65, false]);
});

test('with five runs or more, a single lucky run does not extend the range, two do', () => {
  const lucky = noiseOf(99, [65, 60, 62, 75, 98]);
  assert.deepEqual(lucky?.scores.performance?.without_nearest, { min: 60, max: 75 });
  assert.deepEqual([missesRunsBy(lucky), toFloor(lucky), isOfOneRun(lucky)], [undefined, 15, true]);
  const twice = noiseOf(99, [65, 60, 62, 97, 98]);
  assert.deepEqual([missesRunsBy(twice), isOfOneRun(twice)], [1, false]);
  const few = noiseOf(99, [65, 60, 98]);
  assert.deepEqual([few?.scores.performance?.without_nearest, missesRunsBy(few)], [undefined, 1]);
  const far = noiseOf(99, [65, 60, 62, 75, 70]);
  assert.deepEqual([missesRunsBy(far), isOfOneRun(far)], [undefined, false]);
});
