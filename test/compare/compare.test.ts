/** Specification 4.5 and contract section 2: both analysers on one page, with real audits on both sides. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Failure } from '../../src/contract/analysis/answers.ts';
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toLighthouseError } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

type Both = { url: string; strategy: string; psi: Result; lighthouse: Result; comparison: Comparison };
type Half = { psi: Failure; lighthouse: Result; comparison: null };

const pages = await startPages({ after });
const fake = await startFakePsi({ after });
const start = (environment: Record<string, string>) =>
  startService({ after }, environment, undefined, { pool: sharedPool() });
const service = await start({});
const withFake = await start({ PSI_ENDPOINT: fake.endpoint });
const withoutPsi = await start({ PSI_ENDPOINT: await findClosedPort() });
const compare = <Body>(at: { url: string }, path: string, query: Parameters<typeof withQuery>[1] = {}) =>
  ask<Body>(at, withQuery('/compare', { url: `${pages.url}${path}`, ...query }));

const whole = await compare<Both>(service, '/faulty');

test('GET /compare answers 200 with both results', () => {
  const { status, body } = whole;
  assert.equal(status, 200);
  assert.deepEqual([body.url, body.strategy], [`${pages.url}/faulty`, 'mobile']);
  assert.deepEqual([body.psi.source, body.psi.analyser.kind], ['psi', 'embedded']);
  assert.deepEqual([body.lighthouse.source, body.lighthouse.analyser], ['lighthouse', { kind: 'local' }]);
});

test('strategy on GET /compare defaults to mobile, categories to all four', () => {
  for (const side of [whole.body.psi, whole.body.lighthouse]) {
    assert.equal(side.strategy, 'mobile');
    assert.deepEqual(Object.keys(side.scores), ['performance', 'accessibility', 'best-practices', 'seo']);
  }
});

test('/compare contains no full audit data and stays small', () => {
  for (const side of [whole.body.psi, whole.body.lighthouse]) {
    assert.ok(!('lighthouse_result' in side));
    assert.ok(Buffer.byteLength(JSON.stringify(side)) < 40 * 1024);
  }
  assert.doesNotMatch(whole.text, /base64/);
  assert.ok(Buffer.byteLength(JSON.stringify(whole.body.comparison)) < 20 * 1024);
});

test('the verdict ends with the sentence that both sides ran on this machine', () => {
  assert.match(
    whole.body.comparison.explanation,
    /^[A-Z][^\n]+\. Both sides ran on one machine\.( The runs? [^\n]+ disturbed: measure again before you act on this\.)?$/,
  );
});

test('the points of the performance metrics add up to the difference of the scores', () => {
  const { performance, scores } = whole.body.comparison;
  assert.equal(performance?.difference, scores.performance?.difference);
  const points = Object.values(performance?.metrics ?? {}).map(metric => metric.points ?? assert.fail());
  const sum = points.reduce((total, value) => total + value, performance?.rounding ?? assert.fail());
  assert.ok(Math.abs(sum - (performance?.difference ?? assert.fail())) < 0.05);
  assert.ok(Math.abs(performance?.rounding ?? 9) <= 1.05);
});

test("the local load was audited again with the remote side's CPU throttling", () => {
  const { causes, re_audits: reAudits } = whole.body.comparison;
  assert.deepEqual([reAudits.status, reAudits.order.includes('cpu')], ['done', true], JSON.stringify(reAudits));
  const cpu = causes.find(({ cause }) => cause === 'cpu');
  assert.equal(cpu?.certainty, 'computed');
  assert.deepEqual(cpu?.evidence[0], { fact: 'cpu_slowdown_multiplier', psi: 1.2, lighthouse: 4 });
});

test('the comparison is the plain difference of scores and metrics', () => {
  const { psi, lighthouse, comparison } = whole.body;
  assert.deepEqual(Object.keys(comparison.scores), Object.keys(psi.scores));
  assert.deepEqual(Object.keys(comparison.metrics), Object.keys(psi.metrics));
  const { seo } = comparison.scores;
  assert.deepEqual(seo, {
    psi: psi.scores.seo,
    lighthouse: lighthouse.scores.seo,
    difference: (lighthouse.scores.seo ?? 0) - (psi.scores.seo ?? 0),
  });
  const { largest_contentful_paint: lcp } = comparison.metrics;
  assert.deepEqual(
    [lcp?.psi, lcp?.lighthouse],
    [psi.metrics.largest_contentful_paint.value, lighthouse.metrics.largest_contentful_paint.value],
  );
  assert.equal(lcp?.difference, Number(((lcp?.lighthouse ?? 0) - (lcp?.psi ?? 0)).toFixed(6)));
});

test('/compare fills the cache of /psi', async () => {
  const { body } = await ask<Result>(service, withQuery('/psi', { url: `${pages.url}/faulty`, strategy: 'mobile' }));
  assert.equal(body.cache?.status, 'hit');
  assert.deepEqual({ ...body, cache: null }, { ...whole.body.psi, cache: null });
});

test('both sides run in parallel', async () => {
  const release = fake.hold();
  const before = pages.requests.all.length;
  const answer = compare<Both>(withFake, '/good?parallel', { strategy: 'desktop', categories: 'seo' });
  // The remote side is held, and the local side loads the page all the same.
  await Promise.all([fake.calls.waitFor(1), pages.requests.waitFor(before + 1)]);
  release();
  const { status, body } = await answer;
  assert.deepEqual([status, body.psi.strategy, body.lighthouse.strategy], [200, 'desktop', 'desktop']);
  assert.deepEqual([Object.keys(body.psi.scores), Object.keys(body.lighthouse.scores)], [['seo'], ['seo']]);
});

test('/compare reads the cache of /psi, and no-cache bypasses it', async () => {
  const url = await findClosedPort();
  const psiCalls = () => fake.calls.all.filter(({ params }) => params.get('url') === `${url}/`).length;
  await ask(withFake, withQuery('/psi', { url, strategy: 'mobile', categories: 'seo' }));
  const target = withQuery('/compare', { url, categories: 'seo' });
  const { body } = await ask<{ psi: Result }>(withFake, target);
  assert.deepEqual([body.psi.cache?.status, psiCalls()], ['hit', 1]);
  await ask(withFake, target, { headers: { 'cache-control': 'no-cache' } });
  assert.equal(psiCalls(), 2);
});

test('a cached remote result is compared, and its age is a possible cause', async () => {
  const query = { categories: 'performance' };
  await ask(withFake, withQuery('/psi', { url: `${pages.url}/good?cached`, strategy: 'mobile', ...query }));
  const { body } = await compare<Both>(withFake, '/good?cached', query);
  assert.equal(body.psi.cache?.status, 'hit');
  const age = body.comparison.causes.find(({ cause }) => cause === 'cached_answer');
  assert.equal(age?.evidence.find(({ fact }) => fact === 'seconds_in_cache')?.psi, body.psi.cache?.age);
});

test('an unavailable PSI server fails its half of /compare, and /lighthouse works', async () => {
  const [{ status, body }, local, remote] = await Promise.all([
    compare<Half>(withoutPsi, '/good', { categories: 'seo' }),
    ask<Result>(withoutPsi, withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' })),
    ask<Problem>(withoutPsi, withQuery('/psi', { url: `${pages.url}/good`, strategy: 'mobile' })),
  ]);
  assert.equal(status, 200);
  assert.deepEqual([body.psi.error.code, body.psi.error.source, body.comparison], ['psi_unavailable', 'psi', null]);
  assert.equal(body.psi.url, `${pages.url}/good`);
  assert.ok('seo' in body.lighthouse.scores);
  assert.equal(local.status, 200);
  assert.deepEqual([remote.status, remote.body.code], [502, 'psi_unavailable']);
});

test('a failed local side leaves the remote one', async () => {
  const { status, body } = await ask<{ psi: Result; lighthouse: Failure; comparison: null }>(
    withFake,
    withQuery('/compare', { url: await findClosedPort(), categories: 'seo' }),
  );
  assert.equal(status, 200);
  assert.deepEqual([body.lighthouse.error.code, body.lighthouse.error.source], ['page_unreachable', 'lighthouse']);
  assert.deepEqual([body.psi.scores, body.comparison], [{ seo: 80 }, null]);
});

test('if both sides of /compare fail, the status is that of the first failure', async () => {
  fake.answerWith(() => toLighthouseError('x', 500));
  const { status, headers, body } = await ask<Problem & { psi: Failure; lighthouse: Failure; comparison: null }>(
    withFake,
    withQuery('/compare', { url: await findClosedPort(), categories: 'seo' }),
  );
  assert.deepEqual([status, body.code, body.source], [502, 'psi_unavailable', 'psi']);
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.deepEqual([body.psi.error.code, body.lighthouse.error.code], ['psi_unavailable', 'page_unreachable']);
  assert.equal(body.comparison, null);
});
