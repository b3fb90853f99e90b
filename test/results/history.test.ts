/** GET /history over a store that the test fills. Nothing here starts a browser. */
import assert from 'node:assert/strict';

import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { History } from '../../src/contract/stored/history.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { createResultId } from '../../src/storage/results/result-id.ts';
import type { NewEntry } from '../../src/storage/results/store.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { assertInvalid, badUrls, type Invalid, literal, oneStrategy, required } from '../support/asking/invalid.ts';
import { buildEntry, buildFailure, noonMs } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const folder = makeScratchFolder({ after });
const dayMs = 86_400_000;

/** Fills a database file as a service does. */
async function keep(entries: readonly NewEntry[], dataDir = folder): Promise<void> {
  const store = await openResultStore({ dataDir });
  for (const entry of entries) assert.deepEqual(await store.keep(entry), { kept: true });
  await store.close();
}

const page = 'https://example.com/';
const scored = (performance: number, at: number, given: Partial<NewEntry> = {}) => {
  const entry = buildEntry({ measuredAtMs: noonMs + at * dayMs, ...given });
  return { ...entry, scores: { ...entry.scores, performance } };
};
/** Thirty days with one entry each: the score falls on day 12, when the browser changes. */
const entries = Array.from({ length: 30 }, (_, at) =>
  scored((at < 12 ? 95 : 80) + (at % 2), at, {
    label: at < 12 ? 'v1' : '=v2, "new"',
    analyser: { ...buildEntry().analyser, browserVersion: at < 12 ? '153.0.1' : '154.0.0' },
  }),
);
const failures = [0, 1, 2].map(hour => buildFailure({ measuredAtMs: noonMs + 20 * dayMs + (hour + 1) * 3_600_000 }));
const groupId = createResultId(noonMs);
const runs = [70, 90, 80].map((value, at) =>
  scored(value, 40 + at / 100, { groupId, kind: at === 2 ? 'result' : 'run', url: 'https://example.com/runs' }),
);
await keep([
  ...entries,
  ...failures,
  ...runs,
  scored(10, 3, { source: 'psi' }),
  scored(11, 3, { strategy: 'desktop' }),
  buildEntry({ kind: 'comparison', source: 'compare' }),
]);
const service = await startService({ after }, { DATA_DIR: folder });
const history = async (query: Record<string, string>) =>
  (await ask<History>(service, withQuery('/history', { url: page, ...query }))).body;

test('GET /history answers points, both segments, the dated change, and the gap with its reason', async () => {
  const body = await history({});
  assert.deepEqual(
    [body.metric, body.unit, body.strategy, body.source],
    ['performance', 'point', 'mobile', 'lighthouse'],
  );
  assert.deepEqual(
    body.points.map(({ id, value, links }) => [id, value, links.self]),
    entries.map(({ id, scores }) => [id, scores.performance, `/results/${id}`]),
  );
  const [change, ...others] = body.change_points;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [change?.status, change?.previous_id, change?.id, change?.difference, change?.percent],
    ['worse', entries[11]?.id, entries[12]?.id, -15, -15.7],
  );
  assert.deepEqual(change?.differences, [
    { name: 'browser_version', before: '153.0.1', after: '154.0.0' },
    { name: 'label', before: 'v1', after: '=v2, "new"' },
  ]);
  assert.deepEqual(
    body.segments.map(({ points, median }) => [points, median]),
    [
      [12, 95.5],
      [18, 80.5],
    ],
  );
  assert.deepEqual(
    body.gaps.map(({ explanation }) => explanation),
    ['page error 503 from 2026-12-10 13:00 UTC to 2026-12-10 15:00 UTC'],
  );
});

test('each point leads to its result', async () => {
  const { points } = await history({});
  const response = await fetch(`${service.url}${points[3]?.links.self}`);
  assert.deepEqual([response.status, await response.text()], [200, entries[3]?.summary]);
});

test('a history can be limited to a metric, strategy, source, label and time', async () => {
  const valuesOf = async (query: Record<string, string>) => (await history(query)).points.map(({ value }) => value);
  assert.deepEqual(await valuesOf({ source: 'psi' }), [10]);
  assert.deepEqual(await valuesOf({ strategy: 'desktop' }), [11]);
  assert.deepEqual(await valuesOf({ metric: 'total_blocking_time', since: '2026-12-18' }), [0, 0]);
  assert.equal((await valuesOf({ label: 'v1' })).length, 12);
  assert.deepEqual(await valuesOf({ since: '2026-11-21', until: '2026-11-22T12:00:00Z' }), [96]);
  assert.deepEqual((await history({ metric: 'seo' })).without_value, 30);
});

test('runs of one request are one point, with their median', async () => {
  const { points } = await history({ url: `${page}runs` });
  assert.deepEqual(
    points.map(({ id, value, ids }) => [id, value, ids]),
    [[runs[2]?.id, 80, runs.map(({ id }) => id)]],
  );
});

test('a page without results has an empty history', async () => {
  const { status, body } = await ask<History>(service, withQuery('/history', { url: 'https://never.test/' }));
  assert.deepEqual([status, body.points, body.median], [200, [], null]);
});

test('format=csv has one line for each point, and no label in it is a formula', async () => {
  const response = await fetch(`${service.url}${withQuery('/history', { url: page, format: 'csv' })}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal(
    response.headers.get('content-disposition'),
    'attachment; filename="example.com-performance-mobile.csv"',
  );
  const lines = (await response.text()).split('\r\n');
  assert.equal(lines.length, 32);
  assert.match(lines[12] ?? '', /^2026-12-01T12:00:00.000Z,96,point,v1,/);
  assert.match(lines[13] ?? '', /^2026-12-02T12:00:00.000Z,80,point,"'=v2, ""new""",.*,154\.0\.0,worse,false$/);
});

test('all faults of the query are reported, in the order of its fields', async () => {
  const invalid = (query: Record<string, string>) => ask<Invalid>(service, withQuery('/history', query));
  assertInvalid(await invalid({}), [required('query', 'url')]);
  assertInvalid(await invalid({ url: page, strategy: 'both', format: 'xml' }), [
    literal(['query', 'strategy'], oneStrategy),
    literal(['query', 'format'], "'json' or 'csv'"),
  ]);
  const { body } = await invalid({ url: page, metric: 'lcp', since: 'yesterday', label: 'x'.repeat(101) });
  assert.deepEqual(
    body.detail.map(({ loc, type }) => [loc[1], type]),
    [
      ['metric', 'literal_error'],
      ['label', 'string_too_long'],
      ['since', 'datetime_parsing'],
    ],
  );
  for (const [url, type] of badUrls) assert.equal((await invalid({ url })).body.detail[0]?.type, type, url);
});

test('a service without a store says so', async t => {
  const without = await startService(t);
  const { status, body } = await ask<Problem>(without, withQuery('/history', { url: page }));
  assert.deepEqual([status, body.code], [404, 'results_not_kept']);
});
