import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildProblem, buildResult } from '../../test/web/reports.ts';
import { namesFor, sayAnalyser, toSideNames } from './side-names.ts';

test('the PSI side has the name of its server, and only Google is called Google', () => {
  const nameOf = (analyser: Parameters<typeof toSideNames>[0]) => {
    const { full, short } = toSideNames(analyser).psi;
    return [full, short];
  };
  assert.deepEqual(nameOf({ kind: 'google', host: 'x' }), ['PageSpeed Insights (Google)', 'Google']);
  assert.deepEqual(nameOf({ kind: 'custom', host: 'psi.example' }), [
    'PageSpeed Insights at psi.example',
    'psi.example',
  ]);
  assert.deepEqual(nameOf({ kind: 'embedded' }), ['PageSpeed Insights settings, on this machine', 'PSI settings']);
  assert.deepEqual(nameOf(undefined), ['Remote analyser', 'Remote']);
});

test('the analyser in a result takes precedence over the current configuration', () => {
  const known = toSideNames({ kind: 'google' });
  const measured = { ok: true, result: buildResult({ analyser: { kind: 'embedded' } }) } as const;
  assert.equal(namesFor(measured, known).psi.short, 'PSI settings');
  const failed = { ok: false, url: 'x', failure: { kind: 'problem', problem: buildProblem() } } as const;
  assert.equal(namesFor(failed, known), known);
  const local = { ok: true, result: buildResult({ source: 'lighthouse', analyser: { kind: 'local' } }) } as const;
  assert.equal(namesFor(local, known), known);
});

test('a local result is called a local Lighthouse result', () => {
  assert.equal(sayAnalyser({ kind: 'local' }), 'Lighthouse on this machine');
  assert.equal(sayAnalyser({ kind: 'google' }), 'PageSpeed Insights (Google)');
});
