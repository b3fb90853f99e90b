import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { createQueryReader } from './read-input.ts';

const schema = Type.Object({ label: Type.String() });

test('a repeated query is read once, unless other queries are long or many', () => {
  const read = createQueryReader(schema);
  const first = read('label=first');
  assert.equal(read('label=first'), first);
  // As many as a client may send in some seconds, each as long as a server accepts.
  for (let at = 0; at < 100; at += 1) read(`label=${at}&other=${'x'.repeat(16_000)}`);
  assert.notEqual(read('label=first'), first);
  assert.deepEqual(read('label=first'), { label: 'first' });
});

test('an empty query is read', () => {
  assert.deepEqual(createQueryReader(Type.Object({ label: Type.Optional(Type.String()) }))(''), { label: null });
});
