import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeptFacts } from '../../../test/support/builders/history.ts';
import { buildLocalResult, buildProblem, buildResult } from '../../../test/web/reports.ts';
import { categoryNames, requestCategories } from '../../contract/names.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import type { PageRequest } from '../page-request.ts';
import type { Row } from '../run-batch.ts';
import { type BatchMemory, memoryIn, readBatch, rememberRow } from './kept-batch.ts';

const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
const request: PageRequest = { urls, backend: 'local', strategy: 'mobile', categories: categoryNames };
const ids = urls.map((_, at) => `01a201e3-ac0c-7234-9a1b-00000000000${at}`);
const scores = { performance: 90, accessibility: 90, 'best-practices': 90, seo: 90 };
const failure = { kind: 'problem', problem: buildProblem({}) } as const;

const { signal } = new AbortController();
const optionsFor = (answer: (url: URL) => unknown) => ({
  signal,
  fetch: (async (path: string) => {
    const body = answer(new URL(path, 'http://service'));
    const { status = 200 } = body as { status?: number };
    return new Response(JSON.stringify(body), { status });
  }) as typeof fetch,
});

const resultOf = (index: number) => buildLocalResult({ url: urls[index] ?? '', id: ids[index] ?? '' });
const part = (index: number) => ({ ok: true, result: resultOf(index) }) as const;
const column = (index: number) => ({ source: 'lighthouse', strategy: 'mobile', part: part(index) }) as const;
const rowOf = (index: number, fields: Partial<Row> = {}): Row => ({
  index,
  url: urls[index] ?? '',
  state: 'done',
  ...fields,
});

const kindOf = (end: Awaited<ReturnType<typeof readBatch>>) => (typeof end === 'object' ? end.kind : end);

async function read(memory: BatchMemory, answer: (url: URL) => unknown) {
  const rows: Row[] = [];
  const end = await readBatch(request, memory, row => rows.push(row), optionsFor(answer));
  return { end, rows: rows.toSorted((a, b) => a.index - b.index) };
}

test('a row is remembered by the ids of its parts, its failed parts, or its failure', () => {
  const failed = { source: 'lighthouse', strategy: 'desktop', part: { ok: false, url: 'x', failure } } as const;
  const remembered = (columns: readonly unknown[]) =>
    rememberRow(rowOf(0, { answer: { kind: 'results', columns } as never }));
  assert.deepEqual(remembered([column(0)]), { ids: [ids[0]], failed: [] });
  assert.deepEqual(remembered([column(0), failed]), { ids: [ids[0]], failed: [failed] });
  assert.deepEqual(remembered([failed]), { ids: [], failed: [failed] });
  assert.equal(remembered([{ ...column(0), part: { ok: true, result: buildResult({}) } }]), null, 'nothing is kept');
  assert.deepEqual(rememberRow(rowOf(0, { failure })), { failure });
  assert.equal(rememberRow(rowOf(0, { state: 'queued' })), null);
  const compared = { kind: 'comparisons', pairings: [] } as const;
  assert.deepEqual(rememberRow(rowOf(0, { answer: compared, ids: ['x'] })), { ids: ['x'], failed: [] });
  assert.equal(rememberRow(rowOf(0, { answer: compared, ids: [] })), null);
});

test('a tab uses only what it stored for this list', () => {
  const memory = [null, { failure }, null];
  assert.deepEqual(memoryIn(structuredClone({ batch: memory }), request), memory);
  for (const state of [null, undefined, 'x', {}, { batch: 'abc' }, { batch: [null] }])
    assert.equal(memoryIn(state, request), undefined);
});

test('stored results are read as before, with failures, and removed ones are named', async () => {
  const { end, rows } = await read(
    [{ ids: [ids[0] ?? ''], failed: [] }, { failure }, { ids: ['gone'], failed: [] }],
    url => (url.pathname.endsWith('gone') ? buildProblem({ code: 'result_not_found', status: 404 }) : resultOf(0)),
  );
  assert.equal(end, undefined);
  assert.deepEqual(
    rows.map(({ state, said, failure: why }) => [state, said, why?.kind]),
    [
      ['done', undefined, undefined],
      ['done', undefined, 'problem'],
      ['unmeasured', 'No result is stored', undefined],
    ],
  );
  const [first] = rows;
  assert.ok(first);
  assert.deepEqual(rememberRow(first), { ids: [ids[0]], failed: [] }, 'it is remembered again as it was');
});

