import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEntry } from '../../../test/support/builders/entry.ts';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import type { MeasureChange } from '../../contract/stored/change-verdict.ts';
import { type AuditedAgain, explainVersion, toVersionEffect } from './version-effect.ts';

const changeOf = (difference: number | null): MeasureChange => ({
  unit: 'millisecond',
  before: 1,
  after: 1,
  difference,
  interval: null,
  min_effect: null,
  status: 'undecided',
  by: null,
  p_value: null,
  more_runs: null,
});
const changes = {
  scores: { performance: changeOf(-12) },
  metrics: { largest_contentful_paint: changeOf(400), total_blocking_time: changeOf(null) },
};
const runOf = (lcp: number, again: number | null, score: number | null = 1): AuditedAgain['runs'][number] => {
  const entry = buildEntry();
  const audits = Object.keys(buildMeasuredLhr().audits).map(id => [id, { score, value: 5 }] as const);
  return {
    entry: { ...entry, metrics: { ...entry.metrics, largest_contentful_paint: lcp } },
    audited: { ...Object.fromEntries(audits), 'largest-contentful-paint': { score, value: again } },
  };
};
const again = (side: 'before' | 'after', ...runs: AuditedAgain['runs']): AuditedAgain => ({
  side,
  runs,
  measuredWith: ['12.8.2'],
  auditedWith: '13.5.0',
});

test('the median effect of the version over all loads is reported, and the rest of the difference', () => {
  const runs = [runOf(1000, 1100), runOf(1500, 1650), runOf(9000, 9100)];
  const { metrics, scores, ids } = toVersionEffect(again('before', ...runs), changes, buildMeasuredLhr());
  assert.deepEqual(metrics, { largest_contentful_paint: { by_version: 100, rest: 300 } });
  assert.deepEqual(scores, { performance: { by_version: 2, rest: -14 } });
  assert.equal(ids.length, 3);
});

test('for loads of the newer version the signs are reversed, because the older version is the one left', () => {
  const { metrics } = toVersionEffect(again('after', runOf(1000, 1100)), changes, undefined);
  assert.deepEqual(metrics.largest_contentful_paint, { by_version: -100, rest: 500 });
});

test('without the weights or a metric of the score, the score is omitted', () => {
  assert.deepEqual(toVersionEffect(again('before', runOf(1, 2)), changes, undefined).scores, {});
  assert.deepEqual(toVersionEffect(again('before', runOf(1, 2, null)), changes, buildMeasuredLhr()).scores, {});
});

test('an audit without a value is ignored, and the sentence says so', () => {
  const given = again('before', runOf(1000, null, null));
  const version = toVersionEffect(given, changes, buildMeasuredLhr());
  assert.deepEqual([version.scores, version.metrics], [{}, {}]);
  assert.equal(
    explainVersion(given, version),
    ' The effect of the Lighthouse version is unknown: 1 load of the side before, audited again with Lighthouse 13.5.0, returned no value.',
  );
});
