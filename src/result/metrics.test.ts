import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildLhr, buildMeasuredLhr } from '../../test/builders/lhr.ts';
import { toLabVitals, toMetrics } from './metrics.ts';
import { metricNames } from './report.ts';

const metricsOf = (id: string, fields: Parameters<typeof buildAudit>[1]) =>
  toMetrics(buildLhr({ audits: [buildAudit(id, { scoreDisplayMode: 'numeric', ...fields })] }));

test('each metric is read from its own audit', () => {
  const metrics = toMetrics(buildMeasuredLhr());
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
  });
});

test('only cumulative layout shift has no unit, measured or not', () => {
  for (const metrics of [toMetrics(buildMeasuredLhr()), toMetrics(buildLhr())])
    for (const name of metricNames)
      assert.equal(metrics[name].unit, name === 'cumulative_layout_shift' ? 'unitless' : 'millisecond', name);
});

test('a metric that measured nothing has the value 0 and is rated', () => {
  const metrics = metricsOf('total-blocking-time', { numericValue: 0, score: 0, displayValue: '0 ms' });
  assert.deepEqual(metrics.total_blocking_time, { value: 0, unit: 'millisecond', display_value: '0 ms', score: 0 });
  assert.equal(toLabVitals(metrics).total_blocking_time.rating, 'good');
});

test('a metric that was not measured is null throughout, and unrated', () => {
  const absent = { value: null, unit: 'millisecond', display_value: null, score: null };
  assert.deepEqual(toMetrics(buildLhr()).largest_contentful_paint, absent);

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
  );
  assert.deepEqual(toLabVitals(metrics), {
    largest_contentful_paint: { value: 2500.5, unit: 'millisecond', rating: 'needs-improvement' },
    cumulative_layout_shift: { value: 0.26, unit: 'unitless', rating: 'poor' },
    total_blocking_time: { value: 200, unit: 'millisecond', rating: 'good' },
  });
});
