/** Unusual requests about stored results, over a data folder with an odd name. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import type { History } from '../../src/contract/stored/history.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import { createResultId } from '../../src/storage/results/result-id.ts';
import type { NewEntry } from '../../src/storage/results/store.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import type { Invalid } from '../support/asking/invalid.ts';
import { buildEntry, buildFailure, noonMs } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';

const folder = join(makeScratchFolder({ after }), "Größe 100%20 ?mode=memory #1 'x' 🚀");
const minuteMs = 60_000;
const pageOf = (name: string) => `https://example.com/${name}`;
const keptOf = (name: string, count: number, given: Partial<NewEntry> = {}) =>
  Array.from({ length: count }, (_, at) =>
    buildEntry({ url: pageOf(name), measuredAtMs: noonMs + at * minuteMs, ...given }),
  );

const [one, two] = [keptOf('one', 1), keptOf('two', 2)];
const single = keptOf('single', 1, { label: 'only one' });
const five = keptOf('single', 5, { label: 'five' });
const withoutFull = buildEntry({ url: pageOf('without'), full: null });
const failure = buildFailure({ url: pageOf('failed') });
const labels = [
  '=1+1',
  '+49',
  '-x',
  '@SUM(A1)',
  '"; DROP TABLE results; --',
  'it\'s, "so"',
  '＝cmd',
  'a\u2028b',
  '日本語 🚀',
];
const labelled = labels.map((label, at) =>
  buildEntry({ url: pageOf('labels'), label, measuredAtMs: noonMs + at * minuteMs }),
);

const store = await openResultStore({ dataDir: folder });
for (const entry of [...one, ...two, ...single, ...five, ...labelled, withoutFull, failure])
  assert.deepEqual(await store.keep(entry), { kept: true });
await store.close();

const fake = await startFakePsi({ after });
const service = await startService({ after }, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
const history = (query: Record<string, string>) => ask<History>(service, withQuery('/history', query));
const compare = (query: Record<string, string>) =>
  ask<ResultsComparison>(service, withQuery('/compare-results', query));
const list = (query: Record<string, string>) => ask<KeptPage>(service, withQuery('/results', query));
const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);

test('a data folder may have any name', async () => {
  assert.ok(existsSync(join(folder, databaseFile)));
  assert.deepEqual(idsOf((await list({ url: pageOf('two') })).body.results), idsOf(two).toReversed());
});

test('a history of one point or two has a median, one segment, and no change', async () => {
  for (const [name, entries] of [
    ['one', one],
    ['two', two],
  ] as const) {
    const { status, body } = await history({ url: pageOf(name) });
    assert.deepEqual([status, idsOf(body.points), body.median], [200, idsOf(entries), 98]);
    assert.deepEqual([body.segments.length, body.change_points, body.gaps], [1, [], []]);
  }
});

test('a history without values has no point, and its CSV only a header', async () => {
  const { body } = await history({ url: pageOf('two'), metric: 'seo' });
  assert.deepEqual([body.points, body.median, body.segments, body.without_value], [[], null, [], 2]);
  const file = await fetch(service.url + withQuery('/history', { url: pageOf('never'), format: 'csv' }));
  assert.deepEqual([file.status, (await file.text()).split('\r\n').length], [200, 2]);
});

/** Splits a line into cells as RFC 4180 defines them. */
const toCells = (line: string): string[] =>
  [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)]
    .slice(0, -1)
    .map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');

