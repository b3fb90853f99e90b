import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromCrux, type LoadingExperience, toDate, toFieldVitals, toP75 } from './field-data.ts';

const shares = (good: number, middle: number, poor: number) => [
  { min: 0, max: 10, proportion: good },
  { min: 10, max: 25, proportion: middle },
  { min: 25, proportion: poor },
];

const metric = (percentile: number) => ({ percentile, distributions: shares(0.7, 0.2, 0.1), category: 'FAST' });

const fast = {
  LARGEST_CONTENTFUL_PAINT_MS: metric(1223),
  INTERACTION_TO_NEXT_PAINT: metric(96),
  CUMULATIVE_LAYOUT_SHIFT_SCORE: metric(0),
  FIRST_CONTENTFUL_PAINT_MS: metric(1135),
  EXPERIMENTAL_TIME_TO_FIRST_BYTE: metric(527),
};

const without = (...names: (keyof typeof fast)[]) =>
  Object.fromEntries(Object.entries(fast).filter(([name]) => !names.some(dropped => dropped === name)));

const assessmentOf = (metrics: LoadingExperience['metrics'] & object) => toFieldVitals({ metrics })?.assessment;

test('all five metrics are read, each with p75, unit, rating and distribution', () => {
  const distribution = [0.7, 0.2, 0.1];
  assert.deepEqual(toFieldVitals({ metrics: fast }), {
    scope: 'url',
    collected_by: 'psi',
    period: null,
    assessment: 'passed',
    largest_contentful_paint: { p75: 1223, unit: 'millisecond', rating: 'good', distribution },
    interaction_to_next_paint: { p75: 96, unit: 'millisecond', rating: 'good', distribution },
    cumulative_layout_shift: { p75: 0, unit: 'unitless', rating: 'good', distribution },
    first_contentful_paint: { p75: 1135, unit: 'millisecond', rating: 'good', distribution },
    time_to_first_byte: { p75: 527, unit: 'millisecond', rating: 'good', distribution },
  });
});

test('cumulative layout shift, which PSI multiplies by 100, is divided by 100', () => {
  const cases: [number, number, string][] = [
    [0, 0, 'good'],
    [1, 0.01, 'good'],
    [10, 0.1, 'good'],
    [11, 0.11, 'needs-improvement'],
    [25, 0.25, 'needs-improvement'],
    [26, 0.26, 'poor'],
    [57, 0.57, 'poor'],
    [134, 1.34, 'poor'],
  ];
  for (const [percentile, p75, rating] of cases) {
    const shift = toFieldVitals({
      metrics: { CUMULATIVE_LAYOUT_SHIFT_SCORE: metric(percentile) },
    })?.cumulative_layout_shift;
    assert.equal(shift?.p75, p75);
    assert.equal(shift?.rating, rating, String(percentile));
  }
});

test('no other metric is divided', () => {
  const vitals = toFieldVitals({
    metrics: { INTERACTION_TO_NEXT_PAINT: metric(200), LARGEST_CONTENTFUL_PAINT_MS: metric(4001) },
  });
  assert.equal(vitals?.interaction_to_next_paint?.p75, 200);
  assert.equal(vitals?.interaction_to_next_paint?.rating, 'good');
  assert.equal(vitals?.largest_contentful_paint?.p75, 4001);
  assert.equal(vitals?.largest_contentful_paint?.rating, 'poor');
});

test('data of the origin are marked, data of the URL are not', () => {
  assert.equal(toFieldVitals({ metrics: fast })?.scope, 'url');
  assert.equal(toFieldVitals({ metrics: fast, origin_fallback: false })?.scope, 'url');
  assert.equal(toFieldVitals({ metrics: fast, origin_fallback: true })?.scope, 'origin');
});

test('missing field data are null', () => {
  assert.equal(toFieldVitals(undefined), null);
  assert.equal(toFieldVitals({}), null);
  assert.equal(toFieldVitals({ metrics: {} }), null);
  assert.equal(toFieldVitals({ metrics: {}, origin_fallback: true }), null);
  const onlyUrl = JSON.parse('{"initial_url":"https://example.com/"}');
  assert.equal(toFieldVitals(onlyUrl), null);
});

test('a metric without enough data is absent, not null', () => {
  const vitals = toFieldVitals({ metrics: without('INTERACTION_TO_NEXT_PAINT') });
  assert.ok(vitals && !('interaction_to_next_paint' in vitals));
});

test('removed and unknown names are ignored', () => {
  const gone = {
    FIRST_INPUT_DELAY_MS: metric(3),
    EXPERIMENTAL_INTERACTION_TO_NEXT_PAINT: metric(90),
    toString: metric(1),
  };
  assert.equal(toFieldVitals({ metrics: gone }), null);
});

