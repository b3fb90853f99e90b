import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { collect } from '../../../test/support/collect.ts';
import { toJson } from './json-bytes.ts';
import { packJson, toPackedJson, unpackInPieces, unpackJson } from './packed-json.ts';

const samples = {
  'an empty object': {},
  'text of several bytes a character': { text: 'grün 🟢 ☕'.repeat(1000) },
  'much of the same': { text: 'a'.repeat(3_000_000) },
  'what packs badly': { text: randomBytes(500_000).toString('base64') },
};

for (const [name, value] of Object.entries(samples))
  test(`${name} is restored exactly, at once and in pieces`, async () => {
    const plain = toJson(value);
    const packed = toPackedJson(await packJson(plain));
    assert.deepEqual([packed.crc32, packed.length], [crc32(plain), plain.length]);
    assert.ok(plain.equals(await unpackJson(packed)));
    const pieces: Buffer[] = [];
    for await (const piece of unpackInPieces(packed)) pieces.push(piece);
    assert.ok(plain.equals(Buffer.concat(pieces)));
    assert.ok(
      pieces.every(({ length }) => length <= 64 * 1024),
      'no piece is large',
    );
  });

test('compressed JSON can be read again, and abandoned halfway', async () => {
  const plain = toJson({ text: randomBytes(500_000).toString('base64') });
  const packed = toPackedJson(await packJson(plain));
  for (const _ of [1, 2]) {
    let first: Buffer | undefined;
    for await (const piece of unpackInPieces(packed)) {
      first = piece;
      break;
    }
    assert.ok(first && plain.subarray(0, first.length).equals(first));
  }
  assert.ok(plain.equals(await unpackJson(packed)));
});

test('a stored value has a buffer of its own and retains no other memory', async () => {
  for (const value of Object.values(samples)) {
    const stored = await packJson(toJson(value));
    assert.equal(stored.buffer.byteLength, stored.length);
    assert.equal(toPackedJson(stored).deflated.buffer, stored.buffer, 'reading copies nothing');
  }
});

test('damaged compressed bytes are an error, in pieces too', async () => {
  const stored = await packJson(toJson({ text: 'words '.repeat(10_000) }));
  stored.fill(0xff, 0, 20);
  const packed = toPackedJson(stored);
  await assert.rejects(unpackJson(packed), { code: 'Z_DATA_ERROR' });
  await assert.rejects(collect(unpackInPieces(packed)), { code: 'Z_DATA_ERROR' });
});
