import { promisify } from 'node:util';
import { constants, crc32, createInflateRaw, deflateRaw, inflateRaw } from 'node:zlib';
import type { JsonBytes } from './json-bytes.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const byteAligned = { finishFlush: constants.Z_SYNC_FLUSH };
/** Max size of a piece: only one is unpacked while a slow reader is served. */
const pieceBytes = 64 * 1024;
/** Size of the trailer of a gzip file: CRC32 and length, 32 bits each. */
const trailerBytes = 8;

/** Packs JSON. @returns bytes to store: the deflated data, then their CRC32 and length */
export async function packJson(plain: JsonBytes): Promise<Buffer> {
  const deflated = await deflate(plain, byteAligned);
  // The buffer has its exact size and is not from a pool: stored bytes of a pool would prevent the whole pool from
  // being freed.
  const stored = Buffer.allocUnsafeSlow(deflated.length + trailerBytes);
  deflated.copy(stored);
  stored.writeUInt32LE(crc32(plain), deflated.length);
  stored.writeUInt32LE(plain.length, deflated.length + 4);
  return stored;
}

/**
 * Reads the output of `packJson` without copying: a large piece of JSON that is compressed once and sent many times. It
 * is raw deflate that ends at a byte boundary and is not final (`Z_SYNC_FLUSH`), so concatenated pieces form the body of
 * one gzip file (RFC 1951, 3.2.3).
 */
export const toPackedJson = (stored: Buffer) => ({
  deflated: stored.subarray(0, -trailerBytes),
  /** CRC32 of the uncompressed bytes. */
  crc32: stored.readUInt32LE(stored.length - trailerBytes),
  length: stored.readUInt32LE(stored.length - 4),
});
export type PackedJson = Readonly<ReturnType<typeof toPackedJson>>;

/** Unpacks everything at once, for a parser. */
export const unpackJson = ({ deflated }: PackedJson): Promise<JsonBytes> => inflate(deflated, byteAligned);

/** Unpacks in pieces, at the speed of the caller. */
export async function* unpackInPieces({ deflated }: PackedJson): AsyncGenerator<JsonBytes> {
  const unpacking = createInflateRaw({ ...byteAligned, chunkSize: pieceBytes });
  unpacking.end(deflated);
  yield* unpacking;
}
