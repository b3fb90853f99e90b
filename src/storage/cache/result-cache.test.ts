import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { type CachedResult, createResultCache, type ResultCache } from './result-cache.ts';
import { createMemoryStore, type StoredResult } from './store.ts';

type Fields = Omit<StoredResult, 'storedAt'>;

const start = Date.parse('2026-11-20T12:00:00Z');
const key = 'page';

const fieldsOf = (name: string, bytes = 0): Fields => ({
  // Not from the pool of Buffer: a view counts as its whole allocation.
  summary: Buffer.from(Uint8Array.from(Buffer.from(name)).buffer),
  lighthouseResult: Buffer.alloc(bytes),
  fetchedAt: `time of ${name}`,
});
const nameOf = ({ result }: CachedResult) => result.summary.toString();

/** Creates a production that only the test ends: it ignores its signal. */
function createRun() {
  const { promise, resolve, reject } = Promise.withResolvers<Fields>();
  const signals: AbortSignal[] = [];
  return {
    produce: (signal: AbortSignal) => {
      signals.push(signal);
      return promise;
    },
    finish: (name: string) => resolve(fieldsOf(name)),
    fail: reject,
    get count() {
      return signals.length;
    },
    get isAborted() {
      return signals.some(({ aborted }) => aborted);
    },
    get reason(): unknown {
      return signals[0]?.reason;
    },
  };
}

