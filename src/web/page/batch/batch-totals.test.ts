import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildComparison,
  buildFailedAudit,
  buildLocalResult,
  buildProblem,
  buildResult,
} from '../../../../test/web/reports.ts';
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { Row } from '../../../api-client/run-batch.ts';
import { categoryNames } from '../../../contract/names.ts';
import { type Answer, toAnswer } from '../../../presentation/answer.ts';
import { toLines } from './batch-table.ts';
import { toCommonFindings, toTotals } from './batch-totals.ts';

const request: PageRequest = { urls: [], backend: 'remote', strategy: 'mobile', categories: categoryNames };

const rowOf = (index: number, body: unknown): Row => ({
  index,
  url: `https://example.com/${index}`,
  state: 'done',
  answer: toAnswer(body, { source: 'psi', strategy: 'mobile' }) as Answer,
});
const failed = rowOf(9, { url: 'x', error: buildProblem() });

const totalOf = (rows: readonly Row[], key: string, wanted = request) =>
  toTotals(toLines(rows, wanted), wanted)[0]?.totals.find(total => total.key === key);

test('totals are the median and the number of pages rated good, needs improvement or poor, without failed pages', () => {
  const rows = [90, 49, 50, 100].map((performance, at) => rowOf(at, buildResult({ scores: { performance } })));
  assert.deepEqual(totalOf([...rows, failed], 'performance'), {
    key: 'performance',
    median: 70,
    rating: 'needs-improvement',
    counts: { good: 2, 'needs-improvement': 1, poor: 1 },
  });
  const times = [100, 5000, 2600].map((value, at) =>
    rowOf(at, buildResult({ metrics: { largest_contentful_paint: value } })),
  );
  assert.deepEqual(totalOf(times, 'largest_contentful_paint'), {
    key: 'largest_contentful_paint',
    median: 2600,
    rating: 'needs-improvement',
    counts: { good: 1, 'needs-improvement': 1, poor: 1 },
  });
});

test('before the first result every total is shown, without a number', () => {
  const totals = toTotals([], request)[0]?.totals ?? [];
  assert.equal(totals.length, 7);
  assert.ok(totals.every(({ median, rating }) => median === null && rating === null));
  assert.deepEqual(
    toTotals([], { ...request, categories: ['seo'] })[0]?.totals.map(({ key }) => key),
    ['seo'],
  );
});

test('sides and devices have separate totals', () => {
  const both = buildComparison(
    buildResult({ scores: { performance: 60 } }),
    buildLocalResult({ scores: { performance: 20 } }),
  );
  const compared = { ...request, backend: 'compare', strategy: 'both' } as const;
  const groups = toTotals(toLines([rowOf(0, both)], compared), compared);
  assert.deepEqual(
    groups.map(({ source, strategy, totals }) => [source, strategy, totals[0]?.median]),
    [
      ['psi', 'mobile', 60],
      ['lighthouse', 'mobile', 20],
      ['psi', 'desktop', null],
      ['lighthouse', 'desktop', null],
    ],
  );
});

test('common findings are counted by pages, with the largest saving', () => {
  const failing = (index: number, savings: Record<string, number>) =>
    rowOf(
      index,
      buildResult({
        failed_audits: Object.entries(savings).map(([id, saved]) =>
          buildFailedAudit(id, saved > 0 ? { savings: { total_blocking_time: saved } } : {}),
        ),
      }),
    );
  const rows = [failing(0, { a: 200, b: 0 }), failing(1, { b: 0, d: 50 }), failing(2, { b: 0, c: 10, a: 900, d: 60 })];
  const found = toCommonFindings(toLines([...rows, failed], request));
  assert.deepEqual(
    found.map(({ id, urls, worst }) => [id, urls.length, worst?.url]),
    [
      ['b', 3, undefined],
      ['a', 2, 'https://example.com/2'],
      ['d', 2, 'https://example.com/2'],
    ],
  );
  assert.match(found[1]?.worst?.effect ?? '', /may save 900\sms of blocking/);
});

test('of findings on equally many pages, the one with the most points on one page is first', () => {
  const failing = (index: number, points: number) =>
    rowOf(
      index,
      buildResult({
        failed_audits: [
          buildFailedAudit('long', { points: 1, savings: { largest_contentful_paint: 5000 } }),
          buildFailedAudit('worth', { points, savings: { total_blocking_time: 300 } }),
        ],
      }),
    );
  const found = toCommonFindings(toLines([failing(0, 4), failing(1, 12)], request));
  assert.deepEqual(
    found.map(({ id, worst }) => [id, worst?.url]),
    [
      ['worth', 'https://example.com/1'],
      ['long', 'https://example.com/0'],
    ],
  );
});
