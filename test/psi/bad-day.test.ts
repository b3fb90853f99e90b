/** A PSI server that misbehaves on command. These tests start no browser. Each ends with its figure. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pino from 'pino';
import type { Failure } from '../../src/contract/analysis/answers.ts';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { type PsiCall, toPsiBody } from '../support/analysers/fake-psi.ts';
import { type Fault, faults, startFaultPsi } from '../support/analysers/fault-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { impatient, startService } from '../support/start-service.ts';

const secret = 'AIza-sentinel-5f3d8c1e9b7a';
/** The back-off is longer than any test. */
const strict = { ...impatient, backOffMs: 1e9, minuteMs: 1e9 };

const page = (name: string | number) => `https://host${name}.example/`;
const target = (name: string | number, more: object = {}) =>
  withQuery('/psi', { url: page(name), strategy: 'mobile', ...more });
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const isOf =
  (names: readonly (string | number)[]) =>
  ({ params }: PsiCall): boolean =>
    names.some(name => params.get('url') === page(name));

async function start(t: TestContext, environment: Record<string, string> = {}, patience = impatient) {
  const psi = await startFaultPsi(t);
  const service = await startService(t, { PSI_ENDPOINT: psi.endpoint, ...environment }, undefined, { patience });
  return { psi, service };
}

test('20 parallel calls to a server that rejects more than four at once all succeed', async t => {
  const { psi, service } = await start(t);
  psi.throttleAbove(4);
  const answers = await Promise.all(numbers(20).map(name => ask<Result>(service, target(name))));
  const fine = answers.filter(({ status }) => status === 200).length;
  assert.deepEqual([fine, psi.throttled, psi.most], [20, 0, 4]);
  t.diagnostic(`${fine} of 20 succeed, ${psi.most} at most in flight, ${psi.throttled} turned away`);
});

/** Outages of a PSI server, with the error code of each. */
const outages: readonly (readonly [name: string, fault: Fault, code: Problem['code']])[] = [
  ['drops every connection', 'drop', 'psi_unavailable'],
  ['hangs', 'hang', 'psi_timeout'],
  ['cuts every body', 'cut', 'psi_unavailable'],
  ['answers in HTML', faults.html(200), 'psi_bad_response'],
  ['answers 502 in HTML', faults.html(502), 'psi_unavailable'],
  ['answers broken JSON', faults.brokenJson, 'psi_bad_response'],
  ['refuses the key', faults.wrongKey('it'), 'psi_key_rejected'],
  ['has no quota left for the minute', faults.perMinute, 'psi_quota_exceeded'],
  ['has no quota left for the day', faults.perDay(3600), 'psi_quota_exceeded'],
];

for (const [name, fault, code] of outages)
  test(`while the analyser ${name}, every cached page is answered stale and every other fails with the right error`, async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
    // Only a hanging server gets a short timeout, because a busy machine must not cause other timeouts.
    const { psi, service } = await start(t, fault === 'hang' ? { PSI_TIMEOUT: '3' } : {}, strict);
    const [cached, others] = [numbers(20), numbers(20, 20)];
    await Promise.all(cached.map(each => ask(service, target(each))));
    t.mock.timers.tick(3_600_000 + 61_000);
    psi.misbehave(() => fault);
    const before = psi.calls.all.length;

    const [stale, failed] = await Promise.all([
      Promise.all(cached.map(each => ask<Result>(service, target(each)))),
      Promise.all(others.map(each => ask<Problem>(service, target(each)))),
    ]);
    for (const { status, body, headers } of stale) {
      assert.equal(status, 200);
      assert.deepEqual([body.cache?.status, body.cache?.age, body.cache?.failure], ['stale', 3661, code]);
      assert.equal(headers.get('age'), '3661');
      assert.equal(headers.get('cache-status'), `Rangelight; hit; ttl=-61; detail=${code}`);
    }
    assert.deepEqual(new Set(failed.map(({ body }) => body.code)), new Set([code]));
    assert.ok(failed.every(({ status, body }) => status === body.status && body.source === 'psi'));

    const { state, until, since } = (await ask<Health>(service, '/health')).body.psi;
    const isQuota = code === 'psi_quota_exceeded';
    assert.deepEqual(
      [state, until !== undefined, since !== undefined],
      [isQuota ? 'throttled' : 'down', isQuota, !isQuota],
    );
    const calls = psi.calls.all.length - before;
    t.diagnostic(
      `${stale.length} of 20 stale, ${failed.length} of 20 ${code}, ${calls} calls for all 40, state ${state}`,
    );
  });

