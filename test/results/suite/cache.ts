import assert from 'node:assert/strict';
import type { ResultStore } from '../../../src/storage/results/store.ts';
import { buildEntry, noonMs } from '../../support/builders/entry.ts';
import { type TestWith, toEntry } from './steps.ts';

const countValues = async ({ database }: ResultStore): Promise<number> =>
  Number((await database.rows({ sql: 'SELECT count(*) FROM cached_values', values: [] }))[0]?.[0]);

/** Cached values that survive a restart. */
export function testCache(testWith: TestWith): void {
  testWith('values are cached under names', async (store, clock) => {
    const { cache } = store;
    const key = 'a'.repeat(64);
    assert.equal(await cache.get(key), undefined);
    await cache.set(key, Buffer.from('one'));
    clock.nowMs += 5;
    await cache.set('other', Buffer.from('two'));
    const found = await cache.get(key);
    assert.deepEqual([Buffer.from(found?.value ?? []).toString(), found?.storedAtMs], ['one', noonMs]);
    await cache.set(key, Buffer.from('three'));
    const second = await cache.get(key);
    assert.deepEqual([Buffer.from(second?.value ?? []).toString(), second?.storedAtMs], ['three', noonMs + 5]);
    assert.equal(await countValues(store), 2);
    assert.deepEqual([await cache.remove(key), await cache.remove(key)], [true, false]);
    assert.equal(await cache.get(key), undefined);
  });

  testWith('clearing empties only the cache', async store => {
    const entry = buildEntry();
    await store.keep(entry);
    for (let at = 0; at < 450; at += 1) await store.cache.set(`key ${at}`, Buffer.from('value'));
    assert.equal(await store.cache.clear(), 450);
    assert.equal(await countValues(store), 0);
    assert.equal(await store.cache.clear(), 0);
    assert.deepEqual(await store.get(entry.id), toEntry(entry));
    await store.cache.set('new', Buffer.from('value'));
    assert.equal(await countValues(store), 1);
  });

  testWith('a clear takes effect at once, although it removes the values in steps', async ({ cache }) => {
    for (let at = 0; at < 450; at += 1) await cache.set(`key ${at}`, Buffer.from('value'));
    const before = (await cache.readChanges(0)).generation;
    const clearing = cache.clear();
    while ((await cache.readChanges(0)).generation === before);
    assert.equal(await cache.get('key 449'), undefined);
    await clearing;
  });

  testWith('a value that was started before a clear is not stored', async store => {
    const { cache } = store;
    const before = (await cache.readChanges(0)).generation;
    await cache.set('key', Buffer.from('stored'), before);
    await cache.clear();
    assert.equal((await cache.readChanges(0)).generation, before + 1);
    await cache.set('key', Buffer.from('late'), before);
    assert.equal(await cache.get('key'), undefined);
    await cache.set('key', Buffer.from('new'), before + 1);
    assert.equal(await countValues(store), 1);
  });

  testWith('changes since a number name the values stored after it', async ({ cache }) => {
    await cache.set('one', Buffer.from('value'), undefined, noonMs);
    const first = await cache.readChanges(0);
    assert.deepEqual(first.stored, [{ name: 'one', storedAtMs: noonMs }]);
    await cache.set('two', Buffer.from('value'), undefined, noonMs + 1);
    const second = await cache.readChanges(first.lastNumber);
    assert.deepEqual(second.stored, [{ name: 'two', storedAtMs: noonMs + 1 }]);
    assert.deepEqual((await cache.readChanges(second.lastNumber)).stored, []);
  });

  testWith('a value that was stored later is not removed', async ({ cache }) => {
    await cache.set('key', Buffer.from('value'), undefined, noonMs);
    assert.deepEqual([await cache.remove('key', noonMs - 1), await cache.remove('key', noonMs)], [false, true]);
  });

  testWith('the oldest values are evicted by age and by size', async (store, clock) => {
    const { cache } = store;
    for (let at = 0; at < 6; at += 1) {
      clock.nowMs = noonMs + at * 1000;
      await cache.set(`key ${at}`, new Uint8Array(10_000));
    }
    const left = async () => {
      const values = await Promise.all([0, 1, 2, 3, 4, 5].map(at => cache.get(`key ${at}`)));
      return values.flatMap((value, at) => (value === undefined ? [] : [at]));
    };
    await store.sweep({ cache: { maxBytes: 1e9, maxAgeMs: 3000 } });
    assert.deepEqual(await left(), [2, 3, 4, 5]);
    await store.sweep({ cache: { maxBytes: 21_000, maxAgeMs: 1e9 } });
    assert.deepEqual(await left(), [4, 5]);
    await store.sweep({ cache: { maxBytes: 0, maxAgeMs: 1e9 } });
    assert.deepEqual(await left(), []);
  });
}
