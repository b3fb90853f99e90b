import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Analyser } from '../../contract/result/result.ts';
import { describeVerdict } from './describe-verdict.ts';
import { type FoundCause, type FoundComparison, fact } from './evidence.ts';

const google: Analyser = { kind: 'google', host: 'psi.example' };
const causeOf = (
  cause: FoundCause['cause'],
  points: number | null,
  certainty: FoundCause['certainty'] = 'computed',
): FoundCause => ({
  cause,
  category: 'performance',
  points,
  certainty,
  evidence: [],
  explanation: '',
});
const pairOf = (psi: number | null, lighthouse: number | null) => ({
  psi,
  lighthouse,
  difference: psi === null || lighthouse === null ? null : lighthouse - psi,
});
const comparisonOf = (fields: Partial<FoundComparison>): FoundComparison => ({
  scores: {},
  metrics: {},
  performance: null,
  causes: [],
  re_audits: { status: 'done', order: [], detail: '' },
  noise: null,
  audits: { flipped: [], only_psi: [], only_lighthouse: [] },
  ...fields,
});
const tell = (fields: Partial<FoundComparison>, analyser = google) =>
  describeVerdict(comparisonOf(fields), {
    analyser,
    isSameMachine: analyser.kind === 'embedded',
    page: fields.causes?.find(({ cause }) => cause === 'different_page')?.explanation,
  });

test('the verdict names a difference with its direction and its two largest reasons', () => {
  const causes = [causeOf('cpu', -16.2), causeOf('server', -3), causeOf('run_noise', -1, 'possible')];
  assert.equal(
    tell({ scores: { performance: pairOf(90, 71) }, causes }),
    'Local Lighthouse scores 71, Google 90. CPU throttling explains 16.2 of the 19 points, and server response times explain 3.',
  );
});

test('an older result is named next to a difference of the page, which may have changed since', () => {
  const page = {
    ...causeOf('different_page', -30, 'observed'),
    explanation: 'The two sides did not load the same page.',
  };
  const old = {
    ...causeOf('cached_answer', 0, 'possible'),
    evidence: [{ fact: 'seconds_old', psi: 185, lighthouse: 0 }],
  } as unknown as typeof page;
  const scores = { performance: pairOf(98, 66) };
  assert.match(
    tell({ scores, causes: [page, old] }),
    /^The two sides did not load the same page\. The result on Google is 3 minutes old\. Measure both again if the page changed since\. /,
  );
  assert.match(
    tell({ scores, causes: [causeOf('cpu', -32), old] }),
    /^Local .* The result on Google is 3 minutes old\.$/,
  );
});

test('opposed reasons are compared only as they are', () => {
  const say = (cost: number, gain: number) =>
    tell({ scores: { performance: pairOf(90, 80) }, causes: [causeOf('throttling', cost), causeOf('cpu', gain)] });
  assert.match(say(-18, 12), /costs 18 points, more than the 12 that CPU throttling gains\./);
  assert.match(say(-12, 16.5), /costs 12 points, and CPU throttling gains 16\.5 points\./);
});

test('a disturbed side is named unless a stated cause names it', () => {
  const say = (points: number, disturbed: NonNullable<FoundComparison['disturbed']>, pair = pairOf(90, 80)) =>
    tell({ scores: { performance: pair }, causes: [causeOf('disturbed_run', points, 'observed')], disturbed });
  const warned = /disturbed: measure again before you act on this\.$/;
  assert.doesNotMatch(say(-10, ['lighthouse']), warned);
  assert.match(say(-10, ['psi', 'lighthouse']), warned);
  assert.match(say(-3, ['lighthouse'], pairOf(100, 100)), warned);
});

test('reasons that cancel each other, or have the opposite sign, are not stated', () => {
  const causes = [causeOf('cpu', -3), causeOf('server', 3)];
  assert.equal(tell({ scores: { performance: pairOf(90, 90) }, causes }), 'Both sides score 90.');
  assert.match(
    tell({ scores: { performance: pairOf(90, 80) }, causes }),
    / CPU throttling explains 3 of the 10 points\.$/,
  );
  assert.equal(tell({ scores: { performance: pairOf(0, 0) } }), 'Both sides score 0.');
});