test('an analyser that fails once, or is slow once, costs no result', async t => {
  const { psi, service } = await start(t);
  const othersAnswered = Promise.withResolvers<void>();
  const firstFaults: Fault[] = ['drop', 'cut', faults.wentWrong, faults.html(503), faults.brokenJson];
  const slow = firstFaults.length;
  const met = new Set<number>();
  psi.misbehave(async ({ params }) => {
    const index = numbers(slow + 1).findIndex(name => params.get('url') === page(name));
    if (index === slow) await othersAnswered.promise;
    if (met.has(index)) return undefined;
    met.add(index);
    return firstFaults[index];
  });
  const answers = numbers(slow + 1).map(name => ask<Result>(service, target(name)));
  await Promise.all(answers.slice(0, slow));
  othersAnswered.resolve();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(statuses, Array(slow + 1).fill(200));
  assert.equal(psi.calls.all.length, 2 * slow + 1);
  assert.equal((await ask<Health>(service, '/health')).body.psi.state, 'ok');
  t.diagnostic(`${statuses.length} of ${statuses.length} succeed, ${slow} of them at the second try`);
});

test('a batch of 100 with 7 failing pages gives 93 results and 7 Problems', async t => {
  const { psi, service } = await start(t, {}, strict);
  const bad = [3, 17, 20, 42, 58, 77, 99];
  const kinds: Fault[] = [faults.pageBlank, faults.wentWrong, faults.html(504), faults.overloaded];
  psi.misbehave(call => {
    const index = bad.findIndex(name => isOf([name])(call));
    return index < 0 ? undefined : (kinds[index % kinds.length] as Fault);
  });
  const { status, body } = await post<{ results: (Result | Failure)[]; succeeded: number; failed: number }>(
    service,
    '/psi',
    { urls: numbers(100).map(page), strategy: 'mobile' },
  );
  assert.equal(status, 200);
  assert.deepEqual(
    body.results.map(({ url }) => url),
    numbers(100).map(page),
  );
  const failed = body.results.flatMap((result, index) => ('error' in result ? [index] : []));
  assert.deepEqual([failed, body.succeeded, body.failed], [bad, 93, 7]);
  t.diagnostic(`${body.succeeded} results, ${body.failed} Problems, ${psi.calls.all.length} calls`);
});

test('an origin that keeps failing does not delay the rest of a batch', async t => {
  const { psi, service } = await start(t, {}, strict);
  psi.misbehave(({ params }) => (params.get('url')?.startsWith('https://bad.') ? faults.wentWrong : undefined));
  const urls = numbers(50).flatMap(name => [`https://bad.example/${name}`, `https://good.example/${name}`]);
  const { body } = await post<{ succeeded: number; failed: number }>(service, '/psi', { urls, strategy: 'mobile' });
  const calls = psi.calls.all.filter(({ params }) => params.get('url')?.startsWith('https://bad.')).length;
  assert.deepEqual([body.succeeded, body.failed], [50, 50]);
  assert.ok(calls <= 12, `${calls} calls for the origin that fails`);
  t.diagnostic(`50 results, 50 Problems; ${calls} calls for the 50 pages of the origin that fails`);
});

test('the score of an error page is not a result and is not stored', async t => {
  const { psi, service } = await start(t);
  psi.misbehave(call => faults.errorPage(call, 503));
  const { status, body } = await ask<Problem>(service, target(0));
  assert.deepEqual([status, body.code, body.page_status], [502, 'page_error', 503]);
  assert.equal((await ask<Health>(service, '/health')).body.cache.entries, 0);
  psi.misbehave(() => undefined);
  assert.equal((await ask<Result>(service, target(0))).body.cache?.status, 'miss');
});

