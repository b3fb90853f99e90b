import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide, pageUrl } from '../../../test/support/builders/side.ts';
import { compareSides } from '../../compare/compare-sides.ts';
import type { Result } from '../../contract/result.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { type Job, type Measured, toMeasured } from '../jobs.ts';
import { toResultsText } from './output-text.ts';
import { createPaint } from './paint.ts';

const plain = createPaint(false);
const show = (...all: Measured[]) => toResultsText(plain, all, toSideNames({ kind: 'embedded' }));

const toJob = (path: string, index = 0): Job => ({
  ...{ index, url: pageUrl, strategy: 'mobile' },
  call: {
    ...{ method: 'GET', path },
    lanes: (path === 'compare' ? (['psi', 'lighthouse'] as const) : (['lighthouse'] as const)).map(source => ({
      ...{ source, strategy: 'mobile' },
    })),
  },
});
const succeed = (path: string, body: unknown, index = 0) => toMeasured(toJob(path, index), { ok: true, body });

const spread = (min: number, median: number, max: number) => ({ min, median, max, spread: max - min });
const runs: Result['runs'] = {
  ...{ asked: 3, completed: 3, chosen: 2, chosen_by: 'median_run' },
  ...{ scores: { performance: spread(90, 94, 97) }, metrics: { largest_contentful_paint: spread(1100, 1200, 2400) } },
};

const problem = {
  type: 'x',
  title: 'Page is blank',
  status: 502,
  detail: 'Nothing.',
  code: 'page_blank',
  retryable: true,
};
const [psi, lighthouse] = [buildSide(), buildSide({ source: 'lighthouse', metricScores: [1, 1, 0.1, 1, 1] })];
const comparison = compareSides(psi, lighthouse, { outcome: { results: [] }, askedAtMs: 0 });
const compared = {
  ...{ url: pageUrl, strategy: 'mobile', psi: psi.result, lighthouse: lighthouse.result, comparison },
};

test('one result shows each score and metric with its mark, and a score of zero as zero', () => {
  const { result } = buildSide({ source: 'lighthouse', metricScores: [0, 0, 0, 0, 0] });
  const text = show(succeed('lighthouse', { ...result, lighthouse_result: { big: true } }));
  assert.match(text, /^https:\/\/example\.com\/\n {2}mobile · Lighthouse on this machine · Lighthouse /);
  assert.match(text, /Performance +▲ 0 +poor\n/);
  assert.match(text, /Accessibility +● 100 +good\n/);
  assert.match(text, /Largest Contentful Paint +[●▲■] /);
  assert.doesNotMatch(text, /undefined|NaN|null|\[object/);
});

test('a score that is missing is a dash and has no rating', () => {
  const { result } = buildSide({ source: 'lighthouse', metricScores: [null, 1, 1, 1, 1] });
  assert.match(show(succeed('lighthouse', result)), /Performance +–\n/);
});

test('a finding says what fixing it may save, in the units of the page', () => {
  const audit = {
    ...{ id: 'a', title: 'Improve `images`', description: '', score: 0, categories: ['performance'] },
    ...{ display_value: 'Est savings of 1,992 KiB', savings: { largest_contentful_paint: 2400 } },
  } as Result['failed_audits'][number];
  const { result } = buildSide({ source: 'lighthouse', result: { failed_audits: [audit] } });
  assert.match(
    show(succeed('lighthouse', result)),
    / {2}- Improve images \(may save 2\.4\u00a0s on the main content and 2\.0\u00a0MB\)\n/,
  );
});

test('several runs show how far they lie apart', () => {
  const { result } = buildSide({ source: 'lighthouse', result: { runs } });
  const text = show(succeed('lighthouse', result));
  assert.match(text, /the median of 3 runs/);
  assert.match(text, /Performance .* 90–97\n/);
  assert.match(text, /Largest Contentful Paint .* 1\.1\u00a0s–2\.4\u00a0s\n/);
});

test('a comparison shows both sides, their difference with its points, its causes and the verdict', () => {
  const text = show(succeed('compare', compared));
  const { scores, verdict, causes } = comparison;
  const difference = String(scores.performance?.difference).replace('-', '−');
  assert.match(text, new RegExp(`Performance +● 100 +[▲■] \\d+ +${difference}\n`));
  assert.match(text, /Total Blocking Time .* −\d+\.\d\n/);
  assert.ok(causes.length > 0 && causes.every(({ explanation }) => text.includes(explanation)));
  assert.ok(text.includes(verdict));
  assert.doesNotMatch(text, /undefined|NaN|null|\[object/);
});

test('shows the other side where one failed, and says which', () => {
  const half = { ...compared, psi: { url: pageUrl, error: problem }, comparison: null };
  const text = show(succeed('compare', half));
  assert.match(text, /Performance +[▲■] \d+/);
  assert.match(
    text,
    /✗ https:\/\/example\.com\/ \(mobile, PSI settings\)\n {2}Page is blank \(page_blank\): Nothing\.\n/,
  );
});

test('says once what failed alike on both sides', () => {
  const body = {
    ...compared,
    ...problem,
    psi: { url: pageUrl, error: problem },
    lighthouse: { url: pageUrl, error: problem },
  };
  const failed = toMeasured(toJob('compare'), {
    ok: false,
    failure: { kind: 'cut' },
    body: { ...body, comparison: null },
  });
  const text = show(failed);
  assert.equal(text.match(/page_blank/g)?.length, 1);
  assert.match(text, /\(mobile, PSI settings and Local\)/);
});

test('several results are a row each, in the order asked, failures among them', () => {
  const failed = toMeasured(toJob('lighthouse', 1), {
    ...{ ok: false, failure: { kind: 'problem', problem }, body: problem },
  } as const);
  const text = show(succeed('lighthouse', lighthouse.result), failed, succeed('compare', compared, 2));
  const rows = text.split('\n').slice(2, 7);
  const patterns = [
    ...[/Local +[▲■] \d+/, /✗ page_blank: Nothing\./, /PageSpeed Insights +● 100/],
    ...[/Local +[▲■]/, /difference +−\d+/],
  ];
  for (const [at, pattern] of patterns.entries()) assert.match(rows[at] ?? '', pattern);
  assert.ok(text.includes(`${pageUrl}: ${comparison.verdict}`));
});
