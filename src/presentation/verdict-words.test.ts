import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison, buildFailedAudit, buildLocalResult, buildResult } from '../../test/web/reports.ts';
import type { Result } from '../contract/result/result.ts';
import type { Pairing } from './answer.ts';
import { toSideNames } from './side-names.ts';
import { sayComparison, sayHeadline, sayVerdict } from './verdict-words.ts';

const names = toSideNames({ kind: 'embedded' });
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('the verdict on a slow page says what is slow and what to fix first', () => {
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
    'This page is slow on mobile: Largest Contentful Paint is 12.0 s and Total Blocking Time is 1.4 s. First to fix: Reduce JavaScript (may save 1.4 s of blocking). Accessibility can be improved.',
  );
});

test('the verdict on a good page says that there is nothing to fix', () => {
  assert.equal(
    sayVerdict(buildResult({ strategy: 'desktop' })),
    'This page is fast on desktop. No audit found anything to fix.',
  );
});

test('without performance, the verdict is the number of failures', () => {
  const failed = [buildFailedAudit('a', { categories: ['seo'] }), buildFailedAudit('b', { categories: ['seo'] })];
  assert.equal(sayVerdict(buildResult({ scores: { seo: 92 }, failed_audits: failed })), '2 things to fix.');
});

test('a good word about a page does not hide categories without a score', () => {
  const scores = { performance: 100, accessibility: null, 'best-practices': 100, seo: null };
  const verdict = sayVerdict(buildResult({ scores }));
  assert.match(verdict, /^This page is fast on mobile\. Accessibility and SEO could not be scored\./);
  assert.match(sayHeadline(buildResult({ scores })), /Accessibility and SEO could not be scored\.$/);
});

test('an audit that crashed is nothing to fix', () => {
  const crashed = buildFailedAudit('image-alt', { categories: ['accessibility'], error_message: 'It crashed.' });
  assert.match(sayVerdict(buildResult({ failed_audits: [crashed] })), /No audit found anything to fix\.$/);
});

