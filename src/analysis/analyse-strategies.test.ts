import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../contract/errors.ts';
import type { AnalyseRemote, RemoteAnalysis, RemoteRequest } from './analyse-remote.ts';
import { analyseStrategies, type UrlRequest } from './analyse-strategies.ts';

const analysisOf = ({ strategy }: RemoteRequest): RemoteAnalysis => ({
  json: Buffer.from(JSON.stringify({ strategy })),
  cache: { status: 'miss', age: 0, expires_at: '2026-11-20T13:00:00.000Z' },
  ttlSeconds: 3600,
});
const request = (strategy: UrlRequest['strategy']): UrlRequest => ({
  url: 'https://example.com/',
  strategy,
  label: null,
  categories: ['performance', 'seo'],
});
const options = (signal = new AbortController().signal) => ({ detailed: false, fresh: false, signal });

/** Rejects when the client disconnects, like the real analysis. */
const untilLeft: AnalyseRemote = (_request, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

test('one strategy is one analysis with the given settings', async () => {
  for (const strategy of ['mobile', 'desktop'] as const) {
    const calls: unknown[] = [];
    const analyse: AnalyseRemote = async (asked, given) => {
      calls.push([asked, given]);
      return analysisOf(asked);
    };
    const wanted = { detailed: true, fresh: true, signal: new AbortController().signal };
    const page = await analyseStrategies(analyse, request(strategy), wanted);
    const asked = { url: 'https://example.com/', strategy, categories: ['performance', 'seo'], label: null } as const;
    assert.deepEqual(calls, [[asked, wanted]]);
    assert.deepEqual(page, {
      url: 'https://example.com/',
      strategy,
      outcome: { ok: true, value: analysisOf(asked) },
    });
  }
});

test('both strategies are two concurrent analyses', async () => {
  const begun: string[] = [];
  const bothBegun = Promise.withResolvers<void>();
  const analyse: AnalyseRemote = async asked => {
    begun.push(asked.strategy);
    if (begun.length === 2) bothBegun.resolve();
    await bothBegun.promise;
    return analysisOf(asked);
  };
  const page = await analyseStrategies(analyse, request('both'), options());
  assert.deepEqual(begun, ['mobile', 'desktop']);
  assert.deepEqual(page, {
    url: 'https://example.com/',
    strategy: 'both',
    mobile: { ok: true, value: analysisOf({ ...request('both'), strategy: 'mobile' }) },
    desktop: { ok: true, value: analysisOf({ ...request('both'), strategy: 'desktop' }) },
  });
});

test('a failing strategy does not affect the other', async () => {
  for (const failing of ['mobile', 'desktop']) {
    const error = new AnalysisError('page_blank', 'Nothing.');
    const analyse: AnalyseRemote = async asked => {
      if (asked.strategy === failing) throw error;
      return analysisOf(asked);
    };
    const page = await analyseStrategies(analyse, request('both'), options());
    assert.ok('mobile' in page);
    const [failed, sound] = failing === 'mobile' ? [page.mobile, page.desktop] : [page.desktop, page.mobile];
    assert.deepEqual([failed, sound.ok], [{ ok: false, error }, true]);
  }
});

test('both strategies can fail, each with its own error', async () => {
  const analyse: AnalyseRemote = async ({ strategy }) => {
    throw new AnalysisError(strategy === 'mobile' ? 'page_blank' : 'page_hung', strategy);
  };
  const page = await analyseStrategies(analyse, request('both'), options());
  assert.ok('mobile' in page && !page.mobile.ok && !page.desktop.ok);
  assert.deepEqual([page.mobile.error.code, page.desktop.error.code], ['page_blank', 'page_hung']);
});

test('a failure of the only strategy is its outcome', async () => {
  const error = new AnalysisError('psi_timeout', 'Late.');
  const page = await analyseStrategies(() => Promise.reject(error), request('mobile'), options());
  assert.deepEqual(page, { url: 'https://example.com/', strategy: 'mobile', outcome: { ok: false, error } });
});

test('an unexpected error is an internal failure, with its text only in the log', async () => {
  const cause = new TypeError('AIza-not-a-real-key');
  const page = await analyseStrategies(() => Promise.reject(cause), request('mobile'), options());
  assert.ok('outcome' in page && !page.outcome.ok);
  assert.deepEqual([page.outcome.error.code, page.outcome.error.cause], ['internal', cause]);
  assert.ok(!page.outcome.error.message.includes('AIza'));
});

test('a client that disconnects gets the abort reason, not an outcome', async () => {
  for (const strategy of ['mobile', 'both'] as const) {
    const leaving = new AbortController();
    const reason = new Error('gone');
    const page = analyseStrategies(untilLeft, request(strategy), options(leaving.signal));
    leaving.abort(reason);
    await assert.rejects(page, reason);
  }
});

test('a client that disconnects when one half is done gets the abort reason', async () => {
  const leaving = new AbortController();
  const reason = new Error('gone');
  const analyse: AnalyseRemote = (asked, given) =>
    asked.strategy === 'mobile' ? Promise.resolve(analysisOf(asked)) : untilLeft(asked, given);
  const page = analyseStrategies(analyse, request('both'), options(leaving.signal));
  await new Promise(setImmediate);
  leaving.abort(reason);
  await assert.rejects(page, reason);
});
