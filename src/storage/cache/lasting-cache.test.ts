import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ValueCache } from '../results/store.ts';
import { createLastingCache, fromValue, toValue } from './lasting-cache.ts';

const result = {
  summary: Buffer.from('{"words":"größer\\n – 🚀"}'),
  lighthouseResult: Buffer.from([0, 10, 13, 255, 123, 34]),
  fetchedAt: '2026-11-20T10:00:00.000Z',
  storedAt: 1_763_632_800_000,
};

test('a result is read as it was written, in a buffer of its own', () => {
  const read = fromValue(toValue(result));
  assert.deepEqual(read, result);
  assert.equal(read?.summary.buffer.byteLength, result.summary.length);
  assert.equal(read?.lighthouseResult.buffer.byteLength, result.lighthouseResult.length);
});

test('a value of another version is a miss, not an error', () => {
  for (const text of ['', '\n', 'x', '{}\n', '{"fetchedAt":1}\nabc', '[1]\nabc', 'null\nabc'])
    assert.equal(fromValue(Buffer.from(text)), undefined, text);
});

test('a clear waits for earlier writes', async () => {
  const writing = Promise.withResolvers<void>();
  const order: string[] = [];
  const values = {
    set: async () => {
      await writing.promise;
      order.push('set');
    },
    clear: async () => {
      order.push('clear');
      return 1;
    },
    readChanges: async () => ({ generation: 1, lastNumber: 0, stored: [] }),
  } as unknown as ValueCache;
  const cache = createLastingCache(values);
  cache.set('key', result);
  const cleared = cache.clear();
  writing.resolve();
  assert.equal(await cleared, 1);
  assert.deepEqual(order, ['set', 'clear']);
});