test('without a cause large enough to be named, noise is the cause', () => {
  const causes = [causeOf('cpu', -1.8), causeOf('run_noise', -4.9, 'possible')];
  const scores = { performance: pairOf(90, 83) };
  assert.equal(tell({ scores, causes }), 'Local Lighthouse scores 83, Google 90. Possible cause: run-to-run noise.');
  const other = { ...causeOf('different_page', null, 'observed'), explanation: 'The pages differ.' };
  assert.equal(
    tell({ scores, causes: [other, ...causes] }),
    'The pages differ. Local Lighthouse scores 83, Google 90.',
  );
});

test('a difference no larger than between two runs of one page gets no reason', () => {
  const causes = [causeOf('cpu', 4), causeOf('server', null, 'observed')];
  assert.equal(
    tell({ scores: { performance: pairOf(90, 91) }, causes }),
    'Local Lighthouse scores 91, Google 90. The difference is within normal run-to-run variation.',
  );
});

const page = (certainty: FoundCause['certainty'], explanation: string): FoundCause => ({
  ...causeOf('different_page', null, certainty),
  category: null,
  explanation,
});

test('a different page is first in the verdict, with its differences; a possible one is later', () => {
  const causes = [page('observed', 'The two sides did not load the same page: one got a 403 for /a.png.')];
  const rest = causeOf('unexplained', 30, 'possible');
  assert.match(
    tell({ scores: { performance: pairOf(60, 90) }, causes: [...causes, rest] }),
    /^The two sides did not load the same page: one got a 403 for \/a\.png\. Local Lighthouse scores 90, Google 60\.$/,
  );
  const possible = [page('possible', 'The two sides may have loaded different pages: so.')];
  assert.match(
    tell({ scores: { performance: pairOf(60, 90) }, causes: possible }),
    / 60\. Possible cause: a different page\. The two sides may have loaded different pages: so\.$/,
  );
});

test('without a known cause the verdict names the metric with the difference, if there is one', () => {
  const metric = (weight: number, points: number) => ({ weight, psi: 100, lighthouse: 50, points });
  const say = (shifts: number, blocking: number, ...others: FoundCause[]) =>
    tell({
      scores: { performance: pairOf(90, 70) },
      performance: {
        difference: -20,
        rounding: 0,
        metrics: { cumulative_layout_shift: metric(25, shifts), total_blocking_time: metric(30, blocking) },
      },
      causes: [...others, causeOf('unexplained', -20, 'observed')],
    });
  assert.match(say(-18, -2), / There is no known cause for the difference, which is mostly in layout shifts\.$/);
  assert.match(say(5, -25), / There is no known cause for the difference, which is mostly in blocking time\.$/);
  assert.match(say(-10, -10), / There is no known cause for the difference\.$/);
  assert.match(
    say(-18, -2, causeOf('cpu', -9)),
    / CPU throttling explains 9 of the 20 points\. There is no known cause for the other 20 points\.$/,
  );
});

test('possible causes precede a statement that there is none, and a shortened list says so', () => {
  const scores = { performance: pairOf(90, 70) };
  const open = causeOf('unexplained', -20, 'observed');
  assert.match(tell({ scores, causes: [open] }), / There is no known cause for the difference\.$/);
  const causes = [causeOf('machine', -9, 'possible'), causeOf('cached_answer', null, 'possible'), open];
  assert.match(
    tell({ scores, causes }),
    / Possible causes: the speed of the machines and the age of the PSI result\.$/,
  );
  const many = [...causes, causeOf('lighthouse_version', null, 'observed')];
  assert.match(
    tell({ scores, causes: many }),
    / Possible causes: the speed .*, the age of the PSI result and others\.$/,
  );
});

test('a cost above the whole difference is reported as the whole difference', () => {
  const scores = { performance: pairOf(90, 80) };
  assert.match(tell({ scores, causes: [causeOf('cpu', -24)] }), / CPU throttling explains the whole difference\.$/);
});

