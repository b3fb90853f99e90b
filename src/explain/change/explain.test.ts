import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Difference } from '../../contract/stored/change.ts';
import { explain, explainAlike } from './explain.ts';

/** Without a verdict, the compared values do not matter. */
const say = (name: Difference['name'], before: string, after: string): string =>
  explain({} as never, [{ name, before: [before], after: [after], effect: 'no_verdict' }]);

test('sides that cannot be compared get advice that helps', () => {
  assert.match(say('benchmark_index', '1500', '700'), /Measure both again on an idle machine\.$/);
  assert.match(say('url', 'https://a.example/', 'https://b.example/'), /Choose results of one page\.$/);
  assert.match(say('throttling', 'CPU 4×', 'CPU 2×'), /Measure both with the same settings\.$/);
  assert.match(say('conditions', 'ci', 'none'), /not measured under the same conditions .*cannot be compared\.$/);
});

test('another machine is named as a cause only if the changed files leave room for one', () => {
  const measure = { before: 98, after: 68, difference: -30, interval: [-31, -29], status: 'worse', by: 'ranks' };
  const compared = {
    scores: { performance: measure },
    metrics: {},
    verdict: { status: 'worse', decided_by: ['performance'], against: [], more_runs: null },
    onlyOn: { before: [], after: [] },
    tooSmall: [],
  } as never;
  const differences: Difference[] = [
    { name: 'benchmark_index', before: ['1500'], after: ['1100'], effect: 'possible_cause' },
  ];
  const told = (points: number) => {
    const none = { before: 0, after: 0 };
    const effect = { points, largestPaintMs: 0, blockingMs: 0 };
    const bytes = { before: 0, after: 119_000 };
    const requests = { before: 0, after: 1 };
    const file = {
      kind: 'added',
      url: '/tracker.js',
      type: 'Script',
      bytes,
      resourceBytes: none,
      cpuMs: none,
    } as const;
    const explained = { compared, runs: 5, history: 0, pace: 6 };
    return explainAlike(explained, { measured: compared, files: [{ ...file, requests, effect }], differences });
  };
  assert.match(told(-29), /^tracker\.js was added .* costs 29 points\./);
  assert.doesNotMatch(told(-29), /speed of the machine/);
  assert.match(told(-12), /The speed of the machine also differs and may be a cause\.$/);
});
