/** Comparisons of several runs, with one slot, and of a cached result: see compare.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

type Both = { url: string; strategy: string; psi: Result; lighthouse: Result; comparison: Comparison };

const pages = await startPages({ after });
const fake = await startFakePsi({ after });
const withFake = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const compare = <Body>(at: { url: string }, path: string, query: Parameters<typeof withQuery>[1] = {}) =>
  ask<Body>(at, withQuery('/compare', { url: `${pages.url}${path}`, ...query }));

test('with several runs, the answer shows the median one and the spread', async () => {
  const { body } = await compare<Both>(withFake, '/good?runs', { categories: 'performance', runs: 2, profile: 'psi' });
  assert.equal(pages.requests.all.filter(request => request === '/good?runs').length, 2);
  const { runs, metrics } = body.lighthouse;
  assert.deepEqual([runs?.requested, runs?.completed, runs?.selected_by], [2, 2, 'median_run']);
  assert.equal(body.psi.runs, undefined);
  assert.equal(body.comparison.noise?.runs, 2);
  const { min = 0, max = 0, psi } = body.comparison.noise?.metrics.largest_contentful_paint ?? {};
  const shown = metrics.largest_contentful_paint.value ?? assert.fail();
  assert.ok(min <= shown && shown <= max);
  assert.equal(psi, body.psi.metrics.largest_contentful_paint.value);
});

test('one slot is enough for both sides and the re-audit', async () => {
  const single = await startService({ after }, { LIGHTHOUSE_CONCURRENCY: '1', LIGHTHOUSE_QUEUE: '1' });
  const { status, body } = await compare<Both>(single, '/good', { categories: 'performance' });
  assert.deepEqual([status, body.comparison.re_audits.status], [200, 'done'], JSON.stringify(body));
});

test('a cached remote result is compared like a fresh one', async () => {
  const query = { categories: 'performance' };
  const { body: fresh } = await compare<Both>(withFake, '/good?cached', query);
  const { body: cached } = await compare<Both>(withFake, '/good?cached', query);
  assert.deepEqual([fresh.psi.cache?.status, cached.psi.cache?.status], ['miss', 'hit']);
  assert.deepEqual({ ...cached.psi, cache: null }, { ...fresh.psi, cache: null });
  assert.deepEqual(cached.comparison.re_audits, fresh.comparison.re_audits);
  const namesOf = ({ comparison }: Both) => comparison.causes.map(({ cause }) => cause);
  // The fake analyser's page was measured on another day, so its fresh answer is old too.
  for (const body of [fresh, cached]) assert.ok(namesOf(body).includes('cached_answer'));
  const age = cached.comparison.causes.find(({ cause }) => cause === 'cached_answer');
  assert.equal(age?.evidence.find(({ fact }) => fact === 'seconds_in_cache')?.psi, cached.psi.cache?.age);
});
