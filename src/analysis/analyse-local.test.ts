import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameThread as threads } from '../../test/support/audits/same-thread.ts';
import { buildAudit, buildMeasuredLhr } from '../../test/support/builders/lhr.ts';
import { until } from '../../test/support/until.ts';
import { AnalysisError, fromPlainError } from '../contract/errors.ts';
import { completeOptions } from '../contract/measuring-options.ts';
import { maxResultBytes } from '../measure/lhr/fit-result.ts';
import { toJson } from '../measure/lhr/json-bytes.ts';
import type { Lhr } from '../measure/lhr/lhr.ts';
import type { AuditOptions, AuditRequest, LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { createPolicy } from '../measure/targets/policy.ts';
import { createAnalyseLocal, type LocalRequest } from './analyse-local.ts';
import { noRecorder } from './records/recorder.ts';

const request: LocalRequest = {
  url: 'https://example.com/',
  ...completeOptions('page', { categories: ['performance'] }),
};
const policy = createPolicy({ targets: 'any', ownPort: () => 0 });
const signal = new AbortController().signal;
const conditions = {
  benchmarkTakenAt: '2026-11-20T09:59:00.000Z',
  benchmarkConcurrentAudits: 0,
  concurrentAudits: 1,
  blockedRequests: 0,
  machineId: '0123456789abcdef',
  processors: 2,
  benchmarkUsual: null,
  processorWait: null,
  leftOut: [],
};
const keep = { keepArtifacts: true };

const runOf = (interactive: number, fields: Partial<Lhr> = {}): Lhr => ({
  ...buildMeasuredLhr({
    audits: ['interactive', 'largest-contentful-paint'].map(id => buildAudit(id, { numericValue: interactive })),
  }),
  ...fields,
});

/** Returns these results in turn; errors are thrown. Records the requests and the artifacts that were not released. */
function createLocal(results: readonly (Lhr | Error)[]) {
  const asked: [AuditRequest, AbortSignal, AuditOptions | undefined][] = [];
  const held = new Set<string>();
  let running = 0;
  const audit: LocalAnalyser['audit'] = async (settings, readPage, signal, options) => {
    asked.push([settings, signal, options]);
    running += 1;
    assert.equal(running, 1, 'one run at a time');
    const result = results[asked.length - 1] ?? assert.fail('one run too many');
    await new Promise(setImmediate);
    running -= 1;
    if (result instanceof Error) throw result;
    const artifacts = options?.keepArtifacts ? `kept ${asked.length}` : undefined;
    const value = await readPage(toJson(result), conditions);
    if ('failure' in value) throw fromPlainError(value.failure);
    if (artifacts) held.add(artifacts);
    return { value, artifacts };
  };
  const release: LocalAnalyser['release'] = async id => void held.delete(id);
  const local = { audit, release } as LocalAnalyser;
  return { analyse: createAnalyseLocal({ policy, local, threads, recorder: noRecorder }), asked, held };
}

const failure = new AnalysisError('lighthouse_timeout', 'Late.', { source: 'lighthouse' });

test('one run is requested with the settings and client of the request, and stores nothing', async () => {
  const { analyse, asked } = createLocal([runOf(1)]);
  const { result, artifacts } = await analyse({ ...request, profile: 'psi' }, signal, { client: 'a' });
  assert.deepEqual(asked, [
    [
      { ...request, profile: 'psi', locale: 'en-US' },
      signal,
      { keepArtifacts: false, client: 'a', onProgress: undefined },
    ],
  ]);
  assert.deepEqual([result.runs, artifacts], [undefined, undefined]);
});

test('several runs are measured in sequence, and the one closest to their median is shown', async () => {
  const { analyse } = createLocal([runOf(5000), runOf(2000), runOf(2100)]);
  const { result, lighthouseResult } = await analyse({ ...request, runs: 3 }, signal);
  const lhr: Lhr = JSON.parse(Buffer.from(lighthouseResult).toString());
  assert.deepEqual([result.metrics.interactive.value, lhr.audits.interactive?.numericValue], [2100, 2100]);
  assert.deepEqual(
    [result.runs?.requested, result.runs?.completed, result.runs?.selected, result.runs?.selected_by],
    [3, 3, 3, 'median_run'],
  );
  assert.deepEqual(result.runs?.metrics.interactive, { min: 2000, median: 2100, max: 5000, spread: 3000 });
});

test('runs=auto ends when the scores are known well enough, or after nine runs', async () => {
  const scored = (score: number): Lhr => {
    const { categories, ...lhr } = runOf(2000);
    return { ...lhr, categories: { ...categories, performance: { ...categories.performance, score } } } as Lhr;
  };
  const steady = createLocal([0.9, 0.91, 0.89, 0.9, 0.92, 0.9].map(scored));
  const { result } = await steady.analyse({ ...request, runs: 'auto' }, signal);
  assert.deepEqual([result.runs?.requested, result.runs?.completed], [9, 5]);
  assert.deepEqual(result.runs?.score_interval, { low: 89, high: 92, confidence: 0.9375 });
  const restless = createLocal([0.5, 0.9, 0.5, 0.9, 0.5, 0.9, 0.5, 0.9, 0.5].map(scored));
  const { result: last } = await restless.analyse({ ...request, runs: 'auto' }, signal);
  assert.deepEqual(
    [last.runs?.completed, last.runs?.score_interval?.low, last.runs?.score_interval?.high],
    [9, 50, 90],
  );
});

test('the artifacts of all runs remain until they are released together', async () => {
  const { analyse, held } = createLocal([runOf(5000), runOf(2000), runOf(2100)]);
  const { artifacts, others, release } = await analyse({ ...request, runs: 3 }, signal, keep);
  assert.deepEqual([artifacts, [...held]], ['kept 3', ['kept 1', 'kept 2', 'kept 3']]);
  assert.deepEqual(
    others.map(other => other.artifacts),
    ['kept 1', 'kept 2'],
  );
  await release();
  assert.deepEqual([...held], []);
});

test('a failed first run fails the analysis, a failed later run is missing and noted', async () => {
  const first = createLocal([failure]);
  await assert.rejects(first.analyse({ ...request, runs: 3 }, signal, keep), failure);
  const later = createLocal([runOf(2000), failure, new TypeError('an unforeseen error')]);
  const { result, artifacts } = await later.analyse({ ...request, runs: 3 }, signal, keep);
  assert.deepEqual([result.runs?.requested, result.runs?.completed, result.runs?.selected_by], [3, 1, 'only_run']);
  assert.deepEqual(result.runs?.failures, ['lighthouse_timeout', 'internal']);
  assert.deepEqual([artifacts, [...later.held]], ['kept 1', ['kept 1']]);
});

test('a later run that is refused ends the analysis, and nothing is left behind', async () => {
  for (const code of ['shutting_down', 'queue_full', 'queue_unavailable'] as const) {
    const refusal = new AnalysisError(code, 'Refused.', { source: 'lighthouse' });
    const { analyse, asked, held } = createLocal([runOf(1), refusal]);
    await assert.rejects(analyse({ ...request, runs: 5 }, signal, keep), refusal);
    assert.deepEqual([asked.length, held.size], [2, 0], code);
  }
});

test('later runs of a request that had a slot are accepted by a full queue', async () => {
  const { analyse, asked } = createLocal([1, 2, 3].map(at => runOf(at)));
  await analyse({ ...request, runs: 3 }, signal);
  assert.deepEqual(
    asked.map(([, , options]) => options?.isAdmitted),
    [undefined, true, true],
  );
});

test('an error page has no score, and its artifacts are removed', async () => {
  const { analyse, held } = createLocal([runOf(1, { runWarnings: ['The page answered (Status code: 503).'] })]);
  await assert.rejects(analyse(request, signal, keep), { code: 'page_error' });
  assert.equal(held.size, 0);
});

test('a client that disconnects between two runs gets the abort reason, and nothing is left behind', async () => {
  const leaving = new AbortController();
  const reason = new Error('gone');
  const { analyse, asked, held } = createLocal([runOf(1), failure, runOf(2)]);
  const analysis = analyse({ ...request, runs: 3 }, leaving.signal, keep);
  await until(() => asked.length === 2, { pauseMs: 0 });
  leaving.abort(reason);
  await assert.rejects(analysis, reason);
  assert.deepEqual([asked.length, held.size], [2, 0]);
});

test('a page that is not allowed is rejected before any run', async () => {
  const refusing = createPolicy({ targets: 'public', ownPort: () => 0 });
  const local = { audit: () => assert.fail('nothing is to run') } as unknown as LocalAnalyser;
  const analyse = createAnalyseLocal({ policy: refusing, local, threads, recorder: noRecorder });
  await assert.rejects(analyse({ ...request, url: 'http://127.0.0.1/' }, signal), { code: 'target_forbidden' });
});

test('a report of several runs stays small', async () => {
  const texts = Array.from({ length: 200 }, (_, at) =>
    buildAudit(`audit-${at}`, { score: 0, description: 'x'.repeat(700) }),
  );
  const lhr = buildMeasuredLhr({ audits: texts });
  const refs = texts.map(({ id }) => ({ id, weight: 1 }));
  const big = { ...lhr, categories: { performance: { id: 'performance', title: '', score: 0, auditRefs: refs } } };
  const { analyse } = createLocal([big, big]);
  const { result } = await analyse({ ...request, runs: 2 }, signal);
  assert.ok(result.runs);
  assert.ok(Buffer.byteLength(JSON.stringify(result)) <= maxResultBytes);
});
