import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildAudit, buildLhr, buildMeasuredLhr } from '../../test/builders/lhr.ts';
import type { Lhr } from './lhr.ts';
import type { Report } from './report.ts';
import { chooseRun, toRuns, toSpread } from './runs.ts';
import { toReport } from './to-report.ts';

const runOf = (fcp: number, interactive: number): Lhr =>
  buildMeasuredLhr({
    audits: [
      buildAudit('first-contentful-paint', { numericValue: fcp }),
      buildAudit('interactive', { numericValue: interactive }),
    ],
  });
const reportOf = (performance: number | null, lcp: number | null): Report => {
  const facts = { source: 'lighthouse', analyser: { kind: 'local' }, url: 'https://example.com/' } as const;
  const report = toReport(buildMeasuredLhr(), {
    ...facts,
    strategy: 'mobile',
    categories: ['performance'],
    field: null,
    blockedRequests: 0,
  });
  const { metrics } = report;
  const largest = { ...metrics.largest_contentful_paint, value: lcp };
  return { ...report, scores: { performance }, metrics: { ...metrics, largest_contentful_paint: largest } };
};

test('a spread is the ends, the middle and how far they are apart', () => {
  assert.deepEqual(toSpread([3, 1, 2]), { min: 1, median: 2, max: 3, spread: 2 });
  assert.deepEqual(toSpread([4, 1]), { min: 1, median: 2.5, max: 4, spread: 3 });
  assert.deepEqual(toSpread([0, 0]), { min: 0, median: 0, max: 0, spread: 0 });
  assert.deepEqual(toSpread([0.3, 0.1]), { min: 0.1, median: 0.2, max: 0.3, spread: 0.2 });
});

test('what is absent does not count, zero does', () => {
  assert.deepEqual(toSpread([null, 0, undefined, 10]), { min: 0, median: 5, max: 10, spread: 10 });
  assert.equal(toSpread([null, undefined]), undefined);
  assert.equal(toSpread([null, 5]), undefined, 'one value has no spread');
  assert.equal(toSpread([]), undefined);
});

test('the median lies between the ends', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 5 }), values => {
      const { min, median, max } = toSpread(values) ?? assert.fail();
      assert.ok(min <= median && median <= max);
    }),
  );
});

test('the run nearest to the median of both metrics is chosen, whatever the order', () => {
  const runs = [runOf(900, 5000), runOf(1000, 3000), runOf(4000, 2900)];
  assert.deepEqual(chooseRun(runs), { index: 1, by: 'median_run' });
  assert.deepEqual(chooseRun(runs.toReversed()), { index: 1, by: 'median_run' });
  assert.deepEqual(chooseRun([runs[2], runs[0], runs[1]] as Lhr[]), { index: 2, by: 'median_run' });
});

test('a run without those metrics is not chosen while another has them', () => {
  assert.deepEqual(chooseRun([buildLhr(), runOf(1, 2), buildLhr()]), { index: 1, by: 'median_run' });
  assert.deepEqual(chooseRun([buildLhr(), buildLhr()]), { index: 0, by: 'first_run' });
  assert.deepEqual(chooseRun([buildLhr()]), { index: 0, by: 'only_run' });
});

test('runs are told with how many there were and which one is shown', () => {
  const reports = [reportOf(70, 1000), reportOf(90, null), reportOf(80, 3000)];
  const runs = toRuns(reports, { asked: 4, chosen: { index: 2, by: 'median_run' } });
  assert.deepEqual([runs.asked, runs.completed, runs.chosen, runs.chosen_by], [4, 3, 3, 'median_run']);
  assert.deepEqual(runs.scores, { performance: { min: 70, median: 80, max: 90, spread: 20 } });
  assert.deepEqual(runs.metrics.largest_contentful_paint, { min: 1000, median: 2000, max: 3000, spread: 2000 });
  assert.deepEqual(toRuns([reportOf(null, null)], { asked: 2, chosen: { index: 0, by: 'only_run' } }).scores, {});
});
