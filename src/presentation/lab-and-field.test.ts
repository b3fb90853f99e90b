import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldMetric, FieldVitals } from '../contract/result/metrics.ts';
import type { Result } from '../contract/result/result.ts';
import { sayEarliest, sayLabAgainstField } from './lab-and-field.ts';

const toResult = (lcp: number | null, cls = 0, more: Partial<Result> = {}) =>
  ({
    metrics: {
      largest_contentful_paint: { value: lcp, unit: 'millisecond', rating: 'good' },
      first_contentful_paint: { value: null, unit: 'millisecond', rating: null },
      cumulative_layout_shift: { value: cls, unit: 'unitless', rating: 'good' },
    },
    disturbed: false,
    ...more,
  }) as unknown as Result;
const toField = (lcp: number, rating: 'good' | 'poor' | 'needs-improvement', more: Partial<FieldVitals> = {}) =>
  ({
    scope: 'url',
    largest_contentful_paint: { p75: lcp, unit: 'millisecond', rating, distribution: [1, 0, 0] },
    ...more,
  }) as FieldVitals;

test('a load that is slower than visits says by how much, in which direction, and both ratings', () => {
  assert.deepEqual(sayLabAgainstField(toResult(4100), toField(2100, 'good')), [
    'Lab and field disagree on Largest Contentful Paint: 4.1\u00a0s in this load (poor) is 2.0\u00a0s slower than the 2.1\u00a0s of three out of four visits to this page (good).',
  ]);
  const [faster = ''] = sayLabAgainstField(toResult(1000), toField(4500, 'poor', { scope: 'origin' }));
  assert.match(faster, /3\.5\ss faster than the 4\.5\ss of three out of four visits to the whole site \(poor\)/);
});

test('equal ratings, small differences, missing and disturbed values are no disagreement', () => {
  assert.deepEqual(sayLabAgainstField(toResult(1000), toField(2400, 'good')), []);
  assert.deepEqual(sayLabAgainstField(toResult(2600), toField(2400, 'good')), []);
  assert.deepEqual(sayLabAgainstField(toResult(null), toField(2400, 'good')), []);
  assert.deepEqual(sayLabAgainstField(toResult(9000), null), []);
  const disturbance = { kinds: ['late_paint'], denied: ['largest_contentful_paint'], performance: null };
  const disturbed = toResult(9000, 0, { disturbed: true, disturbance } as unknown as Partial<Result>);
  assert.deepEqual(sayLabAgainstField(disturbed, toField(2400, 'good')), []);
});

test('a layout shift is more or less', () => {
  const cumulative_layout_shift = {
    p75: 0.02,
    unit: 'unitless',
    rating: 'good',
    distribution: [1, 0, 0],
  } as FieldMetric;
  const [said = ''] = sayLabAgainstField(toResult(1000, 0.3), toField(1000, 'good', { cumulative_layout_shift }));
  assert.match(said, /0\.30 in this load \(poor\) is 0\.28 more than the 0\.02/);
});

test('the oldest week with a value is named', () => {
  const history = {
    scope: 'url',
    last_dates: ['2026-02-01', '2026-02-08', '2026-02-15'],
    largest_contentful_paint: [null, 2600, 2500],
    cumulative_layout_shift: [null, null, 0.1],
  } as const;
  const given = history as unknown as Parameters<typeof sayEarliest>[0];
  assert.equal(
    sayEarliest(given, 'largest_contentful_paint', 'millisecond'),
    '2.6\u00a0s in the 28 days until 2026-02-08',
  );
  assert.equal(sayEarliest(given, 'cumulative_layout_shift', 'unitless'), undefined);
  assert.equal(sayEarliest(given, 'interaction_to_next_paint', 'millisecond'), undefined);
  assert.equal(sayEarliest(undefined, 'largest_contentful_paint', 'millisecond'), undefined);
});
