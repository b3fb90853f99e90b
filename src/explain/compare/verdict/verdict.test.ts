import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause, Comparison } from '../../../contract/analysis/comparison.ts';
import type { Analyser } from '../../../contract/result/result.ts';
import { toVerdict } from './verdict.ts';

const google: Analyser = { kind: 'google', host: 'psi.example' };
const causeOf = (cause: Cause['cause'], points: number | null, certainty: Cause['certainty'] = 'computed'): Cause => ({
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
const comparisonOf = (fields: Partial<Comparison>): Comparison => ({
  explanation: '',
  scores: {},
  metrics: {},
  performance: null,
  causes: [],
  re_audits: { status: 'done', order: [], detail: '' },
  noise: null,
  audits: { flipped: [], only_psi: [], only_lighthouse: [] },
  ...fields,
});
const tell = (fields: Partial<Comparison>, analyser = google) => toVerdict(comparisonOf(fields), analyser);

test('the verdict names a difference with its direction and its two largest reasons', () => {
  const causes = [causeOf('cpu', -16.2), causeOf('server', -3), causeOf('run_noise', -1, 'possible')];
  assert.equal(
    tell({ scores: { performance: pairOf(90, 71) }, causes }),
    "Local Lighthouse scores performance 71, 19 points lower than PageSpeed Insights (90): −16.2 by CPU throttling (computed) and −3 by the server's answer times (computed).",
  );
});

test('reasons that cancel each other out, or go the other way, are no statement', () => {
  const causes = [causeOf('cpu', -3), causeOf('server', 3)];
  assert.equal(tell({ scores: { performance: pairOf(90, 90) }, causes }), 'Both sides score performance 90.');
  assert.match(tell({ scores: { performance: pairOf(90, 80) }, causes }), /: −3 by CPU throttling \(computed\)\.$/);
  assert.equal(tell({ scores: { performance: pairOf(0, 0) } }), 'Both sides score performance 0.');
});

test('where nothing else is large enough to be named, noise is', () => {
  const causes = [causeOf('cpu', -1.8), causeOf('run_noise', -4.9, 'possible')];
  const scores = { performance: pairOf(90, 83) };
  assert.match(tell({ scores, causes }), / 7 points lower .*\(90\): possibly by run noise\.$/);
  const other = { ...causeOf('different_page', null, 'observed'), explanation: 'The pages differ.' };
  assert.match(tell({ scores, causes: [other, ...causes] }), /\(90\)\.$/);
});

test('of a difference that two runs of one page show no reason is named', () => {
  const causes = [causeOf('cpu', 4), causeOf('server', null, 'observed')];
  assert.equal(
    tell({ scores: { performance: pairOf(90, 91) }, causes }),
    'Local Lighthouse scores performance 91, 1 point higher than PageSpeed Insights (90), within normal run-to-run variation.',
  );
});

const page = (certainty: Cause['certainty'], explanation: string): Cause => ({
  ...causeOf('different_page', null, certainty),
  category: null,
  explanation,
});

test('another page comes first in the verdict, with what is different; one that may be comes later', () => {
  const causes = [page('observed', 'The two sides did not load the same page: one got a 403 for /a.png.')];
  const rest = causeOf('unexplained', 30, 'possible');
  assert.match(
    tell({ scores: { performance: pairOf(60, 90) }, causes: [...causes, rest] }),
    /^The two sides did not load the same page: one got a 403 for \/a\.png; Local Lighthouse .* \(60\)\.$/,
  );
  const possible = [page('possible', 'The two sides may have been given different pages: so.')];
  assert.match(
    tell({ scores: { performance: pairOf(60, 90) }, causes: possible }),
    /\(60\): possibly by a different page; the two sides may have been given different pages: so\.$/,
  );
});

test('of no known cause it is said which metric it is in, where one carries it', () => {
  const metric = (weight: number, points: number) => ({ weight, psi: 100, lighthouse: 50, points });
  const say = (shifts: number, blocking: number, ...others: Cause[]) =>
    tell({
      scores: { performance: pairOf(90, 70) },
      performance: {
        difference: -20,
        rounding: 0,
        metrics: { cumulative_layout_shift: metric(25, shifts), total_blocking_time: metric(30, blocking) },
      },
      causes: [...others, causeOf('unexplained', -20, 'observed')],
    });
  assert.match(say(-18, -2), /: −20 by no known cause, most of it in layout shifts\.$/);
  assert.match(say(5, -25), /: −20 by no known cause, most of it in blocking time\.$/);
  assert.match(say(-10, -10), /: −20 by no known cause\.$/);
  assert.match(say(-18, -2, causeOf('cpu', -9)), /(computed).*; the other 20 points have no known cause\.$/);
});

test('what is possible is named before no known cause, and what was cut is said', () => {
  const scores = { performance: pairOf(90, 70) };
  const open = causeOf('unexplained', -20, 'observed');
  assert.match(tell({ scores, causes: [open] }), /: −20 by no known cause\.$/);
  const causes = [causeOf('machine', -9, 'possible'), causeOf('cached_answer', null, 'possible'), open];
  assert.match(
    tell({ scores, causes }),
    /: possibly by the speed of the machines and by the age of the remote answer\.$/,
  );
  const many = [...causes, causeOf('lighthouse_version', null, 'observed')];
  assert.match(
    tell({ scores, causes: many }),
    /: possibly by the speed .*, by the age of the remote answer and others\.$/,
  );
});

test('a cost beyond the whole difference is called all of it', () => {
  const scores = { performance: pairOf(90, 80) };
  assert.match(tell({ scores, causes: [causeOf('cpu', -24)] }), /: all of it by CPU throttling \(computed\)\.$/);
});

test('causes beyond the difference that work against each other have no share in it', () => {
  const scores = { performance: pairOf(77, 69) };
  assert.match(
    tell({ scores, causes: [causeOf('cpu', -30), causeOf('throttling', 22)] }),
    /\(77\): CPU throttling outweighs network throttling \(computed\)\.$/,
  );
  assert.match(
    tell({ scores, causes: [causeOf('cpu', -12), causeOf('throttling', 4)] }),
    /: −12 by .{0,30}CPU throttling/,
  );
});

test('the verdict names the differences of other categories, and the side that saw the fault', () => {
  const scores = { accessibility: pairOf(90, 100), 'best-practices': pairOf(80, 80), seo: pairOf(70, 70) };
  const flip = { id: 'image-alt', title: '', psi: 0, lighthouse: 100, fault_on: 'psi' } as const;
  const flipped = [{ ...flip, categories: ['accessibility' as const] }];
  assert.equal(
    tell({ scores, audits: { flipped, only_psi: [], only_lighthouse: [] } }),
    'Accessibility differs by +10 (the remote side saw a fault in image-alt); best practices and SEO are the same.',
  );
  assert.equal(tell({ scores: { seo: pairOf(70, 60) } }), 'SEO differs by −10.');
  assert.equal(tell({ scores: { seo: pairOf(0, 0) } }), 'SEO is the same.');
});

test('the verdict says when both sides ran here, where the other is, and what could not be computed', () => {
  const scores = { performance: pairOf(90, 80) };
  assert.match(
    tell({ scores }, { kind: 'embedded', host: '127.0.0.1:1' }),
    /the embedded analyser .*; both sides ran on this machine\.$/,
  );
  assert.match(tell({ scores }, { kind: 'custom', host: 'psi.test:1' }), /than the remote analyser at psi\.test:1 /);
  const re_audits = { status: 'not_possible', order: [], detail: '' } as const;
  assert.match(
    tell({ scores, re_audits: { ...re_audits, order: [] } }),
    /; what the settings cost could not be computed\.$/,
  );
  assert.match(
    tell({ scores, re_audits: { ...re_audits, order: ['machine'] } }),
    /; what the speed of the machines costs could not be computed\.$/,
  );
});

test('the verdict names what a side did not score, with the score of the other', () => {
  const re_audits: Comparison['re_audits'] = { status: 'not_possible', order: ['cpu'], detail: '' };
  const embedded = { kind: 'embedded', host: '127.0.0.1:1' } as const;
  assert.equal(
    tell({ scores: { performance: pairOf(null, null) }, re_audits }, embedded),
    'Neither side scored performance; both sides ran on this machine.',
  );
  assert.equal(tell({ scores: { performance: pairOf(null, 0) } }), 'Only the local side scored performance (0).');
  assert.equal(
    tell({
      scores: { performance: pairOf(90, null), accessibility: pairOf(80, 80), seo: pairOf(70, null) },
    }),
    'Accessibility is the same; only the remote side scored performance (90) and SEO (70).',
  );
  assert.equal(
    tell({ scores: { accessibility: pairOf(null, null), seo: pairOf(null, null) } }),
    'Neither side scored accessibility or SEO.',
  );
  assert.equal(tell({}), 'There is nothing that both sides scored.');
});
