import { randomBytes } from 'node:crypto';

/**
 * Builds a UUID of version 7 (RFC 9562): 48 bits of the time in milliseconds, then 74 bits of `random`.
 * @param random at least 16 bytes; an import passes a digest of its input, so that importing again creates the same ids
 */
export const toResultId = (ms: number, random: Uint8Array): string => {
  const bytes = Buffer.from(random.subarray(0, 16));
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/**
 * Creates an id that sorts by time and cannot be guessed from another one. Node itself has such a function since 24.16.
 */
export const createResultId = (nowMs: number = Date.now()): string => toResultId(nowMs, randomBytes(16));

export const isResultId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
