import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison, buildFailedAudit, buildLocalResult, buildResult } from '../../test/web/reports.ts';
import type { Pairing } from './answer.ts';
import { toSideNames } from './side-names.ts';
import { sayComparison, sayVerdict } from './verdict.ts';

const names = toSideNames({ kind: 'embedded' });
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('says of a slow page what is slow and what to fix first', () => {
  const result = buildResult({
    scores: { performance: 48, accessibility: 53, seo: 100 },
    metrics: { largest_contentful_paint: 12_031, total_blocking_time: 1410, speed_index: 9000 },
    failed_audits: [
      buildFailedAudit('largest-contentful-paint'),
      buildFailedAudit('bootup-time', { title: 'Reduce `JavaScript`', savings: { total_blocking_time: 1400 } }),
    ],
  });
  assert.equal(
    plain(sayVerdict(result)),
    'This page is slow on mobile: Largest Contentful Paint is 12.0 s and Total Blocking Time is 1.4 s. First to fix: Reduce JavaScript (may save 1.4 s of blocking). Accessibility could do better.',
  );
});

test('says of a good page that nothing is to fix', () => {
  assert.equal(sayVerdict(buildResult({ strategy: 'desktop' })), 'This page is fast on desktop. Nothing to fix.');
});

test('without performance the number of faults is what there is to say', () => {
  const failed = [buildFailedAudit('a', { categories: ['seo'] }), buildFailedAudit('b', { categories: ['seo'] })];
  assert.equal(sayVerdict(buildResult({ scores: { seo: 92 }, failed_audits: failed })), '2 things to fix.');
});

test('a score that could not be given is not called slow', () => {
  assert.match(sayVerdict(buildResult({ scores: { performance: null } })), /^Lighthouse could not score/);
});

const pairing = (extra: Record<string, unknown> = {}, local = 100): Pairing => {
  const [psi, lighthouse] = [buildResult(), buildLocalResult({ scores: { performance: local } })];
  // What is not said is not drawn: the page gets along with less than the service sends.
  const comparison = buildComparison(psi, lighthouse, extra).comparison as unknown as Pairing['comparison'];
  return {
    strategy: 'mobile',
    psi: { ok: true, result: psi },
    lighthouse: { ok: true, result: lighthouse },
    comparison,
  };
};

test('shows the verdict of the service', () => {
  assert.equal(sayComparison(pairing({ verdict: 'Said by the service.' }), names), 'Said by the service.');
});

test('says the difference of the scores where the service has no verdict', () => {
  assert.equal(
    sayComparison(pairing({}, 74), names),
    'Local against PageSpeed Insights settings, on this machine: Performance 26 points lower.',
  );
  assert.equal(sayComparison(pairing(), names), 'Both sides give the same scores.');
});

test('says that half a comparison is none', () => {
  assert.match(sayComparison({ ...pairing(), comparison: null }, names), /nothing to compare/);
});
