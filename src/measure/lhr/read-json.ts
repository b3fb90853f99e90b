/** Parses Lighthouse results, which may come from anywhere: an upload, a PSI server, an import, an old store. */
import { zstdDecompressSync } from 'node:zlib';
import { findExcess, resultBounds } from '../../contract/json-bounds.ts';

/** A stored result: `bytes` are JSON in this coding. */
type Packed = { readonly bytes: Uint8Array; readonly coding: string };

/** Max size of an unpacked result in bytes: the largest accepted one. */
const maxResultBytes = 32 * 1024 * 1024;

const toText = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('utf8');

/**
 * Parses the JSON of a result; undefined if it is invalid, or exceeds the bounds of a result.
 * @param text the same JSON, if it is decoded already
 */
export function readJson(bytes: Uint8Array, text?: string): unknown {
  if (findExcess(bytes, resultBounds) !== undefined) return undefined;
  try {
    return JSON.parse(text ?? toText(bytes));
  } catch {
    return undefined;
  }
}

/** Unpacks and parses a stored result; undefined if it is damaged, too large, or in an unknown coding. */
export function readPacked({ bytes, coding }: Packed): unknown {
  if (coding !== 'zstd') return undefined;
  try {
    return readJson(zstdDecompressSync(bytes, { maxOutputLength: maxResultBytes }));
  } catch {
    return undefined;
  }
}