test('a missing score is not called slow', () => {
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

test('a score in the middle is never described as neither fast nor slow, and the poor metric is named', () => {
  const say = (metrics: Record<string, number>, performance = 72) =>
    plain(sayVerdict(buildResult({ scores: { performance }, metrics })));
  assert.equal(say({}), 'This page could be faster on mobile. No audit found anything to fix.');
  assert.match(
    say({ total_blocking_time: 900 }),
    /^This page scores 72 on mobile: Total Blocking Time is 900 ms, which is poor\./,
  );
  assert.match(
    say({ cumulative_layout_shift: 0.4 }),
    /^This page scores 72 on mobile: Cumulative Layout Shift is 0\.40, which/,
  );
  assert.match(
    say({ largest_contentful_paint: 5000 }),
    /^The main content of this page appears late on mobile: .* 5\.0 s\./,
  );
  assert.match(
    say({ speed_index: 9000 }, 93),
    /^This page scores 93 on mobile, but Speed Index is 9\.0 s, which is poor\./,
  );
});

test('a good score does not make a page fast if its largest paint needs improvement', () => {
  const say = (ms: number) =>
    plain(sayVerdict(buildResult({ scores: { performance: 95 }, metrics: { largest_contentful_paint: ms } })));
  assert.match(say(2700), /^The score is good, but Largest Contentful Paint is 2\.7 s\./);
  assert.match(say(2400), /^This page is fast on mobile\./);
});

const waited = {
  disturbed: true,
  scores: { performance: 62 },
  metrics: { total_blocking_time: 1400 },
  disturbance: {
    kinds: ['processor_wait' as const],
    denied: ['total_blocking_time' as const, 'interactive' as const],
    performance: 87,
    total_blocking_time: 120,
  },
  failed_audits: [
    buildFailedAudit('bootup-time', { title: 'Reduce JavaScript', savings: { total_blocking_time: 120 } }),
    buildFailedAudit('image-delivery-insight', { title: 'Improve images', savings: { largest_contentful_paint: 900 } }),
  ],
};

test('a disturbed run is judged by its values without the disturbance', () => {
  const said = plain(sayVerdict(buildResult(waited)));
  assert.equal(
    said,
    'This run was disturbed (the page waited for a CPU): it scores 62, and 87 without the disturbance. This page could be faster on mobile.',
  );
  const slow = { ...waited, metrics: { ...waited.metrics, largest_contentful_paint: 3500 } };
  assert.match(
    plain(sayVerdict(buildResult(slow))),
    /First to fix: Improve images \(may save 900 ms on the main content\)\.$/,
  );
});

test('a disturbed run without such values is not judged', () => {
  const late = {
    ...waited,
    metrics: { largest_contentful_paint: 5000, cumulative_layout_shift: 0.4 },
    disturbance: {
      kinds: ['late_paint' as const],
      denied: ['first_contentful_paint' as const, 'largest_contentful_paint' as const],
      performance: null,
      total_blocking_time: null,
    },
  };
  assert.equal(
    plain(sayVerdict(buildResult(late))),
    'This run was disturbed (the browser painted late), so its score of 62 is not reliable: measure the page again. Cumulative Layout Shift is 0.40, which is poor. First to fix: Improve images (may save 900 ms on the main content).',
  );
});

test('a good score does not make a page fast if its main content came late', () => {
  const late_content = { appeared_ms: 2610, filled_before: 12, largest_paint: 'body > footer' };
  const say = (fields: Parameters<typeof buildResult>[0]) =>
    plain(sayVerdict(buildResult({ late_content, ...fields })));
  assert.equal(
    say({}),
    'The score is good, but the main content appeared at 2.6 s: the largest paint was body > footer. No audit found anything to fix.',
  );
  assert.match(
    say({ late_content: { ...late_content, largest_paint: null } }),
    /main content appeared at 2\.6 s\. No audit found/,
  );
  assert.match(
    say({ scores: { performance: 70 } }),
    /^This page could be faster on mobile\. The main content appeared at 2\.6 s/,
  );
});

test("the service's verdict is shown", () => {
  assert.equal(sayComparison(pairing({ explanation: 'Said by the service.' }), names), 'Said by the service.');
});

test('without a verdict from the service, the difference of the scores is shown', () => {
  assert.equal(
    sayComparison(pairing({}, 74), names),
    'Local against PageSpeed Insights settings, on this machine: Performance 26 points lower.',
  );
  assert.equal(sayComparison(pairing(), names), 'Both sides give the same scores.');
});

test('a comparison with a failed side has no verdict', () => {
  assert.match(sayComparison({ ...pairing(), comparison: null }, names), /cannot be compared/);
});

test('if both sides failed, both are said to have failed', () => {
  const failed = { ok: false, url: 'x', failure: { kind: 'unreachable' } } as const;
  const half: Pairing = { ...pairing(), psi: failed, comparison: null };
  assert.equal(sayComparison(half, names), 'One side failed, so the two cannot be compared.');
  const none = { ...half, lighthouse: failed };
  assert.equal(sayComparison(none, names), 'Both sides failed, so the two cannot be compared.');
});

test('a comparison names the side whose main content appeared late', () => {
  const { lighthouse, ...others } = pairing({ explanation: 'Both sides score 100.' });
  const late = { appeared_ms: 2600, filled_before: 4, largest_paint: 'footer' };
  if (!lighthouse.ok) assert.fail('it was measured');
  const shown = { ...others, lighthouse: { ...lighthouse, result: { ...lighthouse.result, late_content: late } } };
  assert.equal(plain(sayComparison(shown, names)), 'Both sides score 100. Local: the main content appeared at 2.6 s.');
});

test('a disturbance that does not change the score names the metric that it changes', () => {
  const disturbance = {
    kinds: ['processor_wait'],
    performance: 95,
    total_blocking_time: 20,
    denied: ['total_blocking_time'],
  };
  const said = sayVerdict(
    buildResult({
      scores: { performance: 95 },
      disturbed: true,
      disturbance: disturbance as NonNullable<Result['disturbance']>,
    }),
  );
  assert.match(
    said,
    /^This run was disturbed \(the page waited for a CPU\): Total Blocking Time is not reliable, but the score would also be 95 without the disturbance\./,
  );
});
