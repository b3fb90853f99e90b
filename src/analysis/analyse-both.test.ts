import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameThread as threads } from '../../test/support/audits/same-thread.ts';
import { compareSides } from '../../test/support/builders/compared.ts';
import { buildSide } from '../../test/support/builders/side.ts';
import { AnalysisError } from '../contract/errors.ts';
import { completeOptions } from '../contract/measuring-options.ts';
import { toReading } from '../measure/lhr/facts/side-facts.ts';
import { toJson } from '../measure/lhr/json-bytes.ts';
import { packJson, toPackedJson } from '../measure/lhr/packed-json.ts';
import { analyseBoth, type BothSources } from './analyse-both.ts';
import type { AnalyseLocal, LocalAnalysis, LocalRequest } from './analyse-local.ts';
import type { AnalyseRemote, RemoteAnalysis } from './analyse-remote.ts';

const request: LocalRequest = {
  url: 'https://example.com/',
  ...completeOptions('page', { categories: ['performance'], label: 'a' }),
};

const psi = buildSide();
/** The local side. Its CPU throttling is higher than that of the PSI side, so its load must be audited again. */
const own = buildSide({
  source: 'lighthouse',
  metricScores: [1, 1, 0.2, 1, 1],
  throttling: { cpuSlowdownMultiplier: 4 },
});

const remoteAnalysis: RemoteAnalysis = {
  json: toJson(psi.result),
  lighthouseResult: toPackedJson(await packJson(toJson(psi.lhr))),
  cache: { status: 'miss', age: 0, expires_at: '2026-11-20T13:00:00.000Z' },
  ttlSeconds: 3600,
};
/** Artifacts that the running test has released. */
let released: string[] = [];

const toLocalAnalysis = ({ result, lhr }: ReturnType<typeof buildSide>): LocalAnalysis => ({
  result,
  lighthouseResult: toJson(lhr),
  reading: toReading(lhr, result),
  artifacts: 'the artifacts',
  others: [],
  release: async () => void released.push('the artifacts'),
});
const localAnalysis = toLocalAnalysis(own);

const analyseRemote: AnalyseRemote = async () => remoteAnalysis;
const analyseLocal: AnalyseLocal = async () => localAnalysis;
const options = (signal = new AbortController().signal) => ({ fresh: false, signal });

const resultOf = (blocking: number) =>
  Object.fromEntries(
    Object.keys(own.lhr.audits).map(id => [id, { score: id === 'total-blocking-time' ? blocking : 1, value: 1 }]),
  );
const results = [resultOf(0.2), resultOf(1)];

/** Creates a local analyser with this re-audit, and records its calls. */
function createLocal(reAudit: BothSources['local']['reAudit'] = async () => results) {
  const asked: unknown[] = [];
  released = [];
  const local: BothSources['local'] = {
    reAudit: (...parameters) => {
      asked.push(parameters);
      return reAudit(...parameters);
    },
  };
  return { local, asked };
}
const { local } = createLocal();
const now = () => Date.parse(psi.result.fetched_at);

const remoteError = new AnalysisError('psi_timeout', 'Late.', { source: 'psi' });
const localError = new AnalysisError('queue_full', 'Later.', { source: 'lighthouse' });
const failRemote: AnalyseRemote = () => Promise.reject(remoteError);
const failLocal: AnalyseLocal = () => Promise.reject(localError);

const untilLeft = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

test('both sides are measured and compared, and the local load is re-audited with the remote settings', async () => {
  const { local, asked } = createLocal();
  const { signal } = new AbortController();
  const both = await analyseBoth({ analyseRemote, analyseLocal, local, threads, now }, request, options(signal));
  assert.deepEqual(both, {
    psi: { ok: true, value: psi.result },
    lighthouse: { ok: true, value: own.result },
    comparison: compareSides(psi, own, { outcome: { results }, askedAtMs: now() }),
  });
  assert.deepEqual(asked, [['the artifacts', [{}, { cpuSlowdownMultiplier: 1.2 }], signal]]);
  const [cause] = both.comparison?.causes ?? [];
  assert.deepEqual([cause?.cause, cause?.points, cause?.certainty], ['cpu', -24, 'computed']);
  assert.deepEqual(released, ['the artifacts']);
});

test('equal settings lead to no re-audit', async () => {
  const { local, asked } = createLocal();
  const same = async () => toLocalAnalysis(buildSide({ source: 'lighthouse' }));
  const { comparison } = await analyseBoth(
    { analyseRemote, analyseLocal: same, local, threads, now },
    request,
    options(),
  );
  assert.deepEqual([asked, released, comparison?.re_audits.status], [[], ['the artifacts'], 'not_needed']);
});

test('a failed or impossible re-audit only removes the split of the points', async () => {
  const { local } = createLocal(() => Promise.reject(new AnalysisError('lighthouse_unavailable', 'Gone.')));
  const failed = await analyseBoth({ analyseRemote, analyseLocal, local, threads, now }, request, options());
  const notKept: AnalyseLocal = async () => ({ ...localAnalysis, artifacts: undefined, release: async () => {} });
  const without = await analyseBoth({ analyseRemote, analyseLocal: notKept, local, threads }, request, options());
  const throttled = buildSide({ source: 'lighthouse', throttling: { method: 'devtools' } });
  const other: AnalyseLocal = async () => toLocalAnalysis(throttled);
  const devtools = await analyseBoth({ analyseRemote, analyseLocal: other, local, threads }, request, options());
  for (const { comparison } of [failed, without, devtools]) {
    assert.equal(comparison?.re_audits.status, 'not_possible');
    assert.deepEqual([comparison?.causes[0]?.points, comparison?.causes[0]?.certainty], [null, 'observed']);
  }
  assert.match(devtools.comparison?.re_audits.detail ?? '', /cannot be simulated/);
  assert.deepEqual(released, ['the artifacts', 'the artifacts']);
});

