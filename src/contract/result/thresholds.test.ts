import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MetricName, metricNames, strategies } from '../names.ts';
import { type FieldMetricName, labThresholdsOf, type Rating, toFieldRating, toLabRating } from './thresholds.ts';

/** The least step past a threshold, so that nothing between the two could go unseen. */
const past = (threshold: number): number => threshold * (1 + Number.EPSILON);

const casesOf = (good: number, poor: number): [number, Rating][] => [
  [0, 'good'],
  [good, 'good'],
  [past(good), 'needs-improvement'],
  [poor, 'needs-improvement'],
  [past(poor), 'poor'],
  [Number.MAX_VALUE, 'poor'],
];

const field: [FieldMetricName, number, number][] = [
  ['largest_contentful_paint', 2500, 4000],
  ['cumulative_layout_shift', 0.1, 0.25],
  ['interaction_to_next_paint', 200, 500],
  ['first_contentful_paint', 1800, 3000],
  ['time_to_first_byte', 800, 1800],
];

for (const [metric, good, poor] of field)
  test(`field ${metric} is good up to ${good}, poor beyond ${poor}, and a threshold itself has the better rating`, () => {
    for (const [value, rating] of casesOf(good, poor)) assert.equal(toFieldRating(metric, value), rating, `${value}`);
  });

test('every lab metric is rated for each strategy, and a threshold itself has the better rating', () => {
  for (const metric of metricNames)
    for (const strategy of strategies)
      for (const [value, rating] of casesOf(...labThresholdsOf(metric, strategy)))
        assert.equal(toLabRating(metric, value, strategy), rating, `${metric} ${strategy} ${value}`);
});

test('thresholds for desktop are stricter', () => {
  assert.equal(toLabRating('largest_contentful_paint', 2000, 'mobile'), 'good');
  assert.equal(toLabRating('largest_contentful_paint', 2000, 'desktop'), 'needs-improvement');
});

type Options = { p10: number; median: number } | Record<string, { scoring: { p10: number; median: number } }>;

/** The control points that the installed Lighthouse scores with. */
async function readControlPoints(metric: MetricName, strategy: string): Promise<number[]> {
  const { default: audit } = await import(`lighthouse/core/audits/metrics/${metric.replaceAll('_', '-')}.js`);
  const options = audit.defaultOptions as Options;
  const { p10, median } =
    'p10' in options
      ? (options as { p10: number; median: number })
      : (options[strategy]?.scoring ?? { p10: -1, median: -1 });
  return [p10, median];
}

test("the lab thresholds are Lighthouse's own, for each device", async () => {
  for (const metric of metricNames.filter(name => name !== 'server_response_time'))
    for (const strategy of strategies)
      assert.deepEqual(
        labThresholdsOf(metric, strategy),
        await readControlPoints(metric, strategy),
        `${metric} ${strategy}`,
      );
});
