/** Contract section 2: `POST /psi` with `urls`. These tests start no browser. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Failure } from '../../src/contract/analysis/answers.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

type Both = { url: string; strategy: 'both'; mobile: Result | Failure; desktop: Result | Failure };
type Batch = { results: (Result | Both | Failure)[]; total: number; succeeded: number; failed: number };

async function start(t: TestContext, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, ...environment });
  const send = (urls: readonly string[], more: object = { strategy: 'mobile' }) =>
    post<Batch>(service, '/psi', { urls, ...more });
  return { fake, send };
}

const page = (name: string) => `https://example.com/${name}`;
const codeOf = (result: Batch['results'][number]) => ('error' in result ? result.error.code : 'fine');
const totalsOf = ({ total, succeeded, failed }: Batch) => ({ total, succeeded, failed });

test('one invalid URL in a batch of five leaves four results', async t => {
  const { send } = await start(t);
  const { status, body } = await send([page('1'), page('2'), 'exmaple', page('4'), page('5')]);
  assert.equal(status, 200);
  assert.deepEqual(body.results.map(codeOf), ['fine', 'fine', 'invalid_url', 'fine', 'fine']);
  assert.deepEqual(totalsOf(body), { total: 5, succeeded: 4, failed: 1 });
});

test('an invalid URL is its own failure, with the reason', async t => {
  const { fake, send } = await start(t, { TARGETS: 'public' });
  const { status, body } = await send([
    'example.com',
    'file:///etc/passwd',
    '',
    'http://127.0.0.1/',
    'http://u:p@example.com/',
  ]);
  assert.equal(status, 200, 'always, whatever failed');
  const codes = ['invalid_url', 'invalid_url', 'invalid_url', 'target_forbidden', 'invalid_url'];
  assert.deepEqual(body.results.map(codeOf), codes);
  const [first] = body.results as Failure[];
  assert.equal(first?.url, 'example.com');
  assert.deepEqual([first?.error.status, first?.error.retryable], [422, false]);
  assert.match(first?.error.detail ?? '', /write 'https:\/\/example\.com' with its scheme/);
  assert.deepEqual(totalsOf(body), { total: 5, succeeded: 0, failed: 5 });
  assert.equal(fake.calls.all.length, 0);
});

test('results are in the order of the request, whichever finishes first', async t => {
  const { fake, send } = await start(t);
  const release = fake.hold();
  const names = ['c', 'a', 'd', 'b'];
  const answer = send(names.map(page));
  await fake.calls.waitFor(4);
  fake.answerWith(async call => {
    // The first page is answered after all others.
    if (call.params.get('url') === page('c')) await othersAnswered.promise;
    else if (++answered === 3) othersAnswered.resolve();
    return { body: toPsiBody(call) };
  });
  let answered = 0;
  const othersAnswered = Promise.withResolvers<void>();
  release();
  assert.deepEqual(
    (await answer).body.results.map(({ url }) => url),
    names.map(page),
  );
});

test('a repeated URL is analysed once and answered twice', async t => {
  const { fake, send } = await start(t);
  const { body } = await send([page(''), page('other'), 'HTTPS://example.com', page('')]);
  assert.equal(fake.calls.all.length, 2);
  assert.deepEqual(
    body.results.map(({ url }) => url),
    [page(''), page('other'), page(''), page('')],
  );
  assert.deepEqual(totalsOf(body), { total: 4, succeeded: 4, failed: 0 });
});

test('a repeated URL is analysed once even if a fresh run is forced', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const { body } = await ask<Batch>(service, '/psi', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
    body: JSON.stringify({ urls: [page('x'), page('x')], strategy: 'mobile' }),
  });
  assert.deepEqual([body.succeeded, fake.calls.all.length], [2, 1]);
});

test('a repeated URL that fails is analysed once and fails twice', async t => {
  const { fake, send } = await start(t);
  fake.answerWith(() => toLighthouseError('Lighthouse returned error: NOT_HTML. Nothing.'));
  const { status, body } = await send([page('x'), page('x')]);
  assert.equal(status, 200);
  assert.deepEqual([fake.calls.all.length, ...body.results.map(codeOf)], [1, 'page_not_html', 'page_not_html']);
});

test('strategy both applies to each URL, and one failed strategy is not a failed entry', async t => {
  const { fake, send } = await start(t);
  fake.answerWith(call =>
    call.params.get('strategy') === 'MOBILE' && call.params.get('url') === page('half')
      ? toLighthouseError('Lighthouse returned error: NOT_HTML. Nothing.')
      : { body: toPsiBody(call) },
  );
  const { body } = await send([page('whole'), page('half')], {});
  const [whole, half] = body.results as Both[];
  assert.deepEqual([whole?.strategy, half?.strategy], ['both', 'both']);
  assert.deepEqual(['error' in (whole?.mobile ?? {}), 'error' in (half?.mobile ?? {})], [false, true]);
  assert.deepEqual(totalsOf(body), { total: 2, succeeded: 2, failed: 0 });
  assert.equal(fake.calls.all.length, 4);
});

test('strategy, categories and detailed apply to every URL of the batch', async t => {
  const { fake, send } = await start(t);
  const { body } = await send([page('1'), page('2')], { strategy: 'desktop', categories: ['seo'], detailed: true });
  for (const result of body.results as Result[]) {
    assert.deepEqual([result.strategy, Object.keys(result.scores)], ['desktop', ['seo']]);
    assert.ok('lighthouse_result' in result);
  }
  assert.deepEqual(
    fake.calls.all.map(({ params }) => params.getAll('category')),
    [['SEO'], ['SEO']],
  );
});

test('no more than PSI_CONCURRENCY calls run at once, and no fewer', async t => {
  const { fake, send } = await start(t, { PSI_CONCURRENCY: '2' });
  let running = 0;
  let most = 0;
  const both = Promise.withResolvers<void>();
  fake.answerWith(async call => {
    most = Math.max(most, ++running);
    if (running === 2) both.resolve();
    await both.promise;
    await new Promise(resolve => setImmediate(resolve));
    running -= 1;
    return { body: toPsiBody(call) };
  });
  const { body } = await send(['1', '2', '3', '4', '5', '6'].map(page));
  assert.deepEqual([body.succeeded, most], [6, 2]);
});