test('causes that exceed the difference and offset each other get no share', () => {
  const scores = { performance: pairOf(77, 69) };
  assert.match(
    tell({ scores, causes: [causeOf('cpu', -30), causeOf('throttling', 22)] }),
    / CPU throttling costs 30 points, more than the 22 that network throttling gains\.$/,
  );
  assert.match(
    tell({ scores, causes: [causeOf('cpu', -12), causeOf('throttling', 4)] }),
    / CPU throttling costs 12 points, more than the 4 that network throttling gains\.$/,
  );
});

test('the verdict names the differences of other categories, and the side with the failure', () => {
  const scores = { accessibility: pairOf(90, 100), 'best-practices': pairOf(80, 80), seo: pairOf(70, 70) };
  const flip = { id: 'image-alt', title: '', psi: 0, lighthouse: 100, fault_on: 'psi' } as const;
  const flipped = [{ ...flip, categories: ['accessibility' as const] }];
  assert.equal(
    tell({ scores, audits: { flipped, only_psi: [], only_lighthouse: [] } }),
    'Accessibility is 10 points higher in local Lighthouse (image-alt failed on Google). Best practices and SEO are the same.',
  );
  assert.equal(tell({ scores: { seo: pairOf(70, 60) } }), 'SEO is 10 points lower in local Lighthouse.');
  assert.equal(tell({ scores: { seo: pairOf(0, 0) } }), 'SEO is the same.');
});

test('the verdict says whether both sides ran on this host, where the other ran, and what could not be computed', () => {
  const scores = { performance: pairOf(90, 80) };
  assert.match(
    tell({ scores }, { kind: 'embedded', host: '127.0.0.1:1' }),
    /^Local Lighthouse scores 80, PageSpeed Insights settings 90\. Both sides ran on one machine\.$/,
  );
  assert.match(
    tell({ scores }, { kind: 'custom', host: 'psi.test:1' }),
    /^Local Lighthouse scores 80, psi\.test:1 90\./,
  );
  const re_audits = { status: 'not_possible', order: [], detail: '' } as const;
  assert.match(
    tell({ scores, re_audits: { ...re_audits, order: [] } }),
    / The effect of the settings could not be computed\.$/,
  );
  assert.match(
    tell({ scores, re_audits: { ...re_audits, order: ['machine'] } }),
    / The effect of the speed of the machines could not be computed\.$/,
  );
});

test('the verdict names categories that a side did not score, with the score of the other', () => {
  const re_audits: FoundComparison['re_audits'] = { status: 'not_possible', order: ['cpu'], detail: '' };
  const embedded = { kind: 'embedded', host: '127.0.0.1:1' } as const;
  assert.equal(
    tell({ scores: { performance: pairOf(null, null) }, re_audits }, embedded),
    'Neither side scored performance. Both sides ran on one machine.',
  );
  assert.equal(tell({ scores: { performance: pairOf(null, 0) } }), 'Scored only in local Lighthouse: performance (0).');
  assert.equal(
    tell({
      scores: { performance: pairOf(90, null), accessibility: pairOf(80, 80), seo: pairOf(70, null) },
    }),
    'Accessibility is the same. Scored only on Google: performance (90) and SEO (70).',
  );
  assert.equal(
    tell({ scores: { accessibility: pairOf(null, null), seo: pairOf(null, null) } }),
    'Neither side scored accessibility or SEO.',
  );
  assert.equal(tell({}), 'The two sides have no score in common.');
});

test('CPU throttling is named with its multipliers, and the score with its whole difference', () => {
  const cpu = {
    ...causeOf('cpu', -25.8),
    evidence: [fact('cpu_slowdown_multiplier', 1.2, 4)],
  };
  assert.equal(
    tell({ scores: { performance: pairOf(74, 48) }, causes: [cpu] }, { kind: 'embedded' }),
    'Local Lighthouse scores 48, PageSpeed Insights settings 74. CPU throttling (4× instead of 1.2×) explains 25.8 of the 26 points. Both sides ran on one machine.',
  );
});
