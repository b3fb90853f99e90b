import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildMeasuredLhr } from '../../test/builders/lhr.ts';
import { compareReports } from '../compare/compare-reports.ts';
import { AnalysisError } from '../errors.ts';
import { toJson } from '../report/json-bytes.ts';
import type { Report } from '../report/report.ts';
import { toReport } from '../report/to-report.ts';
import { analyseBoth } from './analyse-both.ts';
import type { AnalyseLocal, LocalAnalysis, LocalRequest } from './analyse-local.ts';
import type { AnalyseRemote, RemoteAnalysis } from './analyse-remote.ts';

const request: LocalRequest = { url: 'https://example.com/', strategy: 'desktop', categories: ['performance'] };

const reportOf = (source: Report['source'], performance: number): Report => ({
  ...toReport(buildMeasuredLhr(), { ...request, source, analyser: { kind: 'local' }, field: null, blockedRequests: 0 }),
  scores: { performance },
});
const psiReport = reportOf('psi', 90);
const localReport = reportOf('lighthouse', 70);

const remoteAnalysis: RemoteAnalysis = {
  json: toJson(psiReport),
  cache: { status: 'miss', age: 0, expires_at: '2026-11-20T13:00:00.000Z' },
  ttlSeconds: 3600,
};
const localAnalysis: LocalAnalysis = { report: localReport, lighthouseResult: '{}' };

const analyseRemote: AnalyseRemote = async () => remoteAnalysis;
const analyseLocal: AnalyseLocal = async () => localAnalysis;
const options = (signal = new AbortController().signal) => ({ fresh: false, signal });

const remoteError = new AnalysisError('psi_timeout', 'Late.', { source: 'psi' });
const localError = new AnalysisError('queue_full', 'Later.', { source: 'lighthouse' });
const failRemote: AnalyseRemote = () => Promise.reject(remoteError);
const failLocal: AnalyseLocal = () => Promise.reject(localError);

const untilLeft = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

test('both sides are measured and compared', async () => {
  const both = await analyseBoth({ analyseRemote, analyseLocal }, request, options());
  assert.deepEqual(both, {
    psi: { ok: true, value: psiReport },
    lighthouse: { ok: true, value: localReport },
    comparison: compareReports(psiReport, localReport),
  });
  assert.equal(both.comparison?.scores.performance?.difference, -20);
});

test('both sides are asked the same, the remote one without full data', async () => {
  for (const fresh of [true, false]) {
    const { signal } = new AbortController();
    const calls: unknown[] = [];
    await analyseBoth(
      {
        analyseRemote: async (...asked) => {
          calls.push(['remote', ...asked]);
          return remoteAnalysis;
        },
        analyseLocal: async (...asked) => {
          calls.push(['local', ...asked]);
          return localAnalysis;
        },
      },
      request,
      { fresh, signal },
    );
    assert.deepEqual(calls, [
      ['remote', request, { detailed: false, fresh, signal }],
      ['local', request, signal],
    ]);
  }
});

test('both sides run at once', async () => {
  const bothBegun = Promise.withResolvers<void>();
  await analyseBoth(
    {
      analyseRemote: async () => {
        await bothBegun.promise;
        return remoteAnalysis;
      },
      analyseLocal: async () => {
        bothBegun.resolve();
        return localAnalysis;
      },
    },
    request,
    options(),
  );
});

test('a side that fails leaves the other, and no comparison', async () => {
  assert.deepEqual(await analyseBoth({ analyseRemote: failRemote, analyseLocal }, request, options()), {
    psi: { ok: false, error: remoteError },
    lighthouse: { ok: true, value: localReport },
    comparison: null,
  });
  assert.deepEqual(await analyseBoth({ analyseRemote, analyseLocal: failLocal }, request, options()), {
    psi: { ok: true, value: psiReport },
    lighthouse: { ok: false, error: localError },
    comparison: null,
  });
});

test('a side that fails at once does not end the other', async () => {
  const release = Promise.withResolvers<void>();
  const both = analyseBoth(
    {
      analyseRemote: failRemote,
      analyseLocal: async (_request, signal) => {
        await release.promise;
        signal.throwIfAborted();
        return localAnalysis;
      },
    },
    request,
    options(),
  );
  await new Promise(setImmediate);
  release.resolve();
  assert.equal((await both).lighthouse.ok, true);
});

test('both sides can fail, each in its own way', async () => {
  assert.deepEqual(await analyseBoth({ analyseRemote: failRemote, analyseLocal: failLocal }, request, options()), {
    psi: { ok: false, error: remoteError },
    lighthouse: { ok: false, error: localError },
    comparison: null,
  });
});

test('what nobody foresaw is an internal failure of its side', async () => {
  const cause = new TypeError('AIza-not-a-real-key');
  const both = await analyseBoth({ analyseRemote, analyseLocal: () => Promise.reject(cause) }, request, options());
  assert.ok(!both.lighthouse.ok && both.psi.ok);
  assert.deepEqual([both.lighthouse.error.code, both.lighthouse.error.cause], ['internal', cause]);
  assert.ok(!both.lighthouse.error.message.includes('AIza'));
});

test('a caller who leaves gets the reason, whatever became of either side', async () => {
  const waitRemote: AnalyseRemote = (_request, { signal }) => untilLeft(signal);
  const waitLocal: AnalyseLocal = (_request, signal) => untilLeft(signal);
  const sides: readonly { analyseRemote: AnalyseRemote; analyseLocal: AnalyseLocal }[] = [
    { analyseRemote: waitRemote, analyseLocal: waitLocal },
    { analyseRemote: waitRemote, analyseLocal },
    { analyseRemote, analyseLocal: waitLocal },
    { analyseRemote: failRemote, analyseLocal: waitLocal },
    { analyseRemote: waitRemote, analyseLocal: failLocal },
  ];
  for (const each of sides) {
    const leaving = new AbortController();
    const reason = new Error('gone');
    const both = analyseBoth(each, request, options(leaving.signal));
    await new Promise(setImmediate);
    leaving.abort(reason);
    await assert.rejects(both, reason);
  }
});
