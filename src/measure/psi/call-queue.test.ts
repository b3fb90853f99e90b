/** Tests the client over several calls: their order, waits and back-offs. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type FakePsi, type PsiAnswer, type PsiCall, startFakePsi } from '../../../test/support/analysers/fake-psi.ts';
import { sameThread } from '../../../test/support/audits/same-thread.ts';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { impatient } from '../../../test/support/start-service.ts';
import { inTime, until } from '../../../test/support/until.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { AnalyserRequest } from '../analyser.ts';
import { createPsiClient, type PsiClientSettings } from './client.ts';
import { toPsiFailure } from './wire/error-body.ts';
import { toPsiResult } from './wire/wire-result.ts';

const fine = (): PsiAnswer => ({ body: toPsiResult(buildMeasuredLhr()) });
const wentWrong: PsiAnswer = {
  status: 500,
  body: {
    error: {
      code: 500,
      message: 'Lighthouse returned error: Something went wrong.',
      errors: [{ domain: 'lighthouse' }],
    },
  },
};
const quota = (limit: string, headers: Record<string, string> = {}): PsiAnswer => ({
  status: 429,
  headers,
  body: { error: { code: 429, message: 'No.', details: [{ metadata: { quota_limit: limit } }] } },
});

const forever = 1e9;
/** Back-offs and pauses never end, and no call waits for that. */
const strict = { ...impatient, backOffMs: forever, minuteMs: forever };

async function create(t: TestContext, settings: Partial<PsiClientSettings> = {}) {
  const fake = await startFakePsi(t);
  const client = createPsiClient({
    server: { kind: 'custom', endpoint: fake.endpoint, host: new URL(fake.endpoint).host, apiKey: undefined },
    threads: sameThread,
    timeoutMs: 60_000,
    concurrency: 4,
    ratePerMinute: Number.POSITIVE_INFINITY,
    patience: impatient,
    ...settings,
  });
  const analyse = (url: string, signal = new AbortController().signal, asClient?: string) => {
    const request: AnalyserRequest = {
      url,
      strategy: 'mobile',
      categories: ['performance'],
      locale: 'en-US',
      requestedAt: '2026-11-20T12:00:00.000Z',
    };
    return client.analyse(request, signal, { client: asClient });
  };
  return { fake, client, analyse };
}

const urlOf = ({ params }: PsiCall) => params.get('url') ?? '';
const urlsOf = ({ calls }: FakePsi) => calls.all.map(urlOf);
const isOf = (origin: string) => (call: PsiCall) => urlOf(call).startsWith(origin);
const codeOf = (error: unknown) => (error instanceof AnalysisError ? error.code : String(error));

test('a retry precedes later calls, but delays none while it waits', async t => {
  const { fake, analyse } = await create(t, { concurrency: 1 });
  let failures = 0;
  fake.answerWith(call => (urlOf(call).endsWith('/1') && failures++ === 0 ? wentWrong : fine()));
  const urls = ['1', '2', '3', '4'].map(name => `https://example.com/${name}`);
  await Promise.all(urls.map(url => analyse(url)));
  const [first, second, third, fourth] = urls;
  assert.deepEqual(urlsOf(fake), [first, second, first, third, fourth]);
});

const namesOf = (fake: FakePsi) => urlsOf(fake).map(url => url.slice('https://example.com/'.length));

