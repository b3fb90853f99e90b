import { promisify } from 'node:util';
import { constants, crc32, createInflateRaw, deflateRaw, inflateRaw } from 'node:zlib';
import type { JsonBytes } from './json-bytes.ts';

/**
 * A large piece of JSON that is packed once and sent many times: raw deflate that ends at a byte and is not final
 * (`Z_SYNC_FLUSH`). Such pieces, one after the other, are the body of one gzip file (RFC 1951, 3.2.3).
 */
export type PackedJson = {
  readonly deflated: Buffer;
  /** Of the bytes before they were packed. */
  readonly crc32: number;
  readonly length: number;
};

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const byteAligned = { finishFlush: constants.Z_SYNC_FLUSH };
/** What a slow reader may keep waiting of a result that is unpacked for it. */
const pieceBytes = 64 * 1024;
/** As gzip ends: CRC32 and length, 32 bits each. */
const trailerBytes = 8;

/** Packs JSON. @returns bytes of their own, to be stored: what is deflated, then its CRC32 and length */
export async function packJson(plain: JsonBytes): Promise<Buffer> {
  const deflated = await deflate(plain, byteAligned);
  // Not from a pool, and not larger than what is in it: what is stored keeps its whole allocation from being freed.
  const stored = Buffer.allocUnsafeSlow(deflated.length + trailerBytes);
  deflated.copy(stored);
  stored.writeUInt32LE(crc32(plain), deflated.length);
  stored.writeUInt32LE(plain.length, deflated.length + 4);
  return stored;
}

/** Reads what `packJson` made. Copies nothing. */
export const toPackedJson = (stored: Buffer): PackedJson => ({
  deflated: stored.subarray(0, -trailerBytes),
  crc32: stored.readUInt32LE(stored.length - trailerBytes),
  length: stored.readUInt32LE(stored.length - 4),
});

/** Unpacks all at once, for a reader that parses it. */
export const unpackJson = ({ deflated }: PackedJson): Promise<JsonBytes> => inflate(deflated, byteAligned);

/** Unpacks no more than is read. */
export async function* unpackInPieces({ deflated }: PackedJson): AsyncGenerator<JsonBytes> {
  const unpacking = createInflateRaw({ ...byteAligned, chunkSize: pieceBytes });
  unpacking.end(deflated);
  yield* unpacking;
}
