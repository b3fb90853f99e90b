import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { combineCrc32 } from './gzip-parts.ts';

test('the CRC of two pieces is that of their concatenation', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array({ maxLength: 5000 }), (first, second) => {
      const both = crc32(Buffer.concat([first, second]));
      assert.equal(combineCrc32(crc32(first), crc32(second), second.length), both);
    }),
    { seed: 20_261_122 },
  );
});

test('a piece of several megabytes, or of zeros, has the right CRC', () => {
  const [first, second] = [Buffer.from('{"results":['), Buffer.alloc(4_567_891)];
  assert.equal(combineCrc32(crc32(first), crc32(second), second.length), crc32(Buffer.concat([first, second])));
});

test('appending 4 GB of zeros gives the same CRC as appending 2 GB twice', () => {
  // The CRC after 2³² appended zeros equals that after appending half as many twice.
  const half = 2 ** 31;
  const zeros = (length: number) => (crc: number) => combineCrc32(crc, zerosCrc(length), length);
  const zerosCrc = (length: number): number => {
    if (length <= 1024) return crc32(Buffer.alloc(length));
    const part = zerosCrc(length / 2);
    return combineCrc32(part, part, length / 2);
  };
  const start = crc32(Buffer.from('x'));
  assert.equal(zeros(2 * half)(start), zeros(half)(zeros(half)(start)));
});
