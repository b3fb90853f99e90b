/** Tests the cache in memory with a persistent cache behind it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResultCache } from './result-cache.ts';
import { createMemoryStore, type LastingCache, type StoredResult } from './store.ts';

const nowMs = Date.parse('2026-11-20T12:00:00Z');
const resultOf = (name: string, storedAt = nowMs): StoredResult => ({
  summary: Buffer.from(Uint8Array.from(Buffer.from(name)).buffer),
  lighthouseResult: Buffer.alloc(0),
  fetchedAt: name,
  storedAt,
});

/** Creates a persistent cache. Its reads wait after `hold`, until the returned function is called. */
function createLasting(known: Record<string, StoredResult> = {}) {
  const results = new Map(Object.entries(known));
  let held = Promise.resolve();
  let reads = 0;
  const lasting: LastingCache = {
    async get(key) {
      reads += 1;
      const found = results.get(key);
      await held;
      return found;
    },
    set: (key, result) => void results.set(key, result),
    remove: key => void results.delete(key),
    async clear() {
      const { size } = results;
      results.clear();
      return size;
    },
  };
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  return { lasting, results, hold, reads: () => reads };
}

const create = (lasting: LastingCache) => {
  const cache = createResultCache(createMemoryStore(100_000), {
    ttlMs: 60_000,
    staleMs: 0,
    now: () => nowMs,
    lasting,
  });
  const ask = (name: string, { fresh = false, signal = new AbortController().signal } = {}) =>
    cache.resolve('key', async () => resultOf(name), { signal, fresh });
  return { cache, ask };
};

test('a value that outlived the last process is a hit, and is read once', async () => {
  const { lasting, reads } = createLasting({ key: resultOf('old', nowMs - 1000) });
  const { ask } = create(lasting);
  const answers = await Promise.all([ask('new'), ask('new'), ask('new')]);
  assert.deepEqual(
    answers.map(({ status, result, ageSeconds }) => [status, result.fetchedAt, ageSeconds]),
    Array(3).fill(['hit', 'old', 1]),
  );
  assert.equal((await ask('new')).status, 'hit');
  assert.equal(reads(), 1);
});

test('a result is persisted as well as stored in memory, and a forced one replaces it', async () => {
  const { lasting, results } = createLasting();
  const { ask } = create(lasting);
  assert.equal((await ask('one')).status, 'miss');
  assert.equal(results.get('key')?.fetchedAt, 'one');
  const forced = await ask('two', { fresh: true });
  assert.deepEqual([forced.status, forced.asked], ['miss', 'request']);
  assert.equal(results.get('key')?.fetchedAt, 'two');
});

test('an expired value is not returned and is removed', async () => {
  const { lasting, results } = createLasting({ key: resultOf('old', nowMs - 60_000) });
  const { ask } = create(lasting);
  const removed: string[] = [];
  const { remove } = lasting;
  lasting.remove = (key, result) => {
    removed.push(key);
    remove(key, result);
  };
  assert.equal((await ask('new')).status, 'miss');
  assert.deepEqual([removed, results.get('key')?.fetchedAt], [['key'], 'new']);
});

test('a value that is being read during a clear does not come back', async () => {
  const { lasting, hold } = createLasting({ key: resultOf('old') });
  const { cache, ask } = create(lasting);
  const release = hold();
  const answer = ask('new');
  await cache.clear();
  release();
  const { status, result } = await answer;
  assert.deepEqual([status, result.fetchedAt], ['miss', 'new']);
});

test('a request during a clear does not bring back what the clear removes', async () => {
  const { lasting } = createLasting({ key: resultOf('old') });
  const { cache, ask } = create(lasting);
  const { clear } = lasting;
  const held = Promise.withResolvers<void>();
  lasting.clear = () => held.promise.then(clear);
  const clearing = cache.clear();
  assert.equal((await ask('new')).status, 'miss');
  held.resolve();
  await clearing;
  assert.equal((await ask('newer')).result.fetchedAt, 'new', 'it was measured after the clear');
});

test('a clear counts the values of both parts, and empties both', async () => {
  const { lasting, results } = createLasting({ key: resultOf('old'), other: resultOf('old') });
  const { cache, ask } = create(lasting);
  await ask('new');
  assert.equal(await cache.clear(), 2);
  assert.equal(results.size, 0);
  assert.equal((await ask('new')).status, 'miss');
});

test('a client that disconnects during a read starts nothing', async () => {
  const { lasting, hold } = createLasting();
  const { cache } = create(lasting);
  const release = hold();
  const disconnect = new AbortController();
  const answer = cache.resolve('key', () => assert.fail('started'), { signal: disconnect.signal, fresh: false });
  disconnect.abort(new Error('gone'));
  release();
  await assert.rejects(answer, /gone/);
});
