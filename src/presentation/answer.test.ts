import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison, buildLocalResult, buildProblem, buildResult } from '../../test/web/reports.ts';
import { type Answer, columnsOf, joinAnswers, toAnswer } from './answer.ts';

const asked = { source: 'psi', strategy: 'mobile' } as const;
const url = 'https://example.com/';
const failure = { url, error: buildProblem() };

const shapeOf = (result: Answer | undefined) =>
  result && columnsOf(result).map(({ source, strategy, part }) => `${source} ${strategy} ${part.ok ? 'ok' : 'failed'}`);

test('a result is one column', () => {
  assert.deepEqual(shapeOf(toAnswer(buildLocalResult({ strategy: 'desktop' }), asked)), ['lighthouse desktop ok']);
});

test('both strategies are two columns, and a failed one hides nothing', () => {
  const body = { url, strategy: 'both', mobile: failure, desktop: buildResult({ strategy: 'desktop' }) };
  assert.deepEqual(shapeOf(toAnswer(body, asked)), ['psi mobile failed', 'psi desktop ok']);
});

test('a Problem of two failed halves still shows both', () => {
  const body = { ...buildProblem(), url, strategy: 'both', mobile: failure, desktop: failure };
  assert.deepEqual(shapeOf(toAnswer(body, asked)), ['psi mobile failed', 'psi desktop failed']);
});

test('a comparison is a pairing, even with a failed side', () => {
  const body = { ...buildComparison(buildResult(), buildLocalResult()), psi: failure, comparison: null };
  const result = toAnswer(body, asked);
  assert.equal(result?.kind, 'comparisons');
  assert.deepEqual(shapeOf(result), ['psi mobile failed', 'lighthouse mobile ok']);
});

test('a failure in a list is a column under the requested URL', () => {
  assert.deepEqual(shapeOf(toAnswer(failure, asked)), ['psi mobile failed']);
});

test('a stored failure names its source and strategy', () => {
  const kept = { id: '01a2', links: {}, ...failure, source: 'lighthouse', strategy: 'desktop' };
  assert.deepEqual(shapeOf(toAnswer(kept, asked)), ['lighthouse desktop failed']);
});

test('any other body is not an answer', () => {
  for (const body of [undefined, null, 'x', 7, [], {}, buildProblem(), { url, error: 'x' }, { detail: [] }])
    assert.equal(toAnswer(body, asked), undefined);
});

test('separately requested results are joined in order', () => {
  const [mobile, desktop] = [buildLocalResult(), buildLocalResult({ strategy: 'desktop' })].map(
    body => toAnswer(body, asked) as Answer,
  );
  assert.deepEqual(shapeOf(joinAnswers([mobile as Answer, desktop as Answer])), [
    'lighthouse mobile ok',
    'lighthouse desktop ok',
  ]);
});
