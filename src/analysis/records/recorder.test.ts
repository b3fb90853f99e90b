import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildExperiment } from '../../../test/support/builders/experiment.ts';
import { buildSide } from '../../../test/support/builders/side.ts';
import { makeScratchFolder } from '../../../test/support/scratch-folder.ts';
import type { Scope } from '../../../test/support/start-service.ts';
import type { Result } from '../../contract/result/result.ts';
import { openResultStore } from '../../storage/results/open-store.ts';
import { createRecorder } from './recorder.ts';

/** Records a measurement whose artifacts are removed as soon as it has been recorded. */
async function recordOne(scope: Scope, folder: string, isTaken: boolean) {
  const dataDir = join(folder, 'data');
  const store = await openResultStore({ dataDir }, { machineId: 'machine' });
  scope.after(() => store.close());
  const recorder = createRecorder({ store, machineId: 'machine', keepsArtifacts: true });
  const paths = ['trace', 'log', 'gathered'].map(name => join(folder, `${name}.json`));
  for (const path of paths) writeFileSync(path, `{"from":"${path}"}`);
  const [trace = '', networkLog = '', gathered = ''] = paths;
  if (!isTaken) rmSync(networkLog);
  const { result, lhr } = buildSide({ source: 'lighthouse' });
  const answer = await recorder.result({
    result,
    lighthouseResult: Buffer.from(JSON.stringify(lhr)),
    profile: 'lighthouse',
    label: null,
    files: { trace, networkLog, gathered },
  });
  for (const path of paths) rmSync(path, { force: true });
  return { store, answer, dataDir };
}

test('the trace of an answer is stored before the answer is sent', async t => {
  const { store, answer } = await recordOne(t, makeScratchFolder(t), true);
  assert.ok(answer.id && answer.links?.trace && answer.links.network_log);
  const files = await store.artifacts(answer.id);
  assert.deepEqual(Object.keys(files ?? {}), ['trace', 'network_log', 'gathered']);
  assert.deepEqual(await store.withArtifacts([answer.id]), new Set([answer.id]));
});

test('an experiment that the store refuses is reported, not dropped silently', async t => {
  const store = await openResultStore({ dataDir: makeScratchFolder(t) });
  t.after(() => store.close());
  const recorder = createRecorder({ store, machineId: 'machine', keepsArtifacts: false });
  const experiment = { ...buildExperiment(), id: recorder.createId() ?? '' };
  assert.equal(await recorder.experiment(experiment), undefined);
  const large = { ...experiment, id: recorder.createId() ?? '', label: null, notes: 'x'.repeat(130 * 1024) };
  assert.match((await recorder.experiment(large)) ?? '', /could not be stored: The summary is larger than 128 KB\./);
});

test('an answer links to a screenshot if its Lighthouse result has one, in any field order', async t => {
  const store = await openResultStore({ dataDir: makeScratchFolder(t) });
  t.after(() => store.close());
  const recorder = createRecorder({ store, machineId: 'machine', keepsArtifacts: false });
  const { result } = buildSide({ source: 'lighthouse' });
  const data = 'data:image/jpeg;base64,AAAA';
  const audit = { id: 'final-screenshot', title: 'Final Screenshot' };
  const linkOf = async (lhr: object, indent?: number) => {
    const lighthouseResult = Buffer.from(JSON.stringify(lhr, null, indent));
    const answer = await recorder.result({ result, lighthouseResult, profile: 'lighthouse', label: null });
    return answer.links?.screenshot;
  };
  const withDetails = (details: object) => ({ audits: { 'final-screenshot': { ...audit, details } } });
  const other = { 'screenshot-thumbnails': { details: { data } } };
  assert.ok(await linkOf(withDetails({ type: 'screenshot', timing: 1, data })));
  assert.ok(await linkOf(withDetails({ timestamp: 1, data, type: 'screenshot' }), 2));
  assert.equal(await linkOf({ audits: { 'final-screenshot': { ...audit, score: null }, ...other } }), undefined);
  assert.equal(await linkOf({ audits: other, title: '"final-screenshot":{"details":{"data":"data:image/' }), undefined);
});

test('an answer whose artifacts cannot be stored has no link to them, and no file is left behind', async t => {
  const { store, answer, dataDir } = await recordOne(t, makeScratchFolder(t), false);
  assert.ok(answer.id && answer.links?.report);
  assert.deepEqual([answer.links.trace, answer.links.network_log], [undefined, undefined]);
  assert.equal(await store.artifacts(answer.id), undefined);
  assert.deepEqual(existsSync(join(dataDir, 'artifacts', `${answer.id}.part`)), false);
});

test('on start, files that a killed process left uncompressed are compressed', async t => {
  const folder = makeScratchFolder(t);
  const { store, answer, dataDir } = await recordOne(t, folder, true);
  const id = answer.id ?? assert.fail('no id');
  await store.close();
  const own = join(dataDir, 'artifacts', id);
  rmSync(join(own, 'trace.json.gz'));
  writeFileSync(join(own, 'trace.json'), '{}');
  const next = await openResultStore({ dataDir }, { machineId: 'machine' });
  t.after(() => next.close());
  assert.equal((await next.artifacts(id))?.trace?.isPacked, false);
  await next.sweep({ keepDays: 100_000, keepBytes: 1e12, keepArtifactBytes: 1e12 });
  const packed = (await next.artifacts(id))?.trace;
  assert.ok(packed?.isPacked && readFileSync(packed.path).length === packed.bytes);
});

test('several runs of which one was undisturbed have no range of their own, so the usual one of the page is stored', async t => {
  const store = await openResultStore({ dataDir: makeScratchFolder(t) });
  t.after(() => store.close());
  const recorder = createRecorder({ store, machineId: 'machine', keepsArtifacts: false });
  const range = (min: number, max: number) => ({ min, median: min, max, spread: max - min });
  const runs = (fields: object): Result['runs'] => ({
    ...{ requested: 5, completed: 5, selected: 1, selected_by: 'median_run', scores: {}, metrics: {} },
    ...fields,
  });
  const record = async (at: number, performance: number, given: Partial<Result> = {}) => {
    const { result } = buildSide({ source: 'lighthouse', result: { scores: { performance }, ...given } });
    const fetched = { ...result, fetched_at: `2026-11-20T1${at}:00:00.000Z` };
    return recorder.result({ result: fetched, lighthouseResult: null, profile: 'lighthouse', label: null });
  };
  for (const [at, score] of [84, 90, 87].entries()) await record(at, score);
  const one = await record(3, 86, { runs: runs({ counted: 1 }) } as Partial<Result>);
  assert.deepEqual(one.spread?.scores.performance, { min: 84, median: 87, max: 90, spread: 6 });
  const several = await record(4, 86, { runs: runs({ scores: { performance: range(80, 88) } }) } as Partial<Result>);
  assert.equal(several.spread, undefined);
});
