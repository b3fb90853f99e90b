/** Disturbed runs and the range of a score, in every answer that reports them. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import type { History } from '../../src/contract/stored/history.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildAudit, buildCategory, buildMetricAudits, metricRefs } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';

const url = 'https://example.com/';
const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, DATA_DIR: makeScratchFolder({ after }) });

/** For each call, the score and the paint's delay after the load event. */
const loads = [
  { score: 0.84, paintAfterMs: 20 },
  { score: 0.9, paintAfterMs: 20 },
  { score: 0.87, paintAfterMs: 20 },
  { score: 0.61, paintAfterMs: 1400 },
  { score: 0.86, paintAfterMs: 20 },
];
let calls = 0;
fake.answerWith(call => {
  const { score, paintAfterMs } = loads[calls] ?? { score: 1, paintAfterMs: 0 };
  calls += 1;
  const observed = { observedLoad: 500, observedFirstContentfulPaint: 500 + paintAfterMs };
  const audits = [...buildMetricAudits(), buildAudit('metrics', { details: { items: [observed] } })];
  const lighthouse = {
    fetchTime: `2026-11-20T1${calls}:00:00.000Z`,
    audits: Object.fromEntries(audits.map(audit => [audit.id, audit])),
    categories: { performance: buildCategory('performance', metricRefs, score) },
  };
  return { body: toPsiBody(call, lighthouse) };
});

const measure = async (label: string) =>
  (
    await ask<Result & { id: string }>(
      service,
      withQuery('/psi', { url, strategy: 'mobile', categories: 'performance', label }),
      { headers: { 'cache-control': 'no-cache' } },
    )
  ).body;

const results: (Result & { id: string })[] = [];
for (const at of loads.keys()) results.push(await measure(at < 3 ? 'before' : 'after'));

test('a disturbed result is marked, with the invalid values and a sentence', () => {
  const [first, , , late] = results;
  assert.deepEqual([first?.disturbed, first?.disturbance], [null, undefined], 'another service does not say');
  assert.equal(late?.disturbed, true);
  assert.deepEqual(late.disturbance, {
    kinds: ['late_paint'],
    denied: ['first_contentful_paint', 'largest_contentful_paint', 'speed_index', 'interactive'],
    performance: null,
    total_blocking_time: null,
  });
  assert.match(late.warnings[0] ?? '', /^This run was disturbed: the browser painted the page 1\.4 s after/);
});

test('the usual spread of a page is known from its fourth result on, and disturbed results do not widen it', () => {
  assert.deepEqual(
    results.map(({ spread }) => spread?.results),
    [undefined, undefined, undefined, 3, 3],
  );
  assert.deepEqual(results[4]?.spread?.scores, { performance: { min: 84, median: 87, max: 90, spread: 6 } });
});

test('lists, history and its CSV have the mark, and lists the range', async () => {
  const { body: list } = await ask<KeptPage>(service, withQuery('/results', { url }));
  assert.deepEqual(
    list.results.map(({ disturbed }) => disturbed),
    [null, true, null, null, null],
  );
  assert.deepEqual(
    list.results.map(({ performance_range: range }) => range),
    [{ min: 84, max: 90 }, { min: 84, max: 90 }, null, null, null],
  );
  const query = { url, source: 'psi', strategy: 'mobile' };
  const { body: history } = await ask<History>(service, withQuery('/history', query));
  assert.deepEqual(
    history.points.map(({ disturbed }) => disturbed),
    [null, null, null, true, null],
  );
  const csv = await fetch(`${service.url}${withQuery('/history', { ...query, format: 'csv' })}`);
  const lines = (await csv.text()).trim().split('\r\n');
  assert.deepEqual(
    lines.map(line => line.split(',').at(-1)),
    ['disturbed', '', '', '', 'true', ''],
  );
});

test('a verdict on two labels says that one run was disturbed', async () => {
  const { body } = await ask<ResultsComparison>(
    service,
    withQuery('/compare-results', { before: 'before', after: 'after' }),
  );
  assert.deepEqual([body.before.disturbed, body.after.disturbed], [0, 1]);
  assert.match(
    body.verdict.explanation,
    / 1 of 2 runs after the change was disturbed: measure the current build again before you act on this verdict\.$/,
  );
});

test('a job marks the disturbed scores of each page', async () => {
  calls = 3;
  const target = withQuery('/psi', { url, strategy: 'mobile', categories: 'performance', label: 'job' });
  const { body: accepted } = await ask<JobAnswer>(service, target, { headers: { prefer: 'respond-async' } });
  const read = async () => (await ask<JobAnswer>(service, `/jobs/${accepted.id}`)).body;
  const { pages } = await readUntil(read, ({ state }) => state === 'succeeded');
  assert.deepEqual(
    pages[0]?.results.map(({ scores, disturbed }) => [scores?.performance, disturbed]),
    [[61, true]],
  );
});