function createCache({ ttlMs = 60_000, staleMs = 0, maxBytes = 1_000_000 } = {}) {
  let nowMs = start;
  const cache = createResultCache(createMemoryStore(maxBytes), { ttlMs, staleMs, now: () => nowMs });
  return {
    cache,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

type Caller = { signal?: AbortSignal; fresh?: boolean; key?: string };
const ask = (
  cache: ResultCache,
  { produce }: { produce: (signal: AbortSignal) => Promise<Fields> },
  { signal = new AbortController().signal, fresh = false, key: asked = key }: Caller = {},
) => cache.resolve(asked, produce, { signal, fresh });

const instantly = (name: string, bytes = 0) => ({ produce: async () => fieldsOf(name, bytes) });
const unasked = { produce: () => assert.fail('nothing had to be produced') };

/** Returns the name of the stored result, or undefined. The production fails, so nothing new is stored. */
const storedName = async (cache: ResultCache, asked = key): Promise<string | undefined> => {
  const answer = ask(cache, { produce: () => Promise.reject(new Error('not stored')) }, { key: asked });
  return answer.then(nameOf, () => undefined);
};

test('the first client gets the produced result, the next the same from the store', async () => {
  const { cache } = createCache();
  const first = await ask(cache, instantly('one'));
  assert.deepEqual([first.status, nameOf(first), first.result.storedAt], ['miss', 'one', start]);
  const second = await ask(cache, unasked);
  assert.equal(second.status, 'hit');
  assert.equal(second.result, first.result);
});

test('a result reports its age, remaining time and end by the injected clock', async () => {
  const { cache, pass } = createCache();
  const expiresAt = new Date(start + 60_000);
  const timesOf = ({ ageSeconds, ttlSeconds, expiresAt }: CachedResult) => ({ ageSeconds, ttlSeconds, expiresAt });
  assert.deepEqual(timesOf(await ask(cache, instantly('one'))), { ageSeconds: 0, ttlSeconds: 60, expiresAt });
  pass(999);
  assert.deepEqual(timesOf(await ask(cache, unasked)), { ageSeconds: 0, ttlSeconds: 59, expiresAt });
  pass(1);
  assert.deepEqual(timesOf(await ask(cache, unasked)), { ageSeconds: 1, ttlSeconds: 59, expiresAt });
  pass(58_999);
  assert.deepEqual(timesOf(await ask(cache, unasked)), { ageSeconds: 59, ttlSeconds: 0, expiresAt });
});

test('the age of a result starts at the end of its production', async () => {
  const { cache, pass } = createCache();
  const run = createRun();
  const answer = ask(cache, run);
  pass(30_000);
  run.finish('one');
  const { result, ageSeconds } = await answer;
  assert.deepEqual([result.storedAt, ageSeconds], [start + 30_000, 0]);
});

test('a result dated in the future by a clock that was ahead is not fresh until that time', async () => {
  const { cache, pass } = createCache();
  await ask(cache, instantly('ahead'));
  pass(-59_999);
  assert.equal((await ask(cache, unasked)).status, 'hit');
  pass(-1);
  const renewed = await ask(cache, instantly('now'));
  assert.deepEqual([renewed.status, nameOf(renewed)], ['miss', 'now']);
});

test('a result is stored for its lifetime and not a millisecond longer', async () => {
  const { cache, pass } = createCache();
  await ask(cache, instantly('one'));
  pass(59_999);
  assert.equal((await ask(cache, unasked)).status, 'hit');
  pass(1);
  const renewed = await ask(cache, instantly('two'));
  assert.deepEqual([renewed.status, nameOf(renewed)], ['miss', 'two']);
  assert.equal((await ask(cache, unasked)).status, 'hit');
});

test('a clock that is set back causes no negative age', async () => {
  const { cache, pass } = createCache();
  await ask(cache, instantly('one'));
  pass(-10_000);
  const { status, ageSeconds, ttlSeconds } = await ask(cache, unasked);
  assert.deepEqual({ status, ageSeconds, ttlSeconds }, { status: 'hit', ageSeconds: 0, ttlSeconds: 60 });
});

test('with a lifetime of zero nothing is stored, and concurrent clients still share', async () => {
  const { cache } = createCache({ ttlMs: 0 });
  const run = createRun();
  const answers = [ask(cache, run), ask(cache, run)];
  run.finish('one');
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual([statuses, run.count], [['miss', 'joined'], 1]);
  assert.equal(cache.status().entries, 0);
  assert.deepEqual((await ask(cache, instantly('two'))).status, 'miss');
});

test('results with different keys are independent', async () => {
  const { cache } = createCache();
  const [one, two] = [createRun(), createRun()];
  const answers = [ask(cache, one, { key: 'a' }), ask(cache, two, { key: 'b' })];
  two.finish('two');
  one.finish('one');
  assert.deepEqual((await Promise.all(answers)).map(nameOf), ['one', 'two']);
  assert.deepEqual([await storedName(cache, 'a'), await storedName(cache, 'b')], ['one', 'two']);
});

test('a hundred clients share one production', async () => {
  const { cache } = createCache();
  const run = createRun();
  const answers = Array.from({ length: 100 }, () => ask(cache, run));
  run.finish('one');
  const results = await Promise.all(answers);
  assert.equal(run.count, 1);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['miss', ...Array(99).fill('joined')],
  );
  assert.equal(new Set(results.map(({ result }) => result)).size, 1);
});

test('a failure reaches every client that joined, and is not stored', async () => {
  const { cache } = createCache();
  const run = createRun();
  const answers = [ask(cache, run), ask(cache, run), ask(cache, run)];
  const error = new AnalysisError('page_unreachable', 'no');
  run.fail(error);
  const outcomes = await Promise.allSettled(answers);
  assert.deepEqual(
    outcomes.map(outcome => outcome.status === 'rejected' && outcome.reason === error),
    [true, true, true],
  );
  assert.equal(cache.status().entries, 0);
  assert.equal((await ask(cache, instantly('two'))).status, 'miss');
});

test('a failed renewal leaves the expired result expired', async () => {
  const { cache, pass } = createCache();
  await ask(cache, instantly('one'));
  pass(60_000);
  await assert.rejects(ask(cache, { produce: () => Promise.reject(new Error('no')) }), /no/);
  assert.equal(await storedName(cache), undefined);
});

test('one client that disconnects gets the abort reason immediately, and the request continues for the others', async () => {
  const { cache } = createCache();
  const run = createRun();
  const disconnect = new AbortController();
  const reason = new Error('gone');
  const left = ask(cache, run, { signal: disconnect.signal });
  const staying = ask(cache, run);
  disconnect.abort(reason);
  await assert.rejects(left, reason);
  assert.equal(run.isAborted, false);
  const late = ask(cache, run);
  run.finish('one');
  assert.deepEqual([nameOf(await staying), (await late).status, run.count], ['one', 'joined', 1]);
  assert.equal(await storedName(cache), 'one');
});

test('the last client that disconnects cancels the request with its abort reason', async () => {
  const { cache } = createCache();
  const run = createRun();
  const clients = Array.from({ length: 3 }, () => new AbortController());
  const answers = Promise.allSettled(clients.map(({ signal }) => ask(cache, run, { signal })));
  const reasons = clients.map((client, index) => {
    assert.equal(run.isAborted, false);
    const reason = new Error(`client ${index}`);
    client.abort(reason);
    return reason;
  });
  assert.equal(run.isAborted, true);
  assert.equal(run.reason, reasons.at(-1));
  const outcomes = await answers;
  assert.deepEqual(
    outcomes.map(outcome => outcome.status === 'rejected' && outcome.reason),
    reasons,
  );
  run.fail(reasons.at(-1));
});

test('a client after the last disconnect gets a new request, which stays when the old one ends', async () => {
  const { cache } = createCache();
  const [given, taken] = [createRun(), createRun()];
  const disconnect = new AbortController();
  const left = ask(cache, given, { signal: disconnect.signal });
  disconnect.abort();
  const answer = ask(cache, taken);
  const joined = ask(cache, unasked);
  await assert.rejects(left, { name: 'AbortError' });
  given.fail(new Error('aborted'));
  const after = ask(cache, unasked);
  taken.finish('two');
  assert.deepEqual([nameOf(await answer), (await answer).status], ['two', 'miss']);
  assert.deepEqual([(await joined).status, (await after).status], ['joined', 'joined']);
  assert.deepEqual([given.isAborted, taken.isAborted], [true, false]);
});

test('a cancelled request that still succeeds does not replace a newer result', async () => {
  const { cache } = createCache();
  const [given, taken] = [createRun(), createRun()];
  const disconnect = new AbortController();
  const left = ask(cache, given, { signal: disconnect.signal });
  disconnect.abort();
  await assert.rejects(left);
  const answer = ask(cache, taken);
  taken.finish('new');
  await answer;
  given.finish('old');
  await given.produce(new AbortController().signal);
  assert.equal(await storedName(cache), 'new');
});

test('a client that has disconnected starts no request and replaces none', async () => {
  const { cache } = createCache();
  const run = createRun();
  const answer = ask(cache, run);
  const reason = new Error('gone');
  for (const fresh of [false, true])
    await assert.rejects(ask(cache, unasked, { signal: AbortSignal.abort(reason), fresh }), reason);
  assert.equal(run.isAborted, false);
  run.finish('one');
  await answer;
  assert.equal(await storedName(cache), 'one');
});

test('a disconnect after the answer changes nothing, and its listener is removed', async () => {
  const { cache } = createCache();
  const run = createRun();
  const client = new AbortController();
  const answer = ask(cache, run, { signal: client.signal });
  assert.equal(getEventListeners(client.signal, 'abort').length, 1);
  run.finish('one');
  await answer;
  await new Promise(setImmediate);
  assert.equal(getEventListeners(client.signal, 'abort').length, 0);
  client.abort();
  assert.equal(run.isAborted, false);
  assert.equal(await storedName(cache), 'one');
});

test('a forced request is made even if a result is stored, and replaces it', async () => {
  const { cache, pass } = createCache();
  await ask(cache, instantly('one'));
  pass(5000);
  const forced = await ask(cache, instantly('two'), { fresh: true });
  assert.deepEqual([forced.status, nameOf(forced), forced.ageSeconds], ['miss', 'two', 0]);
  const after = await ask(cache, unasked);
  assert.deepEqual([after.status, nameOf(after), cache.status().entries], ['hit', 'two', 1]);
});

test('a failed forced request leaves the stored result', async () => {
  const { cache } = createCache();
  await ask(cache, instantly('one'));
  await assert.rejects(ask(cache, { produce: () => Promise.reject(new Error('no')) }, { fresh: true }), /no/);
  assert.equal(await storedName(cache), 'one');
});

test('a forced request joins no other, and later ones join it', async () => {
  const { cache } = createCache();
  const [older, newer] = [createRun(), createRun()];
  const first = ask(cache, older);
  const forced = ask(cache, newer, { fresh: true });
  const later = ask(cache, unasked);
  newer.finish('new');
  older.finish('old');
  assert.deepEqual((await Promise.all([first, forced, later])).map(nameOf), ['old', 'new', 'new']);
  assert.deepEqual(
    (await Promise.all([first, forced, later])).map(({ status }) => status),
    ['miss', 'miss', 'joined'],
  );
});

test('an overtaken request does not replace the newer result, whichever ends first', async () => {
  for (const order of ['older first', 'newer first']) {
    const { cache } = createCache();
    const [older, newer] = [createRun(), createRun()];
    const answers = [ask(cache, older), ask(cache, newer, { fresh: true })];
    if (order === 'older first') older.finish('old');
    newer.finish('new');
    await answers[1];
    older.finish('old');
    assert.deepEqual((await Promise.all(answers)).map(nameOf), ['old', 'new'], order);
    assert.equal(await storedName(cache), 'new', order);
  }
});

test('of several forced runs, the one that started last is stored', async () => {
  const { cache } = createCache();
  const runs = [createRun(), createRun(), createRun()];
  const answers = runs.map(run => ask(cache, run, { fresh: true }));
  for (const [index, run] of [...runs.entries()].reverse()) run.finish(`run ${index}`);
  assert.deepEqual((await Promise.all(answers)).map(nameOf), ['run 0', 'run 1', 'run 2']);
  assert.equal(await storedName(cache), 'run 2');
});

test('a request in flight during a clear is answered and not stored', async () => {
  const { cache } = createCache();
  const run = createRun();
  const answer = ask(cache, run);
  await cache.clear();
  run.finish('one');
  assert.deepEqual([nameOf(await answer), run.isAborted], ['one', false]);
  assert.equal(await storedName(cache), undefined);
});

test('a request after a clear does not join an earlier one, and the new result stays', async () => {
  const { cache } = createCache();
  const [before, after] = [createRun(), createRun()];
  const early = ask(cache, before);
  await cache.clear();
  const late = ask(cache, after);
  after.finish('new');
  assert.equal((await late).status, 'miss');
  before.finish('old');
  assert.equal(nameOf(await early), 'old');
  assert.equal(await storedName(cache), 'new');
});

test('a request from before a clear that ends first does not stop later clients from joining the new one', async () => {
  const { cache } = createCache();
  const [before, after] = [createRun(), createRun()];
  const early = ask(cache, before);
  await cache.clear();
  const late = ask(cache, after);
  before.finish('old');
  await early;
  const joined = ask(cache, unasked);
  after.finish('new');
  assert.deepEqual([nameOf(await late), (await joined).status], ['new', 'joined']);
});

test('the last client of a request from before a clear cancels only that request', async () => {
  const { cache } = createCache();
  const [before, after] = [createRun(), createRun()];
  const disconnect = new AbortController();
  const early = ask(cache, before, { signal: disconnect.signal });
  await cache.clear();
  const late = ask(cache, after);
  disconnect.abort();
  await assert.rejects(early, { name: 'AbortError' });
  assert.deepEqual([before.isAborted, after.isAborted], [true, false]);
  after.finish('new');
  assert.equal(nameOf(await late), 'new');
});

test('clearing returns the number of results', async () => {
  const { cache } = createCache();
  assert.equal(await cache.clear(), 0);
  for (const each of ['a', 'b', 'c']) await ask(cache, instantly(each), { key: each });
  assert.equal(cache.status().entries, 3);
  assert.equal(await cache.clear(), 3);
  assert.deepEqual(cache.status(), { store: 'memory', entries: 0, bytes: 0 });
});

test('the cache never exceeds its size, and still answers results that are too large', async () => {
  const { cache } = createCache({ maxBytes: 1000 });
  for (const each of ['a', 'b', 'c']) {
    await ask(cache, instantly(each, 400), { key: each });
    assert.ok(cache.status().bytes <= 1000);
  }
  assert.deepEqual([await storedName(cache, 'a'), await storedName(cache, 'c')], [undefined, 'c']);
  const big = await ask(cache, instantly('big', 5000), { key: 'big' });
  assert.deepEqual([big.status, nameOf(big)], ['miss', 'big']);
  assert.equal(await storedName(cache, 'big'), undefined);
  assert.equal(cache.status().entries, 2);
});

test('without an injected clock, the system time is used', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: start });
  const cache = createResultCache(createMemoryStore(1000), { ttlMs: 1000, staleMs: 0 });
  assert.equal((await ask(cache, instantly('one'))).result.storedAt, start);
  t.mock.timers.tick(1000);
  assert.equal(await storedName(cache), undefined);
});

test('a private result is neither stored nor shared, nor answered from the store', async () => {
  const { cache } = createCache();
  const { signal } = new AbortController();
  const own = createRun();
  const other = createRun();
  const mine = cache.resolve(key, own.produce, { signal, fresh: false, isPrivate: true });
  const theirs = cache.resolve(key, other.produce, { signal, fresh: false, isPrivate: true });
  own.finish('mine');
  other.finish('theirs');
  assert.deepEqual([nameOf(await mine), nameOf(await theirs)], ['mine', 'theirs']);
  assert.equal((await mine).status, 'miss');
  assert.equal(cache.status().entries, 0);
  const shared = createRun();
  shared.finish('shared');
  await cache.resolve(key, shared.produce, { signal, fresh: false });
  const again = createRun();
  again.finish('again');
  const last = await cache.resolve(key, again.produce, { signal, fresh: false, isPrivate: true });
  assert.equal(nameOf(last), 'again');
});
