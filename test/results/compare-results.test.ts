/** GET /compare-results over a store that the test fills. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Static } from 'typebox';
import type { Problem } from '../../src/contract/problem.ts';
import type { ResultsComparison as Schema } from '../../src/contract/stored/change.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { createResultId } from '../../src/storage/results/result-id.ts';
import type { NewEntry } from '../../src/storage/results/store.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { assertInvalid, type Invalid, literal, oneStrategy, required } from '../support/asking/invalid.ts';
import { buildEntry, buildFailure, noonMs } from '../support/builders/entry.ts';
import { buildSummary, packLhr, toScored } from '../support/builders/kept-side.ts';
import { buildAudit, buildCategory, buildLhr, buildRef } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

type ResultsComparison = Static<typeof Schema>;

const folder = makeScratchFolder({ after });
const [page, other] = ['https://example.com/', 'https://example.com/other'];

/** 20 MB of JSON, as for the largest pages. */
const padding = 'x'.repeat(20 * 1024 * 1024);
const lhrOf = (failed: string, script: string) =>
  buildLhr({
    audits: [
      ...['alt', 'contrast'].map(id => buildAudit(id, { score: id === failed ? 0 : 1 })),
      buildAudit('network-requests', {
        details: { items: [{ url: `https://a.test/${script}?v=1`, transferSize: 70_000, resourceType: 'Script' }] },
      }),
      buildAudit('padding', { details: { padding } }),
    ],
    categories: [buildCategory('accessibility', [buildRef('alt'), buildRef('contrast')])],
  });
const [fullBefore, fullAfter] = [packLhr(lhrOf('alt', 'old.js')), packLhr(lhrOf('contrast', 'new.js'))];

const groupId = createResultId(noonMs);
const before = toScored([95, 96, 95, 97, 96], {
  label: 'v1',
  summary: buildSummary({ failed: ['alt'] }),
  full: fullBefore,
});
const afterRuns = toScored([80, 82, 81, 80, 83], {
  label: 'v2',
  summary: buildSummary({ failed: ['contrast'] }),
  full: fullAfter,
  groupId,
  kind: 'run',
}).map((entry, at): NewEntry => (at === 0 ? { ...entry, kind: 'result' } : entry));
const failure = buildFailure({ label: 'v2' });
const comparison = buildEntry({ kind: 'comparison', source: 'compare' });
const desktop = toScored([50], { label: 'v2', strategy: 'desktop' });
const elsewhere = ['many', 'pages'].flatMap(label => [page, other].flatMap(url => toScored([90], { label, url })));

const store = await openResultStore({ dataDir: folder });
for (const entry of [...before, ...afterRuns, failure, comparison, ...desktop, ...elsewhere])
  assert.deepEqual(await store.keep(entry), { kept: true });
await store.close();

const service = await startService({ after }, { DATA_DIR: folder });
const compare = (query: Record<string, string>) =>
  ask<ResultsComparison>(service, withQuery('/compare-results', query));
const refuse = (query: Record<string, string>) => ask<Invalid>(service, withQuery('/compare-results', query));

test('two labels with five runs each give the verdict with its interval, flipped audits, and requests', async () => {
  const { status, body } = await compare({ before: 'v1', after: 'v2' });
  assert.equal(status, 200);
  assert.deepEqual([body.before.runs, body.after.runs, body.before.labels, body.after.url], [5, 5, ['v1'], page]);
  assert.equal(body.verdict.status, 'worse');
  assert.match(
    body.verdict.explanation,
    /^The page got worse: performance score 96 → 81 \(−15; between −17 and −12\)\. Changed files: old\.js was removed/,
  );
  // There are 252 ways to divide ten runs into two fives; the interval excludes the two most extreme at each end.
  assert.deepEqual(body.scores.performance?.interval, { low: -17, high: -12, confidence: 0.984127 });
  assert.deepEqual(
    body.audits?.map(({ id, before: was, after: is }) => [id, was, is]),
    [
      ['contrast', 'passed', 'failed'],
      ['alt', 'failed', 'passed'],
    ],
  );
  assert.deepEqual(
    [body.requests?.added[0]?.url, body.requests?.removed[0]?.url],
    ['https://a.test/new.js', 'https://a.test/old.js'],
  );
  assert.deepEqual(body.differences, []);
  assert.ok(JSON.stringify(body).length < 10_000);
});

