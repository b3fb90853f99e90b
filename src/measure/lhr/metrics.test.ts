import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildLhr, buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { metricNames } from '../../contract/names.ts';
import { toLabVitals, toMetrics } from './metrics.ts';

const metricsOf = (id: string, fields: Parameters<typeof buildAudit>[1]) =>
  toMetrics(buildLhr({ audits: [buildAudit(id, { scoreDisplayMode: 'numeric', ...fields })] }), 'mobile');

test('each metric is read from its own audit', () => {
  const metrics = toMetrics(buildMeasuredLhr(), 'mobile');
  assert.deepEqual(Object.keys(metrics), [...metricNames]);
  assert.deepEqual(
    metricNames.map(name => metrics[name].value),
    [900, 1200, 0, 0.01, 1500, 1300, 80],
  );
  assert.deepEqual(metrics.largest_contentful_paint, {
    value: 1200,
    unit: 'millisecond',
    display_value: '1200 ms',
    score: 100,
    rating: 'good',
  });
});

test('only cumulative layout shift has no unit, measured or not', () => {
  for (const metrics of [toMetrics(buildMeasuredLhr(), 'mobile'), toMetrics(buildLhr(), 'mobile')])
    for (const name of metricNames)
      assert.equal(metrics[name].unit, name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond', name);
});

test('a metric that measured nothing has the value 0 and is rated', () => {
  const metrics = metricsOf('total-blocking-time', { numericValue: 0, score: 0, displayValue: '0 ms' });
  assert.deepEqual(metrics.total_blocking_time, {
    value: 0,
    unit: 'millisecond',
    display_value: '0 ms',
    score: 0,
    rating: 'good',
  });
  assert.equal(toLabVitals(metrics).total_blocking_time.rating, 'good');
});

test('an unmeasured metric is null throughout, and unrated', () => {
  const absent = { value: null, unit: 'millisecond', display_value: null, score: null, rating: null };
  assert.deepEqual(toMetrics(buildLhr(), 'mobile').largest_contentful_paint, absent);

  const errored = metricsOf('largest-contentful-paint', { score: null, scoreDisplayMode: 'error' });
  assert.deepEqual(errored.largest_contentful_paint, absent);
  assert.deepEqual(toLabVitals(errored).largest_contentful_paint, { value: null, unit: 'millisecond', rating: null });
});

test('the lab vitals are LCP, CLS and TBT with their values, units and ratings', () => {
  const metrics = toMetrics(
    buildLhr({
      audits: [
        buildAudit('largest-contentful-paint', { numericValue: 2500.5 }),
        buildAudit('cumulative-layout-shift', { numericValue: 0.26 }),
        buildAudit('total-blocking-time', { numericValue: 200 }),
      ],
    }),
    'mobile',
  );
  assert.deepEqual(toLabVitals(metrics), {
    largest_contentful_paint: { value: 2500.5, unit: 'millisecond', rating: 'needs-improvement' },
    cumulative_layout_shift: { value: 0.26, unit: 'unitless', rating: 'poor' },
    total_blocking_time: { value: 200, unit: 'millisecond', rating: 'good' },
  });
});

test("the server response time is a value with its unit, like the others, whatever the analyser's language", () => {
  for (const [numericValue, shown] of [
    [9.6, '10\u00a0ms'],
    [0, '0\u00a0ms'],
    [1234.5, '1,230\u00a0ms'],
  ] as const)
    for (const displayValue of [`Root document took ${shown}`, 'Das Stammdokument benötigte 10 ms'])
      assert.equal(
        metricsOf('server-response-time', { numericValue, displayValue }).server_response_time.display_value,
        shown,
      );
  const unknown = metricsOf('server-response-time', { score: null, scoreDisplayMode: 'error', displayValue: 'Fehler' });
  assert.equal(unknown.server_response_time.display_value, null);
});

test('a value has the same rating everywhere, by the thresholds of its strategy', () => {
  const lhr = buildLhr({ audits: [buildAudit('largest-contentful-paint', { numericValue: 2000 })] });
  for (const [strategy, rating] of [
    ['mobile', 'good'],
    ['desktop', 'needs-improvement'],
  ] as const) {
    const metrics = toMetrics(lhr, strategy);
    assert.equal(metrics.largest_contentful_paint.rating, rating);
    assert.equal(toLabVitals(metrics).largest_contentful_paint.rating, rating);
  }
});
