import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFailedAudit } from '../../../test/web/reports.ts';
import { bearsOn, countChoices } from './metric-filter.ts';

test('a finding affects the metrics that it improves, and those that Lighthouse names without an estimate', () => {
  const bearing = (fields: Parameters<typeof buildFailedAudit>[1], id = 'x') => bearsOn(buildFailedAudit(id, fields));
  assert.deepEqual(bearing({ savings: { largest_contentful_paint: 100, first_contentful_paint: 5 } }), ['fcp', 'lcp']);
  assert.deepEqual(bearing({ metrics: ['cumulative_layout_shift', 'interaction_to_next_paint'] }), ['cls']);
  assert.deepEqual(bearing({ metrics: ['total_blocking_time'], savings: { total_blocking_time: 9 } }), ['tbt']);
  assert.deepEqual(bearing({}), []);
});

test('a finding that only helps on a later visit affects no metric of this one', () => {
  const cache = buildFailedAudit('cache-insight', { savings: { largest_contentful_paint: 900 } });
  assert.deepEqual(bearsOn(cache), []);
});

test('each choice shows its number of findings; if no finding affects a metric, there are no choices', () => {
  const findings = [
    buildFailedAudit('a', { savings: { largest_contentful_paint: 1, first_contentful_paint: 1 } }),
    buildFailedAudit('b', { savings: { largest_contentful_paint: 1 } }),
    buildFailedAudit('c'),
  ];
  assert.deepEqual(
    countChoices(findings).map(({ choice, count }) => [choice, count]),
    [
      ['all', 3],
      ['fcp', 1],
      ['lcp', 2],
      ['tbt', 0],
      ['cls', 0],
    ],
  );
  assert.deepEqual(countChoices([buildFailedAudit('c')]), []);
  assert.deepEqual(countChoices([]), []);
});
