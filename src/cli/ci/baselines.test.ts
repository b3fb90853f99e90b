import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { findBaseline } from './baselines.ts';

type Query = Record<string, string>;

/** Serves a list of results, newest first, with at most 1,000 in each response. */
async function serveResults(t: { after(done: () => void): void }, labels: readonly string[]) {
  const asked: Query[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    asked.push(Object.fromEntries(searchParams));
    const [from, limit] = [Number(searchParams.get('cursor') ?? 0), Number(searchParams.get('limit'))];
    const results = labels.slice(from, from + limit).map((label, at) => ({ id: `${from + at}`, label }));
    const next = from + limit < labels.length ? `${from + limit}` : null;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ results, next }));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  return { asked, asking: { baseUrl: `http://127.0.0.1:${port}/`, apiKey: undefined, signal } };
}

const page = { url: 'https://example.com/', strategy: 'mobile' } as const;

test('a baseline older than thousands of results of other branches is found', async t => {
  const newer = Array.from({ length: 2500 }, (_, at) => `topic-${at}@1a2b3c4-1`);
  const { asking, asked } = await serveResults(t, [...newer, 'main@0a0b0c0-2', 'main@0a0b0c0-1']);
  const plan = { baseline: { branch: 'main' }, label: 'topic@1a2b3c4-9' };
  assert.equal((await findBaseline(page, plan, asking))?.label, 'main@0a0b0c0-2');
  assert.equal(asked.length, 3);
  assert.equal(await findBaseline(page, { ...plan, baseline: { branch: 'release' } }, asking), undefined);
});

test('a run is not its own baseline, and main is not the start of another branch', async t => {
  const { asking } = await serveResults(t, ['main@1a2b3c4-2', 'main-2@1a2b3c4-1', 'main@1a2b3c4-1']);
  const found = await findBaseline(page, { baseline: { branch: 'main' }, label: 'main@1a2b3c4-2' }, asking);
  assert.equal(found?.label, 'main@1a2b3c4-1');
});

test('a baseline with its own label is requested by that label', async t => {
  const { asking, asked } = await serveResults(t, ['v1']);
  assert.equal((await findBaseline(page, { baseline: { label: 'v1' }, label: 'x' }, asking))?.label, 'v1');
  assert.equal(asked[0]?.label, 'v1');
});
