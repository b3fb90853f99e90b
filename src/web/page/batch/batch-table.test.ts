import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison, buildLocalResult, buildProblem, buildResult } from '../../../../test/web/reports.ts';
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { Row } from '../../../api-client/run-batch.ts';
import { categoryNames } from '../../../contract/names.ts';
import { type Answer, toAnswer } from '../../../presentation/answer.ts';
import {
  countKind,
  filterLines,
  type ListFilter,
  nextSorting,
  orderLines,
  type TableLine,
  toBatchCsv,
  toBatchJson,
  toLines,
  wholeList,
  worstFirst,
} from './batch-table.ts';

const request: PageRequest = { urls: [], backend: 'remote', strategy: 'mobile', categories: categoryNames };
const asked = { source: 'psi', strategy: 'mobile' } as const;

const rowOf = (index: number, body: unknown): Row => ({
  index,
  url: `https://example.com/${index}`,
  state: 'done',
  answer: toAnswer(body, asked) as Answer,
});

const rows: Row[] = [
  rowOf(0, buildResult({ scores: { performance: 90, seo: 20 }, metrics: { total_blocking_time: 500 } })),
  rowOf(1, { url: 'x', error: buildProblem() }),
  rowOf(2, buildResult({ scores: { performance: 0, seo: 100 }, metrics: { total_blocking_time: 0 } })),
  { index: 3, url: 'https://example.com/3', state: 'unmeasured' },
  rowOf(4, buildResult({ scores: { performance: null }, metrics: { total_blocking_time: null } })),
  rowOf(5, buildResult({ scores: { performance: 90, seo: 90 }, metrics: { total_blocking_time: 10 } })),
];
const order = (lines: readonly TableLine[]) => lines.map(({ row }) => row.index);
const lines = toLines(rows, request);

test('the lowest score is first; zero is a score, a missing one is not, and failed pages are last', () => {
  assert.deepEqual(order(orderLines(lines, worstFirst(request))), [2, 0, 5, 3, 4, 1]);
});

test('in reverse order, pages without a value and failed ones are still last', () => {
  assert.deepEqual(order(orderLines(lines, { by: 'performance', isDescending: false })), [0, 5, 2, 3, 4, 1]);
});

test('the longest time is the worst', () => {
  assert.deepEqual(order(orderLines(lines, { by: 'total_blocking_time', isDescending: true })), [0, 5, 2, 3, 4, 1]);
});

test('a list is filtered by a word in the URL, by failure, and by poor scores', () => {
  const found = (filter: Partial<ListFilter>) => order(filterLines(lines, { ...wholeList, ...filter }));
  assert.deepEqual(found({ search: ' COM/4 ' }), [4]);
  assert.deepEqual(found({ kind: 'failed' }), [1]);
  assert.deepEqual(found({ kind: 'poor' }), [0, 2]);
  assert.deepEqual(found({ kind: 'poor', search: '/5' }), []);
  assert.deepEqual([countKind(lines, 'all'), countKind(lines, 'poor')], [6, 2]);
});

test('pages can be sorted by name, with failed ones last, and in the given order', () => {
  assert.deepEqual(order(orderLines(lines, { by: 'page', isDescending: true })), [5, 4, 3, 2, 0, 1]);
  assert.deepEqual(order(orderLines(lines, { by: 'order', isDescending: false })), [0, 1, 2, 3, 4, 5]);
});

test('of two sides, the worse one counts', () => {
  const compared = [
    rowOf(
      0,
      buildComparison(buildResult({ scores: { performance: 60 } }), buildLocalResult({ scores: { performance: 60 } })),
    ),
    rowOf(
      1,
      buildComparison(buildResult({ scores: { performance: 99 } }), buildLocalResult({ scores: { performance: 10 } })),
    ),
  ];
  assert.deepEqual(order(orderLines(toLines(compared, request), worstFirst(request))), [1, 0]);
});

test('without performance, the first requested category decides which is worst', () => {
  assert.deepEqual(worstFirst({ ...request, categories: ['seo'] }), { by: 'seo', isDescending: true });
});

test('a heading sorts worst first, and reverses at the second press', () => {
  const first = nextSorting({ by: 'page', isDescending: false }, 'seo');
  assert.deepEqual(
    [first, nextSorting(first, 'seo')],
    [
      { by: 'seo', isDescending: true },
      { by: 'seo', isDescending: false },
    ],
  );
  assert.deepEqual(nextSorting(first, 'page'), { by: 'page', isDescending: false });
});

test('both strategies are two lines, one of which may be a failure', () => {
  const body = {
    url: 'x',
    strategy: 'both',
    mobile: { url: 'x', error: buildProblem() },
    desktop: buildResult({ strategy: 'desktop' }),
  };
  const pair = toLines([rowOf(0, body)], { ...request, strategy: 'both' });
  assert.deepEqual(
    pair.map(({ strategy, hasFailed }) => [strategy, hasFailed]),
    [
      ['mobile', true],
      ['desktop', false],
    ],
  );
});

