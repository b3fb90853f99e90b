import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResult } from '../../../../test/web/reports.ts';
import type { Row } from '../../../api-client/run-batch.ts';
import { sayBatchPhase, sayKept, sayPage, sayTimeLeft, sharedHost } from './batch-words.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const rowAt = (time: string): Row => ({
  index: 0,
  url: 'https://a.example/',
  state: 'done',
  isKept: true,
  answer: {
    kind: 'results',
    columns: [{ source: 'psi', strategy: 'mobile', part: { ok: true, result: buildResult({ fetched_at: time }) } }],
  },
});
const say = (rows: readonly Row[], fields = {}) =>
  sayKept({ rows, isRunning: false, isKept: true, keepsResults: true, ...fields }, now).replaceAll('\u00a0', ' ');

test('results that were not measured now show their age', () => {
  const [old, young] = ['2026-11-20T09:00:00.000Z', '2026-11-20T11:58:00.000Z'].map(rowAt) as [Row, Row];
  assert.equal(say([old]), 'Measured 3 h ago. No page was measured again.');
  assert.equal(say([old, young]), 'Measured between 3 h and 2 min ago. No page was measured again.');
  assert.equal(say([rowAt('2026-11-20T12:00:09.000Z')]), 'Measured 0 s ago. No page was measured again.');
});

test('results older than the current run show that, during the run and after it', () => {
  const [kept, now] = ['2026-11-20T09:00:00.000Z', '2026-11-20T11:59:59.000Z'].map(rowAt) as [Row, Row];
  const { isKept: _, ...measured } = now;
  for (const isRunning of [true, false]) {
    const fields = { isKept: false, isRunning };
    assert.equal(say([kept, measured], fields), '1 of 2 pages was measured 3 h ago, not in this run.');
    assert.equal(say([kept, kept, measured], fields), '2 of 3 pages were measured 3 h ago, not in this run.');
    assert.equal(say([measured], fields), '');
  }
});

test('if nothing is stored, the reason is shown', () => {
  assert.match(say([]), /no longer stored/);
  assert.match(say([], { keepsResults: false }), /stores no results/);
  assert.match(say([], { isRunning: true }), /^Loading stored results/);
});

test('the remaining time is estimated once two pages are done, from the pages that this run measured', () => {
  const [row, kept] = [
    { index: 0, url: 'https://a.example/', state: 'done' },
    rowAt('2026-11-20T09:00:00.000Z'),
  ] as const;
  const queued = { ...row, state: 'queued' } as const;
  const left = (rows: readonly Row[], seconds: number) => sayTimeLeft(rows, seconds).replaceAll('\u00a0', ' ');
  assert.equal(left([row, queued], 20), '');
  assert.equal(left([row, kept, kept, queued], 20), '', 'stored results take no time');
  assert.equal(left([row, row, queued], 20), 'About 10 s left.');
  assert.equal(left([row, row, kept, queued, queued, queued], 60), 'About 2 min left.');
  assert.equal(left([row, row], 20), '');
});

test('a page is shown by its path if all have the same host, else with its host', () => {
  const urls = ['https://a.example/x?y=1', 'https://a.example/'];
  assert.equal(sharedHost(urls), 'a.example');
  assert.equal(sharedHost([...urls, 'https://b.example/']), undefined);
  assert.deepEqual(
    urls.map(url => sayPage(url, 'a.example')),
    ['/x?y=1', '/'],
  );
  assert.deepEqual(
    urls.map(url => sayPage(url, undefined)),
    ['a.example/x?y=1', 'a.example/'],
  );
});

test('each stage of a list has a label', () => {
  const stage = { isRunning: false, isKept: false, isCancelled: false };
  assert.deepEqual(
    [
      { isRunning: true },
      { isRunning: true, isKept: true },
      { isCancelled: true, isKept: true },
      { isKept: true },
      {},
    ].map(change => sayBatchPhase({ ...stage, ...change })),
    ['Measuring', 'Loading', 'Cancelled after', 'Measured before:', 'Measured'],
  );
});
