import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { cut, isBytes, type JsonPart, type PartSource } from './json-parts.ts';

/**
 * Combines the CRC32 of two pieces, as zlib's `crc32_combine` does: a CRC is a remainder of polynomials over GF(2), and
 * appending n bytes multiplies it by x to the power of 8n.
 */

/** Polynomial of CRC32, with the lowest power in the highest bit, like all numbers here: 2³¹ is 1, 2³⁰ is x. */
const polynomial = 0xedb88320;
const [one, x] = [0x80000000, 0x40000000];

function multiply(first: number, second: number): number {
  let product = 0;
  let shifted = second;
  for (let power = one; power > 0; power >>>= 1) {
    if (first & power) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return product >>> 0;
}

/** x to the power of 8, 16, 32 and so on, for lengths of up to 53 bits. */
const powers: number[] = [];
for (let power = 0, value = x; power < 3 + 53; power += 1, value = multiply(value, value))
  if (power >= 3) powers.push(value);

/** Returns the CRC32 of `first` followed by `second`. @param secondLength in bytes */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let shifted = first;
  let rest = secondLength;
  for (let bit = 0; rest > 0; bit += 1) {
    if (rest % 2 === 1) shifted = multiply(powers[bit] ?? 0, shifted);
    rest = Math.floor(rest / 2);
  }
  return (shifted ^ second) >>> 0;
}

/**
 * Assembles a response as one gzip file (RFC 1952). Packed pieces are sent as they are stored; others are compressed.
 * Each piece ends at a byte boundary with an empty block, so that a client can unpack everything it has received.
 */

const deflate = promisify(deflateRaw);

/** Smaller pieces are not compressed: a turn in the thread pool would cost more. */
const minDeflatedBytes = 1024;
const maxStoredBytes = 0xffff;
const quick = { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_SYNC_FLUSH };

/** Header of a gzip file: deflate, no flags, no time, unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** Empty stored block. Some clients buffer the data before it until it arrives. */
const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff]);

const toStoredBlock = (bytes: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ maxStoredBytes, 3);
  return Buffer.concat([head, bytes, emptyBlock]);
};

const toBlocks = async (bytes: Buffer): Promise<Buffer> =>
  bytes.length < minDeflatedBytes ? toStoredBlock(bytes) : deflate(bytes, quick);

/** Returns the last block, the CRC32 of all data, and their length modulo 2³². */
const toTrailer = (crc: number, length: number): Buffer => {
  const trailer = Buffer.alloc(emptyBlock.length + 8);
  emptyBlock.copy(trailer);
  trailer[0] = 1;
  trailer.writeUInt32LE(crc, emptyBlock.length);
  trailer.writeUInt32LE(length % 2 ** 32, emptyBlock.length + 4);
  return trailer;
};

const crcAfter = (crc: number, part: JsonPart): number =>
  isBytes(part) ? crc32(part, crc) : combineCrc32(crc, part.crc32, part.length);

export async function* toGzip(parts: PartSource): AsyncGenerator<Buffer> {
  let crc = 0;
  let length = 0;
  yield header;
  for await (const part of parts)
    for await (const piece of isBytes(part) ? cut(part) : [part]) {
      if (piece.length === 0) continue;
      crc = crcAfter(crc, piece);
      length += piece.length;
      yield isBytes(piece) ? await toBlocks(piece) : piece.deflated;
    }
  yield toTrailer(crc, length);
}
