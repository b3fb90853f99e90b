/** A client reads results while another removes them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import type { History } from '../../src/contract/stored/history.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { createResultId } from '../../src/storage/results/result-id.ts';
import type { NewEntry } from '../../src/storage/results/store.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { packLhr } from '../support/builders/kept-side.ts';
import { buildSide } from '../support/builders/side.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const folder = makeScratchFolder({ after });
const { result, lhr } = buildSide({ source: 'lighthouse' });
const page = 'https://example.com/forgotten';
/** Pairs of entries: a result and its second run. */
const kept = Array.from({ length: 12 }, (): [NewEntry, NewEntry] => {
  const id = createResultId();
  const given = { url: page, label: 'gone', groupId: id, full: packLhr(lhr) };
  const toEntry = (kind: 'result' | 'run', own: string) =>
    buildEntry({ ...given, kind, id: own, summary: JSON.stringify({ ...result, id: own }) });
  return [toEntry('result', id), toEntry('run', createResultId())];
});
const store = await openResultStore({ dataDir: folder });
for (const entry of kept.flat()) assert.deepEqual(await store.keep(entry), { kept: true });
await store.close();

const fake = await startFakePsi({ after });
const service = await startService({ after }, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
const statusOf = async (path: string, method = 'GET') => {
  const response = await fetch(service.url + path, { method });
  await response.arrayBuffer();
  return response.status;
};

test('if one client removes a result, a concurrent reader gets it or learns that it is gone', async () => {
  for (const [{ id }, { id: run }] of kept.slice(0, 6)) {
    const reading = ['', '?detailed=true', '/report', '/screenshot', '/trace'].map(part =>
      statusOf(`/results/${id}${part}`),
    );
    const forgetting = [id, id, run].map(own => statusOf(`/results/${own}`, 'DELETE'));
    const asked = [
      withQuery('/compare-results', { before: id, after: 'gone' }),
      withQuery('/compare-results', { before: 'gone', after: run }),
      withQuery('/history', { url: page }),
      withQuery('/results', { group: id }),
    ].map(path => statusOf(path));
    const [first = 0, second = 0, ofRun] = await Promise.all(forgetting);
    assert.deepEqual([[first, second].toSorted((a, b) => a - b), ofRun], [[200, 404], 200]);
    for (const status of await Promise.all([...reading, ...asked])) assert.ok([200, 404].includes(status), `${status}`);
    assert.equal(await statusOf(`/results/${id}`), 404);
  }
});

test('a page that two clients remove is gone, and each entry is counted once', async () => {
  const forgetting = [1, 2].map(() =>
    ask<{ removed: number }>(service, withQuery('/results', { url: page }), { method: 'DELETE' }),
  );
  const asked = Array.from({ length: 5 }, () => ask<History>(service, withQuery('/history', { url: page })));
  const counts = (await Promise.all(forgetting)).map(({ body }) => body.removed);
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 12);
  for (const { status, body } of await Promise.all(asked)) assert.deepEqual([status, body.change_points], [200, []]);
  assert.deepEqual((await ask<History>(service, withQuery('/history', { url: page }))).body.points, []);
});

test('a page removed while a batch measures it has only the later results of the batch', async () => {
  const urls = ['one', 'two', 'three'].map(name => `https://example.com/${name}`);
  const [first = ''] = urls;
  const before = await ask<Result>(service, withQuery('/psi', { url: first, strategy: 'mobile' }));
  const release = fake.hold();
  const count = fake.calls.all.length;
  const batch = post<{ results: (Result & { id: string })[] }>(service, '/psi', {
    urls,
    strategy: 'mobile',
    label: 'batch',
  });
  await fake.calls.waitFor(count + 1);
  const forgotten = await ask(service, withQuery('/results', { url: first }), { method: 'DELETE' });
  assert.deepEqual(forgotten.body, { removed: 1 });
  release();
  const { results } = (await batch).body;
  assert.deepEqual(
    results.map(({ url, warnings }) => [url, warnings]),
    urls.map(url => [url, []]),
  );
  for (const { id } of results) assert.equal(await statusOf(`/results/${id}`), 200);
  assert.equal(await statusOf(`/results/${before.body.id}`), 404);
  const { body } = await ask<KeptPage>(service, withQuery('/results', { url: first }));
  assert.deepEqual(
    body.results.map(({ id }) => id),
    [results[0]?.id],
  );
});