test('the assessment passes if LCP, CLS and INP are good, whatever the other two are', () => {
  assert.equal(assessmentOf(fast), 'passed');
  assert.equal(
    assessmentOf({ ...fast, EXPERIMENTAL_TIME_TO_FIRST_BYTE: metric(5000), FIRST_CONTENTFUL_PAINT_MS: metric(9000) }),
    'passed',
  );
  assert.equal(
    assessmentOf({
      LARGEST_CONTENTFUL_PAINT_MS: metric(2500),
      INTERACTION_TO_NEXT_PAINT: metric(200),
      CUMULATIVE_LAYOUT_SHIFT_SCORE: metric(10),
    }),
    'passed',
  );
});

test('one of LCP, CLS and INP that is not good fails the assessment', () => {
  assert.equal(assessmentOf({ ...fast, LARGEST_CONTENTFUL_PAINT_MS: metric(2501) }), 'failed');
  assert.equal(assessmentOf({ ...fast, CUMULATIVE_LAYOUT_SHIFT_SCORE: metric(11) }), 'failed');
  assert.equal(assessmentOf({ ...fast, INTERACTION_TO_NEXT_PAINT: metric(201) }), 'failed');
  assert.equal(assessmentOf({ ...fast, INTERACTION_TO_NEXT_PAINT: metric(501) }), 'failed');
});

test('without INP the other two decide; without LCP or CLS there is no assessment', () => {
  assert.equal(assessmentOf(without('INTERACTION_TO_NEXT_PAINT')), 'passed');
  assert.equal(
    assessmentOf({ ...without('INTERACTION_TO_NEXT_PAINT'), LARGEST_CONTENTFUL_PAINT_MS: metric(9000) }),
    'failed',
  );
  assert.equal(assessmentOf(without('LARGEST_CONTENTFUL_PAINT_MS')), null);
  assert.equal(assessmentOf(without('CUMULATIVE_LAYOUT_SHIFT_SCORE')), null);
  assert.equal(assessmentOf({ EXPERIMENTAL_TIME_TO_FIRST_BYTE: metric(100) }), null);
});

test('a share of 0 is 0, even if it was omitted', () => {
  const distributionOf = (distributions: unknown) =>
    toFieldVitals({ metrics: { LARGEST_CONTENTFUL_PAINT_MS: { percentile: 100, distributions } } })
      ?.largest_contentful_paint?.distribution;
  assert.deepEqual(distributionOf(shares(1, 0, 0)), [1, 0, 0]);
  assert.deepEqual(distributionOf([{ proportion: 1 }, { min: 10 }, { min: 25 }]), [1, 0, 0]);
});

test('a metric of the wrong shape counts as absent, and the others stay', () => {
  const malformed: unknown[] = [
    null,
    7,
    'fast',
    [],
    {},
    { percentile: 100 },
    { percentile: 100, distributions: null },
    { percentile: 100, distributions: {} },
    { percentile: 100, distributions: [] },
    { percentile: 100, distributions: [{ proportion: 0.5 }, { proportion: 0.5 }] },
    { percentile: 100, distributions: [{ proportion: '0.5' }, { proportion: 0.3 }, { proportion: 0.2 }] },
    { percentile: '100', distributions: shares(1, 0, 0) },
    { percentile: null, distributions: shares(1, 0, 0) },
    { distributions: shares(1, 0, 0) },
  ];
  for (const value of malformed) {
    const experience = JSON.parse(JSON.stringify({ metrics: { ...fast, LARGEST_CONTENTFUL_PAINT_MS: value } }));
    const vitals = toFieldVitals(experience);
    assert.ok(vitals && !('largest_contentful_paint' in vitals), JSON.stringify(value));
    assert.equal(vitals.interaction_to_next_paint?.p75, 96);
  }
});

test('field data of the wrong type are no field data', () => {
  for (const json of [
    'null',
    '7',
    '"x"',
    '[]',
    '{"metrics":null}',
    '{"metrics":7}',
    '{"metrics":"x"}',
    '{"metrics":[]}',
  ])
    assert.equal(toFieldVitals(JSON.parse(json)), null, json);
});

test('values that no visit can have are no field data', () => {
  for (const p75 of [-1, '-0.1', '  ', 'NaN', '1e999', Number.NaN, [1], null]) assert.equal(toP75(p75), undefined);
  assert.equal(toP75('0.05'), 0.05);
  for (const proportions of [shares(1.2, 0, 0), shares(-0.1, 1, 0.1)])
    assert.equal(
      toFieldVitals({ metrics: { ...fast, INTERACTION_TO_NEXT_PAINT: { percentile: 1, distributions: proportions } } })
        ?.interaction_to_next_paint,
      undefined,
    );
  const histogram = [{ density: -1 }, { density: 5 }, { density: 1e9 }];
  const record = { metrics: { largest_contentful_paint: { histogram, percentiles: { p75: 1 } } } };
  assert.equal(fromCrux({ record }, 'url'), null);
  assert.equal(toDate({ year: 2026, month: 2, day: 30 }), undefined);
  assert.equal(toDate({ year: 2026, month: 2, day: 28 }), '2026-02-28');
});