test('without a key, a service or its store, reading ends, and no result is reported as removed', async () => {
  const unauthorized = await read([{ ids: ['x'], failed: [] }, null, null], () =>
    buildProblem({ code: 'unauthorized', status: 401 }),
  );
  assert.equal(kindOf(unauthorized.end), 'problem');
  const away = await read([{ ids: ['x'], failed: [] }, null, null], () =>
    buildProblem({ code: 'results_unavailable', status: 503 }),
  );
  assert.deepEqual([kindOf(away.end), away.rows.length], ['problem', 2]);
  const lost = await read([{ ids: ['x'], failed: [] }, null, null], () => {
    throw new TypeError('fetch failed');
  });
  assert.equal(kindOf(lost.end), 'unreachable');
});

const find = async (wanted: Partial<PageRequest>, known: (query: URLSearchParams) => KeptFacts[]) => {
  const asked: URLSearchParams[] = [];
  const rows: Row[] = [];
  const answer = ({ pathname, searchParams }: URL) => {
    const at = ids.indexOf(pathname.slice('/results/'.length));
    if (at >= 0) return resultOf(at);
    asked.push(searchParams);
    return { results: known(searchParams), next: null };
  };
  const end = await readBatch({ ...request, ...wanted }, undefined, row => rows.push(row), optionsFor(answer));
  const found = rows.toSorted((a, b) => a.index - b.index).map(row => row.ids ?? null);
  return { asked, found: end === 'nothing' ? undefined : found };
};
const kept = (at: number, fields: Partial<KeptFacts> = {}) =>
  buildKeptFacts(at, {
    id: ids[at] ?? '',
    source: 'lighthouse',
    label: null,
    profile: 'lighthouse',
    scores,
    ...fields,
  });

test('the newest results with the same settings are found, page by page', async () => {
  const { asked, found } = await find({}, query =>
    query.get('url') === urls[1] ? [] : [kept(urls.indexOf(query.get('url') ?? ''))],
  );
  assert.deepEqual(found, [[ids[0]], null, [ids[2]]]);
  assert.deepEqual(Object.fromEntries(asked[0] ?? []), {
    url: urls[0],
    source: 'lighthouse',
    strategy: 'mobile',
    limit: '10',
  });
  const agentic = await find({ categories: requestCategories }, () => [kept(0)]);
  assert.equal(agentic.found, undefined, 'a list entry does not contain agentic browsing, and the result has none');
  const other = [{ label: 'build-41' }, { profile: 'psi' as const }, { scores: { ...scores, seo: null } }];
  for (const fields of other) assert.equal((await find({}, () => [kept(0, fields)])).found, undefined);
  const failed = await find({}, () => [kept(0, { kind: 'failure', scores: {} as never })]);
  assert.deepEqual(failed.found?.[0], [ids[0]], 'a failure is found, too');
  const labelled = await find({ label: 'build-41' }, () => [kept(0), kept(1, { label: 'build-41' })]);
  assert.deepEqual(labelled.found?.[0], [ids[1]]);
  assert.equal(labelled.asked[0]?.get('label'), 'build-41');
});

test('a page is found only if both devices are found', async () => {
  const { found } = await find({ strategy: 'both' }, query =>
    query.get('strategy') === 'desktop' && query.get('url') === urls[0] ? [] : [kept(1)],
  );
  assert.deepEqual(found, [null, ...urls.slice(1).map(() => [ids[1], ids[1]])]);
});

test('nothing is read if a list of stored results does not contain the request', async () => {
  for (const extra of [{ runs: '3' }, { cpu: 'calibrated' }, { exclusive: 'true' }] as const) {
    const { asked, found } = await find(extra, () => [kept(0)]);
    assert.deepEqual([asked.length, found], [0, undefined]);
  }
});
