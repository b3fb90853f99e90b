import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonBytes, toJson } from '../../measure/lhr/json-bytes.ts';
import { packJson, toPackedJson } from '../../measure/lhr/packed-json.ts';
import {
  isBytes,
  type JsonPart,
  joinParts,
  mergeBytes,
  toBytes,
  toParts,
  toPlainBytes,
  toWhole,
} from './json-parts.ts';

const packed = toPackedJson(await packJson(toJson({ whole: 'result' })));

const show = (parts: readonly JsonPart[]) => parts.map(part => (isBytes(part) ? part.toString() : part));
const read = async (parts: Parameters<typeof toWhole>[0]) => JSON.parse((await toWhole(parts)).toString());

test('members form an object, with as few pieces as possible', () => {
  const parts = toParts({ url: [toJson('x')], mobile: [toJson({ a: 1 })], full: [packed], last: [toJson(2)] });
  assert.deepEqual(show(parts), ['{"url":"x","mobile":{"a":1},"full":', packed, ',"last":2}']);
});

test('objects are joined even if the second has compressed parts', async () => {
  const parts = joinParts(toJson({ index: 0 }), toParts({ url: [toJson('x')], full: [packed] }));
  assert.deepEqual(show(parts), ['{"index":0,"url":"x","full":', packed, '}']);
  assert.deepEqual(await read(parts), { index: 0, url: 'x', full: { whole: 'result' } });
});

test('bytes are merged, and compressed pieces are not', () => {
  const bytes = (text: string) => Buffer.from(text);
  const merged = mergeBytes([bytes('a'), bytes('b'), packed, bytes('c'), packed, packed]);
  assert.deepEqual(show(merged).join('|'), ['ab', packed, 'c', packed, '', packed, ''].join('|'));
});

test('an answer is plain bytes only if it has no compressed parts', () => {
  const json = toJson({ a: 1 });
  assert.equal(toBytes([json]), json);
  assert.equal(toBytes([json, json]).toString(), '{"a":1}{"a":1}');
  assert.throws(() => toBytes([json, packed]), /packed/);
});

test('nothing is decompressed before it is read', async () => {
  let taken = 0;
  function* source(): Generator<JsonPart> {
    for (const part of [toJson([]), packed, toJson({})]) {
      taken += 1;
      yield part;
    }
  }
  const bytes: AsyncGenerator<JsonBytes> = toPlainBytes(source());
  assert.equal(taken, 0);
  await bytes.next();
  assert.equal(taken, 1);
  const { value } = await bytes.next();
  assert.deepEqual([`${value}`, taken], ['{"whole":"result"}', 2]);
  await bytes.return(undefined);
});
