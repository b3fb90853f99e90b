import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLocalResult, buildProblem } from '../../../test/web/reports.ts';
import { comparison } from '../../../test/web/sample-answers.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { comparisonPolicy, renderComparison } from './render-strategies.ts';

type Body = Parameters<typeof renderComparison>[0];
const whole = comparison() as unknown as Body;
const url = 'https://harbour.example/';

test('the verdict, scores, metrics and causes are in the markup itself', () => {
  const text = renderComparison(whole);
  for (const part of [
    'Local Lighthouse scores 35, Google 61.',
    'aria-label="Performance: 61 of 100, needs improvement"',
    'aria-label="Performance: 35 of 100, poor"',
    'Where the points went',
    'Local: 2.3\u00a0s longer',
    'Why they differ',
    'What to fix',
  ])
    assert.ok(text.includes(part), part);
});

test('the file runs no script, and its policy allows none', () => {
  const text = renderComparison(whole);
  assert.deepEqual(text.match(/<script[^>]*>/g), ['<script type="application/json" id="comparison">']);
  assert.ok(text.includes(`content="${comparisonPolicy}"`));
  assert.doesNotMatch(comparisonPolicy, /script-src|unsafe/);
  assert.doesNotMatch(text, / on\w+=|javascript:/);
});

test('the answer is in the file, unchanged', () => {
  const [, json = ''] = /id="comparison">([^<]*)<\/script>/.exec(renderComparison(whole)) ?? [];
  assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(whole)));
});

test('times are in UTC, with the time zone, on any machine', () => {
  assert.match(
    renderComparison(whole),
    /<time datetime="2026-11-20T10:00:00.000Z">Nov 20, 2026, 10:00:00\sAM UTC<\/time>/,
  );
});

test('a file has nothing that needs a service', () => {
  assert.doesNotMatch(renderComparison(whole), /<(form|button)|href="\?|href="#url/);
});

test('a failed side is shown next to the other, and a failure of both sides once', () => {
  const failure = { url, error: buildProblem({ code: 'psi_timeout', detail: 'Not within 150 s.' }) };
  const half = renderComparison({ ...whole, psi: failure, lighthouse: buildLocalResult({ url }), comparison: null });
  assert.ok(half.includes('>Remote<'));
  const named = renderComparison(
    { ...whole, psi: failure, lighthouse: buildLocalResult({ url }), comparison: null },
    toSideNames({ kind: 'embedded' }),
  );
  assert.ok(named.includes('PSI settings') && !named.includes('>Remote<'));
  assert.ok(
    half.includes('One side failed') && half.includes('<code>psi_timeout</code>') && half.includes('What to fix'),
  );
  const counted = (lighthouse: typeof failure) =>
    renderComparison({ ...whole, psi: failure, lighthouse, comparison: null }).split('<code>psi_timeout</code>')
      .length - 1;
  assert.equal(counted(failure), 1);
  assert.equal(counted({ url, error: buildProblem({ code: 'psi_timeout', detail: 'Not within 60 s.' }) }), 2);
});