test('a measurement that the analyser repeats on a forced run is marked as repeated', async t => {
  const { psi, service } = await start(t);
  const force = () => ask<Result>(service, target(0), { headers: { 'cache-control': 'no-cache' } });
  psi.misbehave(call => ({ body: toPsiBody(call) }));
  const first = await ask<Result>(service, target(0));
  const again = await force();
  assert.deepEqual([first.body.cache?.repeated, again.body.cache?.repeated], [undefined, true]);
  assert.deepEqual([again.body.cache?.status, again.body.fetched_at], ['miss', first.body.fetched_at]);
  assert.equal(again.headers.get('cache-status'), 'Rangelight; fwd=request');
  assert.equal((await ask<Result>(service, target(0))).body.cache?.repeated, undefined, 'a hit says so already');
  psi.misbehave(() => undefined);
  assert.equal((await force()).body.cache?.repeated, undefined);
});

test('a failed forced run is a failure, even if a result is stored', async t => {
  const { psi, service } = await start(t);
  await ask(service, target(0));
  psi.misbehave(() => 'drop');
  const forced = await ask<Problem>(service, target(0), { headers: { 'cache-control': 'no-cache' } });
  assert.deepEqual([forced.status, forced.body.code], [502, 'psi_unavailable']);
  assert.equal((await ask<Result>(service, target(0))).body.cache?.status, 'hit');
});

test('with CACHE_STALE=0 no stale result is returned', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
  const { psi, service } = await start(t, { CACHE_STALE: '0' });
  await ask(service, target(0));
  t.mock.timers.tick(3_600_000);
  psi.misbehave(() => 'drop');
  assert.equal((await ask<Problem>(service, target(0))).body.code, 'psi_unavailable');
});

test('no log line and no answer contains the key, whatever goes wrong', async t => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const crux = await startLocalServer(t, ({ headers }, response) => {
    // A server that echoes the request headers.
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(headers));
  });
  const psi = await startFaultPsi(t);
  const environment = { PSI_ENDPOINT: `${psi.endpoint}?key=${secret}`, PSI_API_KEY: secret, LOG_LEVEL: 'trace' };
  const more = { CRUX_API_KEY: secret, CRUX_ENDPOINT: crux.url, PSI_TIMEOUT: '1' };
  const kinds: (Fault | undefined)[] = [
    undefined,
    ...outages.map(([, fault]) => fault),
    ...[faults.overloaded, faults.wentWrong, faults.noQuota, faults.wrongKey(secret), faults.html(403)],
    { status: 500, body: `No: ${secret}` },
    {
      status: 400,
      body: {
        error: { code: 400, message: `No: ${secret}`, errors: [{ domain: 'rangelight', reason: 'page_blank' }] },
      },
    },
    {
      status: 400,
      body: { error: { message: `Lighthouse returned error: NO_FCP. ${secret}`, errors: [{ domain: 'lighthouse' }] } },
    },
    { status: 302, headers: { location: `/?key=${secret}` }, body: '' },
  ];
  let answers = 0;
  const look = (text: string, headers: Headers) => {
    answers += 1;
    assert.ok(!text.includes(secret) && !JSON.stringify([...headers]).includes(secret), text);
  };
  for (const fault of kinds) {
    // Each fault needs its own service, because a back-off that the server announces affects later calls.
    const service = await startService(t, { ...environment, ...more }, undefined, { log });
    psi.misbehave(() => fault);
    for (const path of [
      target(0),
      target(0, { strategy: 'both' }),
      '/health',
      '/health/ready',
      '/nothing',
      '/metrics',
    ]) {
      const response = await fetch(new URL(path, service.url));
      look(await response.text(), response.headers);
    }
    const batch = await post(service, '/psi', { urls: [page(1), page(2), 'nonsense'], detailed: true });
    look(batch.text, batch.headers);
  }
  assert.ok(
    psi.calls.all.every(({ headers, params }) => headers['x-goog-api-key'] === secret && params.get('key') === secret),
  );
  assert.ok(lines.length > answers, 'there is a log');
  assert.deepEqual(
    lines.filter(line => line.includes(secret)),
    [],
  );
  t.diagnostic(
    `${kinds.length} faults, ${answers} answers, ${lines.length} log lines, ${psi.calls.all.length} calls with the key: it is in none of the others`,
  );
});
