import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFailedAudit, buildLocalResult, buildResult } from '../../../test/web/reports.ts';
import type { DisturbanceKind } from '../../contract/result/runs.ts';
import {
  bestFindings,
  countFindings,
  type FindingGroup,
  firstAdvice,
  groupFindings,
  mergeFindings,
  sayEffect,
  sayPoints,
  saySavings,
} from './findings.ts';

const idsOf = (groups: readonly FindingGroup[]) =>
  groups.map(({ category, findings }) => [category, findings.map(({ id }) => id)]);

test("audits are grouped by category and stay in the service's order", () => {
  const result = buildResult({
    failed_audits: [
      buildFailedAudit('largest-contentful-paint'),
      buildFailedAudit('image-alt', { categories: ['accessibility', 'seo'] }),
      buildFailedAudit('cache-insight'),
      buildFailedAudit('meta-description', { categories: ['seo'] }),
      buildFailedAudit('bootup-time'),
    ],
  });
  const groups = groupFindings(result);
  assert.deepEqual(idsOf(groups), [
    ['performance', ['cache-insight', 'bootup-time']],
    ['accessibility', ['image-alt']],
    ['seo', ['meta-description']],
  ]);
  assert.equal(countFindings(groups), 4);
});

test('an audit of two sides is listed once, with the sides that have it', () => {
  const psi = buildResult({ failed_audits: [buildFailedAudit('both'), buildFailedAudit('remote-only')] });
  const lighthouse = buildLocalResult({ failed_audits: [buildFailedAudit('local-only'), buildFailedAudit('both')] });
  const [group] = mergeFindings(psi, lighthouse);
  assert.deepEqual(
    group?.findings.map(({ id, sources }) => [id, sources]),
    [
      ['local-only', ['lighthouse']],
      ['both', ['psi', 'lighthouse']],
      ['remote-only', ['psi']],
    ],
  );
});

test('with two sides, an audit that repeats the findings of its files stays behind them', () => {
  const findings = [
    { id: 'script:https://example.com/', audit: 'bootup-time', title: 'Inline scripts', points: 26 },
  ].map(found => ({ ...found, category: 'performance' as const, is_simulated: true, files: [], savings: {} }));
  const failed_audits = [
    buildFailedAudit('bootup-time', { points: 26 }),
    buildFailedAudit('cache-insight', { points: 2 }),
  ];
  const lighthouse = buildLocalResult({ findings, failed_audits });
  const psi = buildResult({ findings: [], failed_audits: [] });
  const [first] = bestFindings(mergeFindings(psi, lighthouse), 1);
  assert.equal(first?.id, 'script:https://example.com/');
  const points = mergeFindings(psi, lighthouse).flatMap(group => group.findings.map(({ id, points: of }) => [id, of]));
  assert.deepEqual(points, [
    ['script:https://example.com/', 26],
    ['bootup-time', 0],
    ['cache-insight', 0],
  ]);
});

test('with two sides, a disturbed local side ranks by its score without the disturbance, as alone', () => {
  const failed_audits = [
    buildFailedAudit('cache-insight', { points: 20 }),
    buildFailedAudit('image-alt', { categories: ['accessibility'], points: 9 }),
  ];
  const scores = { performance: 48, accessibility: 55 };
  const kinds: DisturbanceKind[] = ['processor_wait'];
  const disturbance = { kinds, denied: [], performance: 90, total_blocking_time: null };
  const of = (given: object) => mergeFindings(buildResult(), buildLocalResult({ failed_audits, scores, ...given }));
  const firstOf = (given: object) => bestFindings(of(given), 1)[0]?.id;
  assert.equal(firstOf({}), 'cache-insight');
  assert.equal(firstOf({ disturbed: true, disturbance }), 'image-alt');
});

test('savings are listed largest first, and not at all if there are none', () => {
  const savings = {
    first_contentful_paint: 300,
    largest_contentful_paint: 1400,
    total_blocking_time: 3,
    unknown_metric: 50,
  };
  const said = saySavings(buildFailedAudit('x', { savings }));
  assert.deepEqual(
    said.map(text => text.replaceAll('\u00a0', ' ')),
    ['1.4 s on the main content', '300 ms on the first paint', '50 ms'],
  );
  assert.deepEqual(saySavings(buildFailedAudit('x', { savings: { cumulative_layout_shift: 0.12 } })), [
    '0.12 of layout shift',
  ]);
});

test('an audit that only helps returning visitors is marked, also in an older stored result', () => {
  const cache = buildFailedAudit('cache-insight', {
    savings: { largest_contentful_paint: 10_700 },
    display_value: 'Est savings of 3.5 MiB',
  });
  assert.deepEqual(saySavings(cache), []);
  assert.equal(sayEffect(cache), 'may save 3.7\u00a0MB on a later visit');
  const result = buildResult({ metrics: { largest_contentful_paint: 11_600 }, failed_audits: [cache] });
  assert.equal(firstAdvice(result), undefined);
});