test('an id selects the runs of its request, and can be compared with a label', async () => {
  const { body } = await compare({ before: 'v1', after: afterRuns[3]?.id ?? '' });
  assert.deepEqual(
    [body.after.by, body.after.runs, new Set(body.after.ids)],
    ['id', 5, new Set(afterRuns.map(({ id }) => id))],
  );
  assert.equal(body.verdict.status, 'worse');
});

test('one result a side is undecided, with the number of runs likely to decide', async () => {
  const [one, two] = before;
  const { body } = await compare({ before: one?.id ?? '', after: two?.id ?? '' });
  assert.deepEqual([body.verdict.status, Number(body.verdict.more_runs) > 1], ['undecided', true]);
});

test('with a larger smallest effect, a change is no meaningful difference', async () => {
  const query = { before: 'v1', after: 'v2', min_effect_points: '30' };
  const { body } = await compare(query);
  assert.deepEqual([body.verdict.status, body.scores.performance?.min_effect], ['no_difference', 30]);
});

test('results of two strategies have no verdict', async () => {
  const { body } = await compare({ before: 'v1', after: desktop[0]?.id ?? '' });
  assert.deepEqual([body.verdict.status, body.differences[0]?.name], ['undecided', 'strategy']);
});

test('an id or label without results answers 404', async () => {
  for (const query of [
    { before: 'v1', after: 'v3' },
    { before: createResultId(), after: 'v2' },
    { before: 'v1', after: 'v2', url: other },
  ]) {
    const { status, body } = await ask<Problem>(service, withQuery('/compare-results', query));
    assert.deepEqual([status, body.code, body.retryable], [404, 'result_not_found', false], JSON.stringify(query));
  }
});

test('every fault of the query is reported', async () => {
  assertInvalid(await refuse({}), [required('query', 'before'), required('query', 'after')]);
  assertInvalid(await refuse({ before: ' ', after: 'v2' }), [required('query', 'before')]);
  assertInvalid(await refuse({ before: 'v1', after: 'v2', strategy: 'both' }), [
    literal(['query', 'strategy'], oneStrategy),
  ]);
  assertInvalid(await refuse({ before: 'v1', after: 'v2', min_effect_points: '0' }), [
    {
      loc: ['query', 'min_effect_points'],
      msg: 'Input should be greater than or equal to 1',
      type: 'greater_than_equal',
    },
  ]);
  const unclear = (parameter: string, reason: string) => ({
    loc: ['query', parameter],
    msg: `Value error, ${reason}`,
    type: 'value_error',
  });
  assertInvalid(await refuse({ before: 'many', after: 'pages' }), [
    unclear('url', 'the results belong to 2 pages: select one'),
  ]);
  assertInvalid(await refuse({ before: failure.id, after: 'v2' }), [
    unclear('before', 'it is a failed measurement, without values'),
  ]);
  assertInvalid(await refuse({ before: 'v1', after: comparison.id }), [
    unclear('after', 'it is a comparison: send the id of one of its results'),
  ]);
});

test('naming a page resolves labels of several pages', async () => {
  const { body } = await compare({ before: 'many', after: 'pages', url: other });
  assert.deepEqual([body.before.url, body.after.url], [other, other]);
});

test('a client that disconnects does not affect the next one', async () => {
  const target = `${service.url}${withQuery('/compare-results', { before: 'v1', after: 'v2' })}`;
  const left = Array.from({ length: 5 }, async () => {
    const leaving = new AbortController();
    const asked = fetch(target, { signal: leaving.signal });
    setImmediate(() => leaving.abort());
    await assert.rejects(asked);
  });
  await Promise.all(left);
  assert.equal((await compare({ before: 'v1', after: 'v2' })).body.verdict.status, 'worse');
});

test('a service without a store says so', async t => {
  const without = await startService(t);
  const { status, body } = await ask<Problem>(without, withQuery('/compare-results', { before: 'v1', after: 'v2' }));
  assert.deepEqual([status, body.code], [404, 'results_not_kept']);
});