test('a client that disconnects during a re-audit gets the abort reason, and the artifacts are removed', async () => {
  const leaving = new AbortController();
  const begun = Promise.withResolvers<void>();
  const { local } = createLocal((_id, _settings, signal) => {
    begun.resolve();
    return untilLeft(signal);
  });
  const both = analyseBoth({ analyseRemote, analyseLocal, local, threads, now }, request, options(leaving.signal));
  await begun.promise;
  const reason = new Error('gone');
  leaving.abort(reason);
  await assert.rejects(both, reason);
  assert.deepEqual(released, ['the artifacts']);
});

test('artifacts that arrive after the client has disconnected are removed, too', async () => {
  const leaving = new AbortController();
  const late = Promise.withResolvers<LocalAnalysis>();
  const { local } = createLocal();
  const both = analyseBoth(
    { analyseRemote: (_request, { signal }) => untilLeft(signal), analyseLocal: () => late.promise, local, threads },
    request,
    options(leaving.signal),
  );
  leaving.abort(new Error('gone'));
  await assert.rejects(both);
  late.resolve(localAnalysis);
  await new Promise(setImmediate);
  assert.deepEqual(released, ['the artifacts']);
});

test('both sides get the same request for the same client, and the local one stores artifacts', async () => {
  for (const fresh of [true, false]) {
    const { signal } = new AbortController();
    const onProgress = () => {};
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
        local,
        threads,
      },
      request,
      { fresh, client: 'a', signal, onProgress },
    );
    const both = { client: 'a', isBatch: undefined, onProgress };
    assert.deepEqual(calls, [
      ['remote', request, { detailed: true, fresh, signal, ...both }],
      ['local', request, signal, { keepArtifacts: true, withoutFullPageScreenshot: true, ...both }],
    ]);
  }
});

test('without performance no artifacts are stored', async () => {
  const kept: unknown[] = [];
  const analyseLocal: AnalyseLocal = async (_request, _signal, options) => {
    kept.push(options?.keepArtifacts);
    return { ...localAnalysis, artifacts: undefined };
  };
  await analyseBoth(
    { analyseRemote, analyseLocal, local, threads, now },
    { ...request, categories: ['seo'] },
    options(),
  );
  assert.deepEqual(kept, [false]);
});

test('an exclusive comparison measures the sides one after the other, each alone on the machine', async () => {
  const calls: string[] = [];
  const remote = Promise.withResolvers<RemoteAnalysis>();
  const both = analyseBoth(
    {
      analyseRemote: ({ exclusive }) => {
        calls.push(`remote ${exclusive}`);
        return remote.promise;
      },
      analyseLocal: async ({ exclusive }) => {
        calls.push(`local ${exclusive}`);
        return localAnalysis;
      },
      local,
      threads,
      now,
    },
    { ...request, exclusive: true },
    options(),
  );
  await new Promise(setImmediate);
  assert.deepEqual(calls, ['remote true']);
  remote.reject(remoteError);
  const { lighthouse } = await both;
  assert.deepEqual([calls, lighthouse.ok], [['remote true', 'local true'], true], 'also after a failure');
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
      local,
      threads,
    },
    request,
    options(),
  );
});

test('a failed side leaves the other side and no comparison', async () => {
  assert.deepEqual(
    await analyseBoth({ analyseRemote: failRemote, analyseLocal, local, threads, now }, request, options()),
    {
      psi: { ok: false, error: remoteError },
      lighthouse: { ok: true, value: own.result },
      comparison: null,
    },
  );
  assert.deepEqual(await analyseBoth({ analyseRemote, analyseLocal: failLocal, local, threads }, request, options()), {
    psi: { ok: true, value: psi.result },
    lighthouse: { ok: false, error: localError },
    comparison: null,
  });
});

test('a side that fails immediately does not end the other', async () => {
  const release = Promise.withResolvers<void>();
  const both = analyseBoth(
    {
      analyseRemote: failRemote,
      analyseLocal: async (_request, signal) => {
        await release.promise;
        signal.throwIfAborted();
        return localAnalysis;
      },
      local,
      threads,
    },
    request,
    options(),
  );
  await new Promise(setImmediate);
  release.resolve();
  assert.equal((await both).lighthouse.ok, true);
});

test('both sides can fail, each with its own error', async () => {
  assert.deepEqual(
    await analyseBoth({ analyseRemote: failRemote, analyseLocal: failLocal, local, threads }, request, options()),
    {
      psi: { ok: false, error: remoteError },
      lighthouse: { ok: false, error: localError },
      comparison: null,
    },
  );
});

test('an unexpected error is an internal failure of its side', async () => {
  const cause = new TypeError('AIza-not-a-real-key');
  const both = await analyseBoth(
    { analyseRemote, analyseLocal: () => Promise.reject(cause), local, threads },
    request,
    options(),
  );
  assert.ok(!both.lighthouse.ok && both.psi.ok);
  assert.deepEqual([both.lighthouse.error.code, both.lighthouse.error.cause], ['internal', cause]);
  assert.ok(!both.lighthouse.error.message.includes('AIza'));
});

test('a client that disconnects gets the abort reason, whatever the result of either side', async () => {
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
    const both = analyseBoth({ ...each, local, threads }, request, options(leaving.signal));
    await new Promise(setImmediate);
    leaving.abort(reason);
    await assert.rejects(both, reason);
  }
});
