/** Stored results of older versions, without later fields. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Static } from 'typebox';
import { toResultFacts } from '../../src/analysis/records/to-entry.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import type { History } from '../../src/contract/stored/history.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { createResultId } from '../../src/storage/results/result-id.ts';
import type { NewEntry } from '../../src/storage/results/store.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { packLhr } from '../support/builders/kept-side.ts';
import { buildSide, pageUrl } from '../support/builders/side.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const added = ['benchmark_taken_at', 'benchmark_concurrent_audits', 'concurrent_audits'] as const;
const { result, lhr } = buildSide({ source: 'lighthouse' });
const withoutAdded = Object.fromEntries(
  Object.entries(result.environment).filter(([name]) => !(added as readonly string[]).includes(name)),
) as Result['environment'];

const toEntry = (environment: Result['environment'], label: string, minute: number): NewEntry => {
  const measured: Result = {
    ...result,
    environment,
    label,
    id: createResultId(),
    fetched_at: new Date(Date.parse(result.fetched_at) + minute * 60_000).toISOString(),
  };
  const facts = toResultFacts(measured, {
    place: { id: measured.id as string, kind: 'result', groupId: null },
    measuring: { url: pageUrl, strategy: 'mobile', profile: 'lighthouse', label, conditions: null },
    machineId: 'machine-1',
  });
  return { ...facts, summary: JSON.stringify(measured), full: packLhr(lhr) };
};

const conditions = { benchmark_taken_at: result.fetched_at, benchmark_concurrent_audits: 0, concurrent_audits: 1 };
const older = [0, 1, 2, 3, 4].map(minute => toEntry(withoutAdded, 'older', minute));
const newer = [5, 6, 7, 8, 9].map(minute => toEntry({ ...withoutAdded, ...conditions }, 'newer', minute));
const [first] = older as [NewEntry];
const folder = makeScratchFolder({ after });
const store = await openResultStore({ dataDir: folder });
for (const entry of [...older, ...newer]) assert.deepEqual(await store.keep(entry), { kept: true });
await store.close();
const service = await startService({ after }, { DATA_DIR: folder });

test('an older result is listed', async () => {
  const { body } = await ask<Static<typeof KeptPage>>(service, withQuery('/results', { label: 'older' }));
  assert.deepEqual(
    body.results.map(({ id }) => id),
    older.map(({ id }) => id).toReversed(),
  );
});

test('an older result is shown as stored, with and without its full data', async () => {
  const { status, body } = await ask<Result>(service, `/results/${first.id}`);
  assert.deepEqual([status, body], [200, JSON.parse(first.summary)]);
  assert.ok(added.every(name => !(name in body.environment)));
  const { lighthouse_result: full } = (await ask<Result>(service, `/results/${first.id}?detailed=true`)).body;
  assert.deepEqual(full, JSON.parse(JSON.stringify(lhr)));
});

test('an older result has a report', async () => {
  const response = await fetch(`${service.url}/results/${first.id}/report`);
  assert.equal(response.status, 200);
  assert.ok((await response.text()).includes(pageUrl));
});

test('an older result appears in the history next to newer ones', async () => {
  const { body } = await ask<History>(service, withQuery('/history', { url: pageUrl }));
  assert.deepEqual([body.points.length, body.change_points], [10, []]);
});

test('an older result is compared with newer ones, without a difference', async () => {
  const query = { before: 'older', after: 'newer' };
  const { body } = await ask<Static<typeof ResultsComparison>>(service, withQuery('/compare-results', query));
  assert.deepEqual([body.verdict.status, body.differences, body.audits], ['no_difference', [], []]);
});
