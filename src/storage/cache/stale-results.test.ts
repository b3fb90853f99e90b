import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError, type ErrorCode, errorTable } from '../../contract/errors.ts';
import { createResultCache } from './result-cache.ts';
import { createMemoryStore, type StoredResult } from './store.ts';

const [ttlMs, staleMs] = [60_000, 600_000];

function create() {
  let nowMs = Date.parse('2026-11-20T12:00:00Z');
  const cache = createResultCache(createMemoryStore(1_000_000), { ttlMs, staleMs, now: () => nowMs });
  const resolve = (produce: () => Promise<Omit<StoredResult, 'storedAt'>>, fresh = false) =>
    cache.resolve('page', produce, { signal: new AbortController().signal, fresh });
  const bytes = Buffer.from(new ArrayBuffer(1));
  return {
    cache,
    pass: (ms: number) => {
      nowMs += ms;
    },
    store: (fetchedAt = 'then', fresh = false) =>
      resolve(async () => ({ summary: bytes, lighthouseResult: bytes, fetchedAt }), fresh),
    fail: (code: ErrorCode = 'psi_unavailable', fresh = false) =>
      resolve(() => Promise.reject(new AnalysisError(code, 'No.')), fresh),
  };
}

/** Errors of the analyser or of its machine, which show nothing about the page. */
const covered: readonly ErrorCode[] = [
  'psi_unavailable',
  'psi_bad_response',
  'psi_key_rejected',
  'psi_quota_exceeded',
  'psi_timeout',
  'lighthouse_unavailable',
  'lighthouse_timeout',
  'queue_full',
  'queue_unavailable',
  'results_unavailable',
  'job_interrupted',
  'jobs_unavailable',
  'shutting_down',
];

for (const code of Object.keys(errorTable) as ErrorCode[])
  test(`${code} is ${covered.includes(code) ? '' : 'not '}covered by an expired result`, async () => {
    const { fail, pass, store } = create();
    await store();
    pass(ttlMs);
    if (!covered.includes(code)) return assert.rejects(fail(code), { code });
    const { status, failure, ageSeconds, ttlSeconds } = await fail(code);
    assert.deepEqual([status, failure?.code, ageSeconds, ttlSeconds], ['stale', code, 60, 0]);
  });

test('an expired result is returned up to its limit and not a millisecond longer, and is then removed', async () => {
  const { cache, fail, pass, store } = create();
  await store();
  pass(ttlMs + staleMs - 1);
  const { status, ageSeconds, ttlSeconds } = await fail();
  assert.deepEqual([status, ageSeconds, ttlSeconds], ['stale', 659, -600]);
  pass(1);
  await assert.rejects(fail(), { code: 'psi_unavailable' });
  assert.equal(cache.status().entries, 0);
});

test('a client that requires a fresh result gets the failure, however fresh the stored one is', async () => {
  const { fail, pass, store } = create();
  await store();
  await assert.rejects(fail('psi_unavailable', true), { code: 'psi_unavailable' });
  pass(ttlMs);
  await assert.rejects(fail('psi_unavailable', true), { code: 'psi_unavailable' });
  assert.equal((await fail()).status, 'stale');
});

test('an internal error is not covered by an expired result', async () => {
  const { cache, pass, store } = create();
  await store();
  pass(ttlMs);
  const client = { signal: new AbortController().signal, fresh: false };
  await assert.rejects(
    cache.resolve('page', () => Promise.reject(new TypeError('a bug')), client),
    /a bug/,
  );
});

test('a client that disconnects gets the abort reason and no expired result', async () => {
  const { cache, pass, store } = create();
  await store();
  pass(ttlMs);
  const disconnect = new AbortController();
  const answer = cache.resolve('page', () => new Promise(() => {}), { signal: disconnect.signal, fresh: false });
  const reason = new Error('gone');
  disconnect.abort(reason);
  await assert.rejects(answer, reason);
});

test('every client of a failed request gets the stale result', async () => {
  const { cache, pass, store } = create();
  await store();
  pass(ttlMs);
  const run = Promise.withResolvers<never>();
  const answers = Array.from({ length: 100 }, () =>
    cache.resolve('page', () => run.promise, { signal: new AbortController().signal, fresh: false }),
  );
  run.reject(new AnalysisError('psi_timeout', 'No.'));
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set(['stale']));
});

test('after a clear no expired result is returned', async () => {
  const { cache, fail, pass, store } = create();
  await store();
  pass(ttlMs);
  const run = Promise.withResolvers<never>();
  const early = cache.resolve('page', () => run.promise, { signal: new AbortController().signal, fresh: false });
  await cache.clear();
  run.reject(new AnalysisError('psi_unavailable', 'No.'));
  await assert.rejects(early, { code: 'psi_unavailable' });
  await assert.rejects(fail(), { code: 'psi_unavailable' });
});

test('a result has the reason why it was requested', async () => {
  const { pass, store } = create();
  const asked = [(await store('1')).asked, (await store('2')).asked, (await store('3', true)).asked];
  pass(ttlMs);
  asked.push((await store('4')).asked);
  assert.deepEqual(asked, ['miss', undefined, 'request', 'stale']);
});

test('a repeated measurement is reported as repeated, a new one and a hit are not', async () => {
  const { pass, store } = create();
  const repeats = [(await store('10:00')).repeated, (await store('10:00', true)).repeated];
  repeats.push((await store()).repeated, (await store('10:01', true)).repeated);
  pass(ttlMs);
  repeats.push((await store('10:01')).repeated);
  assert.deepEqual(repeats, [undefined, true, undefined, undefined, true]);
});