test('the CSV has a line for each page and side, numbers as numbers, and the reason for a failure', () => {
  const text = toBatchCsv(rows.slice(0, 4), request);
  const [heading = '', good = '', failed = '', , none = ''] = text.slice(1).split('\r\n');
  assert.match(
    heading,
    /^url,strategy,source,status,performance,accessibility,best-practices,seo,first_contentful_paint_ms,/,
  );
  assert.match(
    heading,
    /cumulative_layout_shift,.*,failed_audits,fetched_at,agentic_browsing_passed,agentic_browsing_total,error_code,error$/,
  );
  assert.match(good, /^https:\/\/example\.com\/0,mobile,psi,measured,90,,,20,900,1200,500,0\.01,/);
  assert.match(failed, /^https:\/\/example\.com\/1,mobile,psi,failed,,,,,.*,page_error,The page returned status 404/);
  assert.match(none, /^https:\/\/example\.com\/3,mobile,,not measured,,/);
  const columns = (line: string) => line.split(',').length;
  assert.deepEqual([columns(good), columns(none)], [columns(heading), columns(heading)]);
});

test('agentic browsing sorts by its share, and is two numbers in the CSV, because a fraction would be read as a date', () => {
  const fractions = [
    { passed: 3, total: 5 },
    { passed: 1, total: 2 },
  ];
  const counted = fractions.map((agentic, at) => rowOf(at, buildResult({ agentic_browsing: agentic })));
  const lines = toLines(counted, request);
  const ordered = orderLines(lines, { by: 'agentic-browsing', isDescending: true });
  assert.deepEqual(
    ordered.map(({ row }) => row.index),
    [1, 0],
  );
  const [heading = '', first = ''] = toBatchCsv(counted, request).split('\r\n');
  const at = heading.split(',').indexOf('agentic_browsing_passed');
  assert.deepEqual(first.split(',').slice(at, at + 2), ['3', '5']);
});

test('the JSON has everything in the results', () => {
  const { results } = JSON.parse(toBatchJson(rows, request));
  assert.equal(results.length, rows.length);
  assert.equal(results[0].parts[0].result.scores.performance, 90);
  assert.equal(results[1].parts[0].error.code, 'page_error');
  assert.equal(results[3].status, 'not measured');
  const compared = rowOf(0, buildComparison(buildResult(), buildLocalResult()));
  assert.equal(
    JSON.parse(toBatchJson([compared], request)).results[0].comparisons[0].comparison.scores.performance.difference,
    0,
  );
});

const disturbance = {
  kinds: ['processor_wait' as const],
  denied: ['total_blocking_time' as const, 'interactive' as const],
  performance: 87,
  total_blocking_time: 80,
};
const waited = { disturbed: true, scores: { performance: 40 }, metrics: { total_blocking_time: 1400 }, disturbance };
const withDisturbed = [
  rowOf(0, buildResult({ scores: { performance: 70 }, metrics: { total_blocking_time: 300 } })),
  rowOf(1, buildResult(waited)),
  rowOf(2, buildResult({ ...waited, disturbance: { ...disturbance, performance: null, total_blocking_time: null } })),
  rowOf(3, buildResult({ scores: { performance: 95 }, metrics: { total_blocking_time: 0 } })),
];

test('a disturbed page is sorted by its value without the disturbance, or last if that is unknown', () => {
  const disturbed = toLines(withDisturbed, request);
  assert.deepEqual(order(orderLines(disturbed, worstFirst(request))), [0, 1, 3, 2]);
  assert.deepEqual(order(orderLines(disturbed, { by: 'total_blocking_time', isDescending: true })), [0, 1, 3, 2]);
  assert.deepEqual(order(filterLines(disturbed, { ...wholeList, kind: 'poor' })), [], 'no disturbed score is poor');
});

test('the CSV marks disturbed pages, with their score without the disturbance', () => {
  const [heading = '', ...cells] = toBatchCsv(withDisturbed, request)
    .slice(1)
    .trim()
    .split('\r\n')
    .map(line => line.split(','));
  const [at, without] = ['disturbed', 'undisturbed_performance'].map(name => heading.indexOf(name)) as [number, number];
  assert.deepEqual(
    cells.map(row => [row[at], row[without]]),
    [
      ['', '70'],
      ['true', '87'],
      ['true', ''],
      ['', '95'],
    ],
  );
});

test('the CSV has the range of the performance score', () => {
  const scores = { performance: { min: 38, median: 40, max: 44, spread: 6 } };
  const spread = { results: 3, from: '2026-11-01T00:00:00.000Z', to: '2026-11-19T00:00:00.000Z', scores, metrics: {} };
  const ranged = withDisturbed.with(1, rowOf(1, buildResult({ ...waited, spread })));
  const [heading = '', ...cells] = toBatchCsv(ranged, request)
    .slice(1)
    .trim()
    .split('\r\n')
    .map(line => line.split(','));
  const at = heading.indexOf('performance_min');
  assert.equal(heading[at + 1], 'performance_max');
  assert.deepEqual(
    cells.map(row => row.slice(at, at + 2)),
    [
      ['', ''],
      ['38', '44'],
      ['', ''],
      ['', ''],
    ],
  );
});
