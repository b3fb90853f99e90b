import { promisify } from 'node:util';
import { constants, crc32, createInflateRaw, deflateRaw, inflateRaw } from 'node:zlib';
import type { JsonBytes } from './json-bytes.ts';

/**
 * A large piece of JSON that is compressed once and sent many times: raw deflate that ends at a byte boundary and is
 * not final (`Z_SYNC_FLUSH`). Concatenated pieces form the body of one gzip file (RFC 1951, 3.2.3).
 */
export type PackedJson = {
  readonly deflated: Buffer;
  /** CRC32 of the uncompressed bytes. */
  readonly crc32: number;
  readonly length: number;
};

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const byteAligned = { finishFlush: constants.Z_SYNC_FLUSH };
/** Max size of unpacked data that wait for a slow reader. */
const pieceBytes = 64 * 1024;
/** Size of the end of a gzip file: CRC32 and length, 32 bits each. */
const trailerBytes = 8;

/** Packs JSON. @returns bytes for storage: the deflated data, then their CRC32 and length */
export async function packJson(plain: JsonBytes): Promise<Buffer> {
  const deflated = await deflate(plain, byteAligned);
  // The allocation is exact and not from a pool, because stored bytes prevent their whole allocation from being freed.
  const stored = Buffer.allocUnsafeSlow(deflated.length + trailerBytes);
  deflated.copy(stored);
  stored.writeUInt32LE(crc32(plain), deflated.length);
  stored.writeUInt32LE(plain.length, deflated.length + 4);
  return stored;
}

/** Reads the output of `packJson` without copying. */
export const toPackedJson = (stored: Buffer): PackedJson => ({
  deflated: stored.subarray(0, -trailerBytes),
  crc32: stored.readUInt32LE(stored.length - trailerBytes),
  length: stored.readUInt32LE(stored.length - 4),
});

/** Unpacks all bytes at once, for a parser. */
export const unpackJson = ({ deflated }: PackedJson): Promise<JsonBytes> => inflate(deflated, byteAligned);

/** Unpacks piece by piece, as the caller reads. */
export async function* unpackInPieces({ deflated }: PackedJson): AsyncGenerator<JsonBytes> {
  const unpacking = createInflateRaw({ ...byteAligned, chunkSize: pieceBytes });
  unpacking.end(deflated);
  yield* unpacking;
}