test('any label is one cell of a CSV, and none is a formula', async () => {
  const file = await fetch(service.url + withQuery('/history', { url: pageOf('labels'), format: 'csv' }));
  const [head = '', ...lines] = (await file.text()).split('\r\n');
  const at = toCells(head).indexOf('label');
  const cells = lines.slice(0, -1).map(line => toCells(line)[at]);
  assert.deepEqual(
    cells.map(cell => cell?.replace(/^'/, '')),
    labels,
  );
  assert.ok(cells.every(cell => !/^[=+\-@＝]/.test(cell ?? '=')));
});

test('a label is found whatever its characters', async () => {
  for (const [at, label] of labels.entries())
    assert.deepEqual(idsOf((await list({ label })).body.results), [labelled[at]?.id], label);
});

test('a label has up to a hundred characters, and an emoji is one', async () => {
  const psi = (label: string) =>
    ask<Result & Invalid>(service, withQuery('/psi', { url: pageOf('emoji'), strategy: 'mobile', label }));
  for (const label of ['🚀'.repeat(100), 'é'.repeat(100)]) {
    const { status, body } = await psi(label);
    assert.deepEqual([status, body.label], [200, label]);
    assert.equal((await list({ label })).body.results.length, 1);
  }
  for (const label of ['🚀'.repeat(101), 'x'.repeat(101)]) {
    const { status, body } = await psi(label);
    assert.deepEqual([status, body.detail[0]?.loc, body.detail[0]?.type], [422, ['query', 'label'], 'string_too_long']);
    const batch = await post<Invalid>(service, '/psi', { urls: [pageOf('emoji')], label });
    assert.deepEqual([batch.status, batch.body.detail[0]?.loc], [422, ['body', 'label']]);
  }
  const half = await post<Invalid>(service, '/psi', '{"url":"https://example.com/","label":"\\ud83d"}');
  assert.deepEqual([half.status, half.body.detail[0]?.type], [422, 'value_error']);
});

test('a time may have any offset, and an invalid one is reported', async () => {
  const found = async (query: Record<string, string>) =>
    idsOf((await list({ url: pageOf('two'), ...query })).body.results);
  const [first, second] = idsOf(two);
  assert.deepEqual(await found({ since: '2026-11-20T12:01:00Z' }), [second]);
  assert.deepEqual(await found({ since: '2026-11-20T14:01+02:00' }), [second]);
  assert.deepEqual(await found({ until: '2026-11-20T06:31:00-05:30' }), [first]);
  assert.deepEqual(await found({ since: '2026-11-20', until: '2026-11-21' }), [second, first]);
  assert.deepEqual(await found({ since: '2026-11-21', until: '2026-11-20' }), []);
  assert.deepEqual(await found({ since: '0000-01-01', until: '9999-12-31T23:59:59-14:00' }), [second, first]);
  for (const since of ['2026-02-30', '1763812800', '2026-11-20T12', '2026-11-20+02:00', 'now', ' ']) {
    const { status, body } = await ask<Invalid>(service, withQuery('/history', { url: pageOf('two'), since }));
    assert.deepEqual([status, body.detail[0]?.type], [422, 'datetime_parsing'], since);
  }
});

test('an invented cursor is rejected, or returns the entries after it', async () => {
  const toCursor = (text: string) => Buffer.from(text).toString('base64url');
  const id = createResultId(noonMs);
  for (const cursor of [
    toCursor(`${noonMs}`),
    toCursor(`${noonMs} ${id} ${id}`),
    toCursor(`1e99 ${id}`),
    toCursor(`-1 ${id}`),
    toCursor(`${noonMs} ' OR 1=1`),
    '\u0000',
    '🚀',
    'A'.repeat(5000),
  ]) {
    const { status, body } = await ask<Invalid>(service, withQuery('/results', { cursor }));
    assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['query', 'cursor']], cursor);
  }
  const all = (await list({ limit: '1000' })).body.results;
  assert.deepEqual((await list({ cursor: toCursor(`9999999999999999 ${id}`), limit: '1000' })).body.results, all);
  assert.deepEqual((await list({ cursor: toCursor(`0 ${id}`) })).body.results, []);
});

test('a label with one run is compared, and undecided', async () => {
  const { status, body } = await compare({ before: 'only one', after: 'five' });
  assert.deepEqual([status, body.before.runs, body.after.runs, body.verdict.status], [200, 1, 5, 'undecided']);
});

test('a result or a label compared with itself has not changed', async () => {
  for (const side of [single[0]?.id ?? '', 'five']) {
    const { status, body } = await compare({ before: side, after: side });
    assert.equal(status, 200);
    assert.ok(['no_difference', 'undecided'].includes(body.verdict.status), body.verdict.status);
    assert.ok(Object.values(body.scores).every(score => score?.difference === 0));
  }
});

test('a missing part of an entry is not found, and the sentence names it', async () => {
  for (const { id } of [withoutFull, failure])
    for (const part of ['report', 'screenshot', 'trace', 'network-log', 'har']) {
      const { status, body } = await ask<Problem>(service, `/results/${id}/${part}`);
      assert.deepEqual([status, body.code], [404, 'result_not_found'], part);
      assert.doesNotMatch(body.detail, /has this id/, part);
    }
  const detailed = await fetch(`${service.url}/results/${withoutFull.id}?detailed=true`);
  assert.deepEqual([detailed.status, await detailed.text()], [200, withoutFull.summary]);
});

test('a result larger than the whole limit is removed by the next sweep, and new ones are stored', async t => {
  const own = makeScratchFolder(t);
  const large = buildEntry({ full: { coding: 'zstd', bytes: new Uint8Array(3_000_000) } });
  const filling = await openResultStore({ dataDir: own });
  assert.deepEqual(await filling.keep(large), { kept: true });
  await filling.close();
  // The service sweeps at its start.
  const small = await startService(t, { DATA_DIR: own, KEEP_SIZE: '1', PSI_ENDPOINT: fake.endpoint });
  await readUntil(
    () => fetch(`${small.url}/results/${large.id}`),
    ({ status }) => status === 404,
  );
  const { body } = await ask<Result>(small, withQuery('/psi', { url: pageOf('new'), strategy: 'mobile' }));
  assert.deepEqual([body.warnings, (await fetch(`${small.url}/results/${body.id}`)).status], [[], 200]);
});
