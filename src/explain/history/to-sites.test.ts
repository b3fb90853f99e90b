import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SiteRow } from '../../storage/results/store.ts';
import { toSites } from './to-sites.ts';

const row = (at: number, fields: Partial<SiteRow> = {}): SiteRow => ({
  id: `id-${at}`,
  kind: 'result',
  url: 'https://a.example/',
  host: 'a.example',
  source: 'lighthouse',
  strategy: 'mobile',
  label: null,
  profile: 'lighthouse',
  analyser: {
    kind: 'local',
    host: null,
    lighthouseVersion: '13.0.1',
    browserVersion: '140.0.1',
    machineId: 'm',
  },
  cpuSlowdown: 4,
  conditions: null,
  measuredAtMs: Date.UTC(2026, 10, 1) + at * 3_600_000,
  errorCode: null,
  pageStatus: null,
  disturbed: false,
  performance: 90,
  performanceRange: null,
  largestContentfulPaint: 1200,
  totalBlockingTime: 0,
  cumulativeLayoutShift: null,
  benchmarkIndex: 1500,
  results: 30,
  ...fields,
});

test('a page has its last result, its last failure, and the scores of undisturbed results, oldest first', () => {
  const rows = [
    row(5, { kind: 'failure', performance: null, errorCode: 'page_error' }),
    row(4, { performance: 71, performanceRange: { min: 68, max: 74 }, disturbed: true }),
    row(3, { performance: 80 }),
    row(2, { performance: null }),
    row(1, { performance: 82 }),
  ];
  const [page] = toSites(rows, 10).pages;
  assert.deepEqual(
    page?.trend.map(({ performance }) => performance),
    [82, 80],
  );
  assert.deepEqual(page?.last?.metrics, {
    largest_contentful_paint: 1200,
    total_blocking_time: 0,
    cumulative_layout_shift: null,
  });
  assert.deepEqual([page?.last?.id, page?.last?.disturbed, page?.last_failure?.id], ['id-4', true, 'id-5']);
  assert.deepEqual(page?.last?.performance_range, { min: 68, max: 74 });
  assert.equal(page?.change, null);
});

test('a page with only failures is listed without a last result', () => {
  const [page] = toSites([row(1, { kind: 'failure', performance: null })], 10).pages;
  assert.deepEqual([page?.last, page?.trend, page?.last_failure?.id], [null, [], 'id-1']);
});

test('the last change has both its results and the medians before and after', () => {
  const rows = Array.from({ length: 20 }, (_, at) => row(at, { performance: (at < 12 ? 92 : 61) + (at % 3) }));
  const change = toSites(rows.toReversed(), 10).pages[0]?.change;
  assert.deepEqual([change?.status, change?.previous_id, change?.id], ['worse', 'id-11', 'id-12']);
  assert.ok(change && change.before > 90 && change.after < 65);
});

test('a change of the machine is no change of the page, which keeps its change before it', () => {
  const changeOf = (scores: readonly number[], indexOf: (at: number) => number) =>
    toSites(
      scores
        .map((score, at) => row(at, { performance: score + (at % 3), benchmarkIndex: indexOf(at) + (at % 7) }))
        .toReversed(),
      10,
    ).pages[0]?.change;
  const step = (...parts: readonly number[]) => parts.flatMap(score => Array.from({ length: 10 }, () => score));
  const slower = (at: number) => (at < 10 ? 2000 : 1200);
  assert.equal(changeOf(step(92, 80), slower), null);
  assert.equal(changeOf(step(92, 80), () => 2000)?.id, 'id-10');
  assert.equal(changeOf(step(92, 30), slower)?.id, 'id-10', 'far more than a slower machine explains');
  assert.equal(changeOf(step(80, 92), slower)?.id, 'id-10', 'a slower machine makes no page faster');
  assert.equal(changeOf(step(50, 92, 80), at => slower(at - 10))?.id, 'id-10');
});

test('another way of measuring is no change of the page', () => {
  const changeOf = (after: Partial<SiteRow>) =>
    toSites(
      Array.from({ length: 20 }, (_, at) =>
        row(at, { performance: (at < 12 ? 92 : 61) + (at % 3), ...(at < 12 ? {} : after) }),
      ).toReversed(),
      10,
    ).pages[0]?.change;
  const { analyser } = row(0);
  assert.equal(changeOf({ profile: 'psi' }), null);
  assert.equal(changeOf({ cpuSlowdown: 8 }), null);
  assert.equal(changeOf({ analyser: { ...analyser, lighthouseVersion: '13.1.0' } }), null);
  const other = { ...analyser, lighthouseVersion: '13.0.2', browserVersion: '141.0.1', machineId: 'n' };
  assert.equal(changeOf({ analyser: other, label: 'build-2' })?.id, 'id-12');
});

test('a range of earlier results does not mix both sides of a change', () => {
  const rows = Array.from({ length: 20 }, (_, at) => row(at, { performance: (at < 12 ? 92 : 61) + (at % 3) }));
  const rangeWith = (performanceRange: SiteRow['performanceRange']) =>
    toSites([row(20, { performance: 62, performanceRange }), ...rows.toReversed()], 10).pages[0]?.last
      ?.performance_range;
  assert.equal(rangeWith({ min: 61, max: 94 }), null);
  assert.equal(rangeWith({ min: 92, max: 94 }), null);
  assert.deepEqual(rangeWith({ min: 60, max: 64 }), { min: 60, max: 64 });
});

test('devices and sources of one page have separate lines, and a shortened list says so', () => {
  const rows = [row(3), row(2, { strategy: 'desktop' }), row(1, { source: 'psi' })];
  assert.deepEqual(
    toSites(rows, 2).pages.map(({ source, strategy }) => [source, strategy]),
    [
      ['lighthouse', 'mobile'],
      ['lighthouse', 'desktop'],
    ],
  );
  assert.deepEqual([toSites(rows, 2).is_complete, toSites(rows, 3).is_complete], [false, true]);
});
