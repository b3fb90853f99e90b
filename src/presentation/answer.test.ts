import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison, buildLocalReport, buildProblem, buildReport } from '../../test/web/reports.ts';
import { columnsOf, joinResults, type Result, toResult } from './answer.ts';

const asked = { source: 'psi', strategy: 'mobile' } as const;
const url = 'https://example.com/';
const failure = { url, error: buildProblem() };

const shapeOf = (result: Result | undefined) =>
  result && columnsOf(result).map(({ source, strategy, part }) => `${source} ${strategy} ${part.ok ? 'ok' : 'failed'}`);

test('a Report is one column', () => {
  assert.deepEqual(shapeOf(toResult(buildLocalReport({ strategy: 'desktop' }), asked)), ['lighthouse desktop ok']);
});

test('both strategies are two columns, and a failed one hides nothing', () => {
  const body = { url, strategy: 'both', mobile: failure, desktop: buildReport({ strategy: 'desktop' }) };
  assert.deepEqual(shapeOf(toResult(body, asked)), ['psi mobile failed', 'psi desktop ok']);
});

test('a Problem of two failed halves still has both', () => {
  const body = { ...buildProblem(), url, strategy: 'both', mobile: failure, desktop: failure };
  assert.deepEqual(shapeOf(toResult(body, asked)), ['psi mobile failed', 'psi desktop failed']);
});

test('a comparison is a pairing, also with a failed side', () => {
  const body = { ...buildComparison(buildReport(), buildLocalReport()), psi: failure, comparison: null };
  const result = toResult(body, asked);
  assert.equal(result?.kind, 'comparisons');
  assert.deepEqual(shapeOf(result), ['psi mobile failed', 'lighthouse mobile ok']);
});

test('a failure of a list is a column under what was asked', () => {
  assert.deepEqual(shapeOf(toResult(failure, asked)), ['psi mobile failed']);
});

test('what is none of these is nothing', () => {
  for (const body of [undefined, null, 'x', 7, [], {}, buildProblem(), { url, error: 'x' }, { detail: [] }])
    assert.equal(toResult(body, asked), undefined);
});

test('results asked for apart are joined in their order', () => {
  const [mobile, desktop] = [buildLocalReport(), buildLocalReport({ strategy: 'desktop' })].map(
    body => toResult(body, asked) as Result,
  );
  assert.deepEqual(shapeOf(joinResults([mobile as Result, desktop as Result])), [
    'lighthouse mobile ok',
    'lighthouse desktop ok',
  ]);
});
