import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../../../test/support/builders/history.ts';
import { nameOfMetric, sayHistoryValue } from '../words.ts';
import { chartMetrics, sayChange, sayDiffers, toChart } from './history-chart.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('points, medians, changes and gaps are at their times, within the chart', () => {
  for (const metric of chartMetrics) {
    const chart = toChart(buildHistory(metric));
    const all = chart?.points.flatMap(({ x, y }) => [x, y]) ?? [];
    assert.ok(all.length === 40 && all.every(value => value >= 0 && value <= 100));
    assert.deepEqual(
      chart?.points.map(({ x }) => x).toSorted((a, b) => a - b),
      chart?.points.map(({ x }) => x),
    );
    const [change] = chart?.changes ?? [];
    assert.ok(change && (chart?.points[9]?.x ?? 0) < change.x && change.x < (chart?.points[10]?.x ?? 0));
    assert.ok((chart?.gaps[0]?.from ?? 0) > (chart?.points[16]?.x ?? 100));
    assert.deepEqual(
      chart?.labels.map(({ label }) => label),
      ['build-41', 'build-42'],
    );
  }
});

test('better scores are drawn higher, and so are longer times', () => {
  const y = (metric: 'performance' | 'largest_contentful_paint') =>
    toChart(buildHistory(metric))?.steps.map(step => step.y) ?? [];
  const [goodScore = 0, poorScore = 0] = y('performance');
  const [shortTime = 0, longTime = 0] = y('largest_contentful_paint');
  assert.ok(goodScore < poorScore && longTime < shortTime);
});

test('one result, or several with the same value or time, give a chart; none gives none', () => {
  const history = buildHistory('total_blocking_time');
  const [point] = history.points;
  assert.ok(point);
  const bare = { stretches: [], change_points: [], gaps: [] };
  assert.equal(toChart({ ...history, ...bare, points: [point] })?.points[0]?.x, 50);
  const still = toChart({ ...history, ...bare, points: [point, point].map(one => ({ ...one, value: 0 })) });
  assert.ok(still?.points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)));
  assert.equal(toChart({ ...history, ...bare, points: [] }), undefined);
});

test('a change shows its direction, its size and its certainty', () => {
  const history = buildHistory('largest_contentful_paint');
  const [change] = history.change_points;
  assert.ok(change);
  assert.equal(plain(sayChange(change, history)), 'worse: 1.9 s → 3.4 s (+1.5 s; between +1.2 s and +1.8 s)');
  assert.equal(sayDiffers(change), 'label: build-41 → build-42');
  assert.deepEqual(
    [nameOfMetric('performance'), sayHistoryValue(91.5, 'point'), sayHistoryValue(null, 'point')],
    ['Performance', '91.5', '–'],
  );
});
