/** Two labels measured with two versions of Lighthouse: the older load is audited again. One real load. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Static } from 'typebox';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { createResultId } from '../../src/storage/results/result-id.ts';
import type { Entry, NewEntry } from '../../src/storage/results/store.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const pages = await startPages({ after });
const folder = makeScratchFolder({ after });
const service = await startService({ after }, { DATA_DIR: folder }, undefined, { pool: sharedPool() });
const query = { url: `${pages.url}/good`, categories: 'performance', label: 'new' };
const measure = async () => (await ask<Result>(service, withQuery('/lighthouse', query))).body;
let measured = await measure();
// Other tests on this machine may disturb a load, whose stored values are then not those of its artifacts.
while (measured.disturbed === true) {
  await ask(service, `/results/${measured.id}`, { method: 'DELETE' });
  measured = await measure();
}
const id = measured.id as string;

const store = await openResultStore({ dataDir: folder });
after(() => store.close());
// The artifacts are compressed after the answer.
await until(async () => (await store.artifacts(id))?.gathered?.isPacked === true);
const kept = (await store.get(id)) as Entry;
const full = (await store.full(id)) ?? null;

const unpack = (packed: string): string => {
  const target = `${packed}.json`;
  writeFileSync(target, gunzipSync(readFileSync(packed)));
  return target;
};

/** Stores the same load as an older Lighthouse would have: LCP 250 ms later, and 7 points less. */
async function keepOlder(label: string, names: readonly ('trace' | 'network_log' | 'gathered')[]): Promise<NewEntry> {
  const entry: NewEntry = {
    ...kept,
    full,
    label,
    id: createResultId(),
    analyser: { ...kept.analyser, lighthouseVersion: '12.0.0' },
    metrics: { ...kept.metrics, largest_contentful_paint: (kept.metrics.largest_contentful_paint ?? 0) + 250 },
    scores: { ...kept.scores, performance: (kept.scores.performance ?? 0) - 7 },
  };
  const files = await store.artifacts(id);
  assert.ok(files);
  const sources = Object.fromEntries(names.map(name => [name, unpack(files[name]?.path ?? '')]));
  const artifactBytes = await store.takeArtifacts(entry.id, sources);
  assert.deepEqual(await store.keep({ ...entry, artifactBytes }), { kept: true });
  return entry;
}
const older = await keepOlder('old', ['trace', 'network_log', 'gathered']);
await keepOlder('older', ['trace', 'network_log']);

const compare = async (query: { before: string; after: string }) =>
  (await ask<Static<typeof ResultsComparison>>(service, withQuery('/compare-results', query))).body;

test('the version effect on each difference is reported, and the loads are compared with one version', async () => {
  const count = pages.requests.all.length;
  const { verdict, version, differences } = await compare({ before: 'old', after: 'new' });
  assert.deepEqual(
    [verdict.status, differences.map(({ name, effect }) => [name, effect])],
    ['undecided', [['lighthouse_version', 'possible_cause']]],
  );
  assert.ok(version);
  assert.deepEqual(
    [version.side, version.measured_with, version.audited_with, version.ids],
    ['before', ['12.0.0'], kept.analyser.lighthouseVersion, [older.id]],
  );
  assert.deepEqual(version.scores.performance, { by_version: 7, rest: 0 });
  assert.deepEqual(version.metrics.largest_contentful_paint, { by_version: -250, rest: 0 });
  assert.deepEqual(version.metrics.total_blocking_time, { by_version: 0, rest: 0 });
  assert.match(
    verdict.explanation,
    /The Lighthouse version accounts for \+7 of the performance score, −250.ms of .* \(1 load of the side before, audited again/,
  );
  assert.equal(pages.requests.all.length, count, 'the page was not asked for again');
});

test('with the sides swapped, the signs are swapped', async () => {
  const { version } = await compare({ before: 'new', after: 'old' });
  assert.deepEqual([version?.side, version?.scores.performance], ['after', { by_version: -7, rest: 0 }]);
});

test('without all artifacts of the older load, only the version difference is reported, with the reason', async () => {
  const { verdict, version } = await compare({ before: 'older', after: 'new' });
  assert.equal(version, null);
  assert.match(
    verdict.explanation,
    /effect of the Lighthouse version is unknown: the artifacts of its loads are not stored here/,
  );
});

test("two versions that both differ from this service's are not audited again", async () => {
  const { verdict, version } = await compare({ before: 'old', after: 'older' });
  assert.deepEqual([version, verdict.explanation.includes('version')], [null, false]);
});