test('clients take turns: one with many pages does not delay one with a single page', async t => {
  const { fake, analyse } = await create(t, { concurrency: 1 });
  const release = fake.hold();
  const ask = (name: string, client: string) => analyse(`https://example.com/${name}`, undefined, client);
  const many = ['a1', 'a2', 'a3', 'a4'].map(name => ask(name, 'a'));
  await fake.calls.waitFor(1);
  const others = ['b1', 'b2', 'c1'].map(name => ask(name, name.slice(0, 1)));
  release();
  await Promise.all([...many, ...others]);
  assert.deepEqual(namesOf(fake), ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test("a retry precedes its client's later calls, and takes no turn from another client", async t => {
  const { fake, analyse } = await create(t, { concurrency: 1 });
  let failures = 0;
  fake.answerWith(call => (urlOf(call).endsWith('/a1') && failures++ === 0 ? wentWrong : fine()));
  const release = fake.hold();
  const ask = (name: string) => analyse(`https://example.com/${name}`, undefined, name.slice(0, 1));
  const answers = ['a1', 'a2', 'a3', 'b1'].map(ask);
  await fake.calls.waitFor(1);
  release();
  await Promise.all(answers);
  assert.deepEqual(namesOf(fake), ['a1', 'a2', 'b1', 'a1', 'a3']);
});

test('the queued call of a client that disconnects is removed, and takes no turn', async t => {
  const { fake, analyse } = await create(t, { concurrency: 1 });
  const release = fake.hold();
  const disconnect = new AbortController();
  const first = analyse('https://example.com/a1', undefined, 'a');
  const cancelled = analyse('https://example.com/b1', disconnect.signal, 'b');
  const rest = ['a2', 'b2'].map(name => analyse(`https://example.com/${name}`, undefined, name.slice(0, 1)));
  await fake.calls.waitFor(1);
  disconnect.abort(new Error('gone'));
  await assert.rejects(cancelled, /gone/);
  release();
  await Promise.all([first, ...rest]);
  assert.deepEqual(namesOf(fake), ['a1', 'b2', 'a2']);
});

test('calls wait for the next minute if the limit of this one is reached', async t => {
  const time = { ms: 0, looks: 0 };
  const now = () => {
    time.looks += 1;
    return time.ms;
  };
  // The minute has one millisecond, which ends when the test says so. Until then every waiting call looks at the clock
  // again and again.
  const { fake, analyse } = await create(t, { now, patience: { ...impatient, minuteMs: 1, maxWaitMs: forever } });
  fake.answerWith(() => (time.ms === 0 ? quota('QueriesPerMinute') : fine()));
  const answers = Promise.all(Array.from({ length: 8 }, (_, index) => analyse(`https://example.com/${index}`)));
  await Promise.race([answers, until(() => time.looks > 1000)]);
  assert.equal(fake.calls.all.length, 4, 'those in flight when the first one was refused');
  time.ms += 1;
  await answers;
  assert.equal(fake.calls.all.length, 12);
});

test("an announced wait longer than a call's limit ends it immediately, with the time", async t => {
  const { fake, analyse, client } = await create(t, { patience: { ...impatient, maxWaitMs: 30_000 } });
  fake.answerWith(() => quota('QueriesPerMinute', { 'retry-after': '60' }));
  for (let call = 0; call < 3; call++)
    await assert.rejects(analyse('https://example.com/'), { code: 'psi_quota_exceeded', retryAfterSeconds: 60 });
  assert.equal(fake.calls.all.length, 1);
  assert.equal(client.state().state, 'throttled');
});

test('after the daily quota is used up, a thousand calls send no request until the announced reset', async t => {
  let nowMs = Date.parse('2026-11-20T12:00:00Z');
  const { fake, analyse, client } = await create(t, { now: () => nowMs });
  fake.answerWith(() => quota('defaultPerDayPerProject', { 'retry-after': '3600' }));
  await assert.rejects(analyse('https://example.com/'), { code: 'psi_quota_exceeded' });
  const codes = await Promise.all(
    Array.from({ length: 1000 }, (_, index) => analyse(`https://host${index}.example/`).then(String, codeOf)),
  );
  assert.deepEqual(new Set(codes), new Set(['psi_quota_exceeded']));
  const requests = fake.calls.all.length - 1;
  assert.equal(requests, 0);
  t.diagnostic(`${codes.length} calls after the quota of the day was used up: ${requests} requests`);

  nowMs += 3_599_999;
  await assert.rejects(analyse('https://example.com/'), { code: 'psi_quota_exceeded', retryAfterSeconds: 1 });
  assert.equal(fake.calls.all.length, 1);
  nowMs += 1;
  fake.answerWith(fine);
  await analyse('https://example.com/');
  assert.deepEqual([fake.calls.all.length, client.state()], [2, { state: 'ok' }]);
});

test('a step back of the system clock does not prolong a pause', async t => {
  let wallMs = Date.parse('2026-11-20T12:00:00Z');
  const { fake, analyse, client } = await create(t, { wallNow: () => wallMs });
  fake.answerWith(() => quota('QueriesPerMinute', { 'retry-after': '60' }));
  await assert.rejects(analyse('https://example.com/'), { code: 'psi_quota_exceeded', retryAfterSeconds: 60 });
  wallMs -= 3_600_000;
  await assert.rejects(
    analyse('https://example.com/'),
    ({ retryAfterSeconds }) => retryAfterSeconds > 0 && retryAfterSeconds <= 60,
  );
  const state = client.state();
  const untilMs = state.state === 'throttled' ? state.untilMs : Number.NaN;
  assert.ok(untilMs > wallMs && untilMs <= wallMs + 60_000, String(untilMs - wallMs));
});

test('the daily quota is reset at midnight by the system clock', async t => {
  const wallNow = () => Date.parse('2026-11-20T07:59:00Z');
  const { fake, analyse } = await create(t, { now: () => 1000, wallNow });
  fake.answerWith(() => quota('defaultPerDayPerProject'));
  await assert.rejects(analyse('https://example.com/'), { code: 'psi_quota_exceeded', retryAfterSeconds: 60 });
});

test('a failure shows that no call was made, if the block of all calls passes by itself', async t => {
  const blocked = async (analyse: (url: string) => Promise<unknown>, page: number) =>
    analyse(`https://host${page}.example/`).then(String, error => [error.code, error.isBlocked ?? false]);
  const down = await create(t, { concurrency: 1, patience: strict });
  down.fake.answerWith(() => undefined);
  // Together, both pages make the three calls that start the outage.
  const called = await Promise.all([0, 1].map(page => blocked(down.analyse, page)));
  assert.deepEqual(called, Array(2).fill(['psi_unavailable', false]));
  assert.deepEqual(await blocked(down.analyse, 2), ['psi_unavailable', true]);

  const metadata = { quota_limit: 'defaultPerDayPerProject', quota_limit_value: '0' };
  const noQuota = { status: 429, body: { error: { code: 429, message: 'No.', details: [{ metadata }] } } };
  for (const [answer, passes] of [
    [quota('defaultPerDayPerProject'), true],
    [noQuota, false],
  ] as const) {
    const { fake, analyse } = await create(t);
    fake.answerWith(() => answer);
    assert.deepEqual(await blocked(analyse, 0), ['psi_quota_exceeded', false]);
    assert.deepEqual(await blocked(analyse, 1), ['psi_quota_exceeded', passes]);
    assert.equal(fake.calls.all.length, 1);
  }
});

test('a page that another service rejects for lack of slots gets that error, and delays others only for its Retry-After', async t => {
  let nowMs = Date.parse('2026-11-20T12:00:00Z');
  const { fake, analyse, client } = await create(t, { patience: strict, now: () => nowMs });
  const busy = toPsiFailure(new AnalysisError('queue_full', 'The queue is full. Retry in 20 s.'));
  let headers: Record<string, string> = { 'retry-after': '20' };
  fake.answerWith(call => (urlOf(call).endsWith('/full') ? { status: 503, headers, body: busy } : fine()));

  const full = {
    code: 'queue_full',
    source: 'psi',
    retryAfterSeconds: 20,
    message: 'The queue is full. Retry in 20 s.',
  };
  await assert.rejects(analyse('https://example.com/full'), full);
  await assert.rejects(analyse('https://other.example/'), { code: 'queue_full', retryAfterSeconds: 20 });
  nowMs += 20_000;
  await analyse('https://other.example/');
  assert.deepEqual(client.state(), { state: 'ok' });

  headers = {};
  fake.answerWith(() => undefined);
  await assert.rejects(analyse('https://example.com/full'), { code: 'psi_unavailable' });
  assert.equal(client.state().state, 'down');
  fake.answerWith(call => (urlOf(call).endsWith('/full') ? { status: 503, headers, body: busy } : fine()));
  nowMs += forever;
  for (let page = 0; page < 4; page++) {
    await assert.rejects(analyse('https://example.com/full'), { code: 'queue_full' });
    assert.deepEqual(client.state(), { state: 'ok' }, 'it answers');
  }
  await analyse('https://other.example/');
  assert.deepEqual(client.state(), { state: 'ok' });
});

test('calls to an origin that keeps failing are paused, while others continue', async t => {
  const { fake, analyse, client } = await create(t, { concurrency: 1, patience: strict });
  fake.answerWith(call => (isOf('https://bad.example')(call) ? wentWrong : fine()));
  const bad = Array.from({ length: 50 }, (_, index) => analyse(`https://bad.example/${index}`));
  const good = Array.from({ length: 50 }, (_, index) => analyse(`https://good.example/${index}`));
  const ended = await Promise.all(bad.map(answer => answer.then(String, codeOf)));
  assert.deepEqual(new Set(ended), new Set(['psi_unavailable']));
  assert.equal((await Promise.all(good)).length, 50);
  const requests = fake.calls.all.filter(isOf('https://bad.example')).length;
  assert.equal(requests, 3, 'queued calls of that origin are removed');
  assert.deepEqual(client.state(), { state: 'ok' });
  t.diagnostic(`50 pages of an origin that fails: ${requests} requests; 50 of another beside it: 50 results`);
});

test('an analyser that is down is called three times in all, and every other call fails immediately', async t => {
  const { fake, analyse, client } = await create(t, { concurrency: 1, patience: strict });
  fake.answerWith(() => undefined);
  const codes = await Promise.all(
    Array.from({ length: 100 }, (_, index) => analyse(`https://host${index}.example/`).then(String, codeOf)),
  );
  assert.deepEqual(new Set(codes), new Set(['psi_unavailable']));
  assert.deepEqual([fake.calls.all.length, client.state().state], [3, 'down']);
});

test('a wrong key is sent once, and then not for a while', async t => {
  const { fake, analyse, client } = await create(t, { concurrency: 1, patience: strict });
  fake.answerWith(() => ({
    status: 400,
    body: { error: { message: 'No.', details: [{ reason: 'API_KEY_INVALID' }] } },
  }));
  for (let call = 0; call < 5; call++)
    await assert.rejects(analyse('https://example.com/'), { code: 'psi_key_rejected' });
  assert.deepEqual([fake.calls.all.length, client.state().state], [1, 'down']);
});

test('no more calls are sent in a minute than allowed; the others are queued, and can be cancelled', async t => {
  const { fake, analyse } = await create(t, { concurrency: 10, ratePerMinute: 3 });
  const disconnect = new AbortController();
  const answers = ['1', '2', '3'].map(name => analyse(`https://example.com/${name}`));
  const waiting = analyse('https://example.com/4', disconnect.signal);
  await Promise.all(answers);
  // Requests that were sent before this one have arrived before it.
  await fetch(fake.endpoint);
  assert.equal(fake.calls.all.length, 4, 'three, and the one of this test');
  const reason = new Error('gone');
  disconnect.abort(reason);
  await assert.rejects(waiting, reason);
});

test('instances divide the limits, and each makes at least one call', async t => {
  const cases = [
    { sharers: 2, concurrency: 5, ratePerMinute: Number.POSITIVE_INFINITY, made: 2 },
    { sharers: 9, concurrency: 5, ratePerMinute: Number.POSITIVE_INFINITY, made: 1 },
    { sharers: 2, concurrency: 100, ratePerMinute: 7, made: 3 },
  ];
  for (const { sharers, made, ...limits } of cases) {
    const { fake, analyse } = await create(t, { ...limits, sharers: () => sharers });
    const release = fake.hold();
    const disconnect = new AbortController();
    const answers = [1, 2, 3, 4, 5].map(page => analyse(`https://example.com/${page}`, disconnect.signal));
    const outcomes = Promise.allSettled(answers);
    await fake.calls.waitFor(made);
    const barrier = fetch(fake.endpoint);
    await fake.calls.waitFor(made + 1);
    assert.equal(fake.calls.all.length, made + 1, 'and the request of this test');
    disconnect.abort();
    release();
    await Promise.all([barrier, outcomes]);
  }
});

test('the calls of an instance that leaves are made by the others', async t => {
  let sharers = 2;
  const { fake, analyse } = await create(t, { concurrency: 4, sharers: () => sharers });
  const release = fake.hold();
  const answers = [1, 2, 3].map(page => analyse(`https://example.com/${page}`));
  await fake.calls.waitFor(2);
  sharers = 1;
  answers.push(analyse('https://example.com/4'));
  await fake.calls.waitFor(4);
  release();
  await Promise.all(answers);
});

test('a call that waits for the end of a pause can be cancelled', async t => {
  const patience = { ...impatient, minuteMs: forever, maxWaitMs: 2 * forever };
  const { fake, analyse, client } = await create(t, { patience });
  fake.answerWith(() => quota('QueriesPerMinute'));
  const disconnect = new AbortController();
  const refused = analyse('https://example.com/', disconnect.signal);
  await until(() => client.state().state === 'throttled');
  const next = analyse('https://example.com/', disconnect.signal);
  await new Promise(setImmediate);
  const reason = new Error('gone');
  disconnect.abort(reason);
  await inTime(Promise.all([refused, next].map(waiting => assert.rejects(waiting, reason))));
  assert.equal(fake.calls.all.length, 1);
});

/** A clock that the test sets, and the time limits of the calls so far: none ends by itself. */
function holdTime(t: TestContext) {
  const limits: { ms: number; end: () => void }[] = [];
  const time = { ms: 0, limits };
  t.mock.method(performance, 'now', () => time.ms);
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    const over = new AbortController();
    limits.push({ ms, end: () => over.abort(new DOMException('late', 'TimeoutError')) });
    return over.signal;
  });
  return time;
}

test('a call and its retries share its time limit: slow failures are not retried endlessly', async t => {
  const { fake, analyse } = await create(t, { timeoutMs: 200 });
  const time = holdTime(t);
  fake.answerWith(() => {
    if (fake.calls.all.length === 1) return wentWrong;
    time.ms += 200;
    time.limits.at(-1)?.end();
    return new Promise<never>(() => {});
  });
  await assert.rejects(analyse('https://example.com/'), {
    code: 'psi_timeout',
    message: 'The PSI server did not respond within 0.2 s.',
  });
  assert.equal(fake.calls.all.length, 2);
  await fake.calls.all[1]?.abandoned;
});

test('a retry gets the time left by the first try', async t => {
  const { fake, analyse } = await create(t, { timeoutMs: 1000 });
  const time = holdTime(t);
  fake.answerWith(() => {
    time.ms += 300;
    return fake.calls.all.length === 1 ? wentWrong : fine();
  });
  await analyse('https://example.com/');
  assert.deepEqual(
    time.limits.map(({ ms }) => ms),
    [1000, 700],
  );
});

test('an answer after a failure, or a failed page, shows that the analyser is well', async t => {
  const { fake, analyse, client } = await create(t);
  fake.answerWith(() => undefined);
  await assert.rejects(analyse('https://example.com/'), { code: 'psi_unavailable' });
  assert.equal(client.state().state, 'down');
  fake.answerWith(() => ({
    status: 400,
    body: { error: { message: 'Lighthouse returned error: NOT_HTML. No.', errors: [{ domain: 'lighthouse' }] } },
  }));
  await assert.rejects(analyse('https://example.com/'), { code: 'page_not_html' });
  assert.deepEqual(client.state(), { state: 'ok' });
});