test("an effect is a saving in the page's units, else the value that Lighthouse measured", () => {
  const savings = { largest_contentful_paint: 2400 };
  const display = 'Est savings of 1,992 KiB';
  assert.equal(
    sayEffect(buildFailedAudit('a', { savings, display_value: display })),
    'may save 2.4\u00a0s on the main content and 2.0\u00a0MB',
  );
  assert.equal(sayEffect(buildFailedAudit('a', { display_value: 'Est savings of 33 KiB' })), 'may save 34\u00a0kB');
  assert.equal(
    sayEffect(buildFailedAudit('a', { savings, display_value: 'Est savings of 2,400 ms' })),
    'may save 2.4\u00a0s on the main content',
  );
  const blocking = buildFailedAudit('a', { savings: { ...savings, total_blocking_time: -1400 } });
  assert.equal(sayEffect(blocking), 'may save 2.4\u00a0s on the main content, but add 1.4\u00a0s of blocking');
  assert.deepEqual(saySavings(blocking), ['2.4\u00a0s on the main content']);
  assert.equal(sayEffect(buildFailedAudit('a', { display_value: '3 `a` elements' })), '3 a elements');
  assert.equal(sayEffect(buildFailedAudit('a')), undefined);
});

test('an estimate of zero is not shown', () => {
  const shown = [
    'Est savings of 0 KiB',
    'Est savings of 0 bytes',
    'Est savings of 412 B',
    'Est savings of 0 ms',
    'Est savings of 5 ms',
  ];
  for (const display_value of shown) assert.equal(sayEffect(buildFailedAudit('a', { display_value })), undefined);
  const savings = { cumulative_layout_shift: 0.0002, largest_contentful_paint: 4 };
  assert.equal(sayEffect(buildFailedAudit('a', { savings, display_value: 'Est savings of 0 KiB' })), undefined);
});

test('a finding shows how many points it is worth', () => {
  const say = (points?: number) => sayPoints({ points, category: 'seo' });
  assert.deepEqual(
    [say(12.4), say(0.9), say(0.4), say(0), say()],
    ['up to 12 points of SEO', 'up to 1 point of SEO', undefined, undefined, undefined],
  );
});

test('findings of two sides are in order of their points', () => {
  const psi = buildResult({ failed_audits: [buildFailedAudit('remote-only', { points: 9 })] });
  const lighthouse = buildLocalResult({
    failed_audits: [buildFailedAudit('first', { points: 12 }), buildFailedAudit('last', { points: 0 })],
  });
  const [group] = mergeFindings(psi, lighthouse);
  assert.deepEqual(
    group?.findings.map(({ id }) => id),
    ['first', 'remote-only', 'last'],
  );
});

const ranked = (id: string, points: number, category: 'performance' | 'accessibility' | 'seo' = 'performance') => ({
  id,
  title: `Title of ${id}`,
  category,
  points,
  is_simulated: true,
  files: [],
  savings: category === 'performance' ? { total_blocking_time: 800 } : {},
});

test('a script is named first with its points and their category, although no audit of it failed', () => {
  const result = buildResult({
    scores: { performance: 66, accessibility: 89 },
    metrics: { total_blocking_time: 880 },
    findings: [
      { ...ranked('script:https://example.com/extra.js', 20), title: 'extra.js blocks the main thread' },
      ranked('image-alt', 11, 'accessibility'),
    ],
    failed_audits: [buildFailedAudit('image-alt', { categories: ['accessibility'], points: 11 })],
  });
  assert.deepEqual(idsOf(groupFindings(result)), [
    ['performance', ['script:https://example.com/extra.js']],
    ['accessibility', ['image-alt']],
  ]);
  const first = firstAdvice(result);
  assert.equal(first?.title, 'extra.js blocks the main thread');
  assert.equal(first && sayPoints(first), 'up to 20 points of performance');
});

test('performance is first unless another category has a lower rating or 10 points less', () => {
  const firstOf = (performance: number, accessibility: number) =>
    groupFindings(
      buildResult({
        scores: { performance, accessibility },
        failed_audits: [
          buildFailedAudit('image-alt', { categories: ['accessibility'], points: 11 }),
          buildFailedAudit('render-blocking-insight', { points: 3 }),
        ],
      }),
    )[0]?.category;
  assert.deepEqual(
    [firstOf(75, 89), firstOf(80, 75), firstOf(80, 60), firstOf(97, 89), firstOf(60, 40)],
    ['performance', 'performance', 'accessibility', 'accessibility', 'accessibility'],
  );
});
