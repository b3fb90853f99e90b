/** Answers of pages that are kept nowhere else: some 35 KB each, and a tenth of that packed. */
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const packAnswer = async (answer: Buffer | null): Promise<Uint8Array | null> =>
  answer === null ? null : compress(answer);

/** Null for bytes that are damaged, too: the job knows the outcome of the page without them. */
export const unpackAnswer = async (packed: Uint8Array | null): Promise<Buffer | null> =>
  packed === null ? null : decompress(packed).catch(() => null);
