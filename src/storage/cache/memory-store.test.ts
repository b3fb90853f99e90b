import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type StoredResult } from './store.ts';

const resultOf = (bytes: number, storedAt = 0): StoredResult => ({
  summary: Buffer.alloc(0),
  lighthouseResult: Buffer.alloc(bytes),
  fetchedAt: '2026-11-20T10:00:00.000Z',
  storedAt,
});

test('a new store is empty', () => {
  const store = createMemoryStore(1000);
  assert.deepEqual([store.name, store.entries, store.bytes, store.get('a')], ['memory', 0, 0, undefined]);
});

test('a stored value is found unchanged, only by its key', () => {
  const store = createMemoryStore(1000);
  const result = resultOf(10);
  store.set('a', result);
  assert.equal(store.get('a'), result);
  for (const key of ['b', 'A', '', 'constructor', '__proto__']) assert.equal(store.get(key), undefined, key);
});

test('both parts of a result and its key count: the summary with its copies, the key with two bytes a character', () => {
  const store = createMemoryStore(1000);
  store.set('abc', { ...resultOf(70), summary: Buffer.alloc(5) });
  assert.deepEqual([store.entries, store.bytes], [1, 70 + 3 * 5 + 2 * 3]);
});

test('a view of a large allocation counts with the whole allocation', () => {
  const store = createMemoryStore(10_000);
  store.set('a', { ...resultOf(0), lighthouseResult: Buffer.alloc(5000).subarray(0, 10) });
  assert.equal(store.bytes, 5002);
});

test('a removed value is gone, and its bytes are free', () => {
  const store = createMemoryStore(1000);
  for (const key of ['a', 'b']) store.set(key, resultOf(10));
  store.remove('a');
  store.remove('c');
  assert.deepEqual([store.entries, store.bytes, store.get('a')], [1, 12, undefined]);
});

test('a result with the same key replaces the earlier one', () => {
  const store = createMemoryStore(1000);
  store.set('a', resultOf(100));
  const second = resultOf(50);
  store.set('a', second);
  assert.deepEqual([store.entries, store.bytes, store.get('a')], [1, 52, second]);
});

test('the memory never exceeds its bytes: the least recently used value is removed first', () => {
  const store = createMemoryStore(300);
  for (const key of ['a', 'b', 'c']) store.set(key, resultOf(90));
  assert.deepEqual([store.entries, store.bytes], [3, 276]);
  store.get('a');
  store.set('d', resultOf(90));
  assert.deepEqual([store.entries, store.bytes], [3, 276]);
  assert.equal(store.get('b'), undefined);
  for (const key of ['a', 'c', 'd']) assert.ok(store.get(key), key);
});

test('a large result evicts as many as necessary', () => {
  const store = createMemoryStore(300);
  for (const key of ['a', 'b', 'c']) store.set(key, resultOf(90));
  store.set('d', resultOf(200));
  assert.deepEqual([store.entries, store.bytes], [2, 294]);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map(key => store.get(key) !== undefined),
    [false, false, true, true],
  );
});

test('a result that fits exactly is stored', () => {
  const store = createMemoryStore(100);
  store.set('a', resultOf(98));
  assert.deepEqual([store.entries, store.bytes], [1, 100]);
});

test('a result larger than the whole memory is not stored and replaces only its older version', () => {
  const store = createMemoryStore(100);
  store.set('a', resultOf(20));
  store.set('b', resultOf(20));
  store.set('b', resultOf(99));
  assert.equal(store.get('b'), undefined);
  assert.ok(store.get('a'));
  assert.deepEqual([store.entries, store.bytes], [1, 22]);
});

test('the store holds 50,000 results and no more', () => {
  const store = createMemoryStore(1_000_000_000);
  const result = resultOf(2);
  for (let index = 0; index < 50_001; index += 1) store.set(`${index}`, result);
  assert.equal(store.entries, 50_000);
  assert.equal(store.get('0'), undefined);
  assert.equal(store.get('50000'), result);
});

test('clearing empties the store and returns the number of entries', () => {
  const store = createMemoryStore(1000);
  for (const key of ['a', 'b', 'c']) store.set(key, resultOf(10));
  assert.equal(store.clear(), 3);
  assert.deepEqual([store.entries, store.bytes, store.get('a')], [0, 0, undefined]);
  assert.equal(store.clear(), 0);
  store.set('a', resultOf(10));
  assert.equal(store.entries, 1);
});

test('stores share nothing', () => {
  const [one, other] = [createMemoryStore(1000), createMemoryStore(1000)];
  one.set('a', resultOf(10));
  assert.equal(other.get('a'), undefined);
});
