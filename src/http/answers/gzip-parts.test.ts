import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createGunzip, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { collect } from '../../../test/support/collect.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { packJson, toPackedJson } from '../../measure/lhr/packed-json.ts';
import { toGzip } from './gzip-parts.ts';
import type { JsonPart } from './json-parts.ts';

const pack = async (value: unknown): Promise<JsonPart> => toPackedJson(await packJson(toJson(value)));
const zip = async (parts: Iterable<JsonPart> | AsyncIterable<JsonPart>) => Buffer.concat(await collect(toGzip(parts)));

test('any pieces form one gzip file', async () => {
  const piece = fc.record({ text: fc.string({ maxLength: 3000, unit: 'binary' }), isPacked: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async pieces => {
      const parts = await Promise.all(pieces.map(({ text, isPacked }) => (isPacked ? pack(text) : toJson(text))));
      const plain = Buffer.concat(pieces.map(({ text }) => toJson(text)));
      assert.ok(gunzipSync(await zip(parts)).equals(plain));
    }),
    { seed: 20_261_122, numRuns: 50 },
  );
});

test('data of every size passes, including incompressible data', async () => {
  for (const size of [0, 1, 1023, 1024, 65_535, 65_536, 200_000]) {
    const bytes = randomBytes(size);
    const plain = Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]);
    assert.ok(gunzipSync(await zip([Buffer.from('['), bytes, Buffer.from(']')])).equals(plain), String(size));
  }
});

test('no pieces form an empty gzip file', async () => {
  assert.equal(gunzipSync(await zip([])).length, 0);
});

test('a compressed piece is sent as is, without copying', async () => {
  const stored = await packJson(toJson({ text: 'words '.repeat(10_000) }));
  const packed = toPackedJson(stored);
  const pieces = await collect(toGzip([Buffer.from('['), packed, Buffer.from(','), packed, Buffer.from(']')]));
  assert.equal(pieces.filter(({ buffer }) => buffer === stored.buffer).length, 2);
});

test('the bytes sent so far decompress to the data so far', async () => {
  const gunzip = createGunzip();
  let unpacked = '';
  gunzip.on('data', chunk => {
    unpacked += chunk;
  });
  /** Returns everything that can be unpacked so far: the flush ends once all input was processed. */
  const unpack = async (bytes: Buffer) => {
    await new Promise<void>(resolve => gunzip.write(bytes, () => gunzip.flush(() => resolve())));
    return unpacked;
  };
  let plain = '';
  async function* toParts() {
    for (const value of ['short', 'long '.repeat(1000)]) {
      plain += JSON.stringify(value);
      yield toJson(value);
      plain += JSON.stringify([value]);
      yield await pack([value]);
    }
  }
  for await (const bytes of toGzip(toParts())) assert.equal(await unpack(bytes), plain);
});

test('every piece ends with an empty block, because some clients buffer until they see one', async () => {
  const pieces = await collect(
    toGzip([Buffer.from('{'), Buffer.alloc(5000), await pack('x'.repeat(5000)), Buffer.from('}')]),
  );
  const ends = pieces.slice(1, -1).map(piece => piece.subarray(-4).toString('hex'));
  assert.deepEqual(ends, Array(4).fill('0000ffff'));
});
