import { setImmediate } from 'node:timers/promises';
import type { JsonBytes } from '../../measure/lhr/json-bytes.ts';
import { type PackedJson, unpackInPieces, unpackJson } from '../../measure/lhr/packed-json.ts';

/** A piece of a response: JSON as bytes, or a large result as it is stored. */
export type JsonPart = JsonBytes | PackedJson;

/** One JSON object in ordered pieces. The first piece is bytes; packed pieces are values of its members. */
export type JsonParts = readonly [JsonBytes, ...JsonPart[]];

/** Pieces that are available, or arrive one after the other. */
export type PartSource = Iterable<JsonPart> | AsyncIterable<JsonPart>;

export const isBytes = (part: JsonPart): part is JsonBytes => Buffer.isBuffer(part);

/** Max number of bytes to copy or send in one turn of the event loop. */
export const turnBytes = 256 * 1024;

/** Merges adjacent pieces of bytes, except large ones: copying 10 MB takes 10 ms. */
export function mergeBytes(parts: readonly JsonPart[]): JsonPart[] {
  const merged: JsonPart[] = [];
  let bytes: JsonBytes[] = [];
  for (const part of parts) {
    if (isBytes(part) && part.length <= turnBytes) bytes.push(part);
    else {
      merged.push(Buffer.concat(bytes), part);
      bytes = [];
    }
  }
  return [...merged, Buffer.concat(bytes)];
}

/** Returns an object with these members, in this order. */
export function toParts(members: Readonly<Record<string, readonly JsonPart[]>>): JsonParts {
  const pieces = Object.entries(members).flatMap(([name, value], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    ...value,
  ]);
  return mergeBytes([...pieces, Buffer.from('}')]) as [JsonBytes, ...JsonPart[]];
}

/** Merges the members of two objects. Neither may be empty, and their names must differ. */
export const joinParts = (first: JsonBytes, [second, ...rest]: JsonParts): JsonParts => [
  Buffer.concat([first.subarray(0, -1), Buffer.from(','), second.subarray(1)]),
  ...rest,
];

/** @throws Error if the answer contains a packed piece */
export function toBytes(parts: JsonParts): JsonBytes {
  if (!parts.every(isBytes)) throw new Error('a packed piece is no bytes');
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** Returns all pieces as one, for a reader that parses it. */
export const toWhole = async (parts: JsonParts): Promise<JsonBytes> =>
  Buffer.concat(await Promise.all(parts.map(part => (isBytes(part) ? part : unpackJson(part)))));

/** Yields large bytes in slices, one in each turn of the event loop. */
export async function* cut(bytes: JsonBytes): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += turnBytes) {
    if (at > 0) await setImmediate();
    yield bytes.subarray(at, at + turnBytes);
  }
}

/** Yields the pieces for a client without content codings. Packed ones are unpacked only when they are read. */
export async function* toPlainBytes(parts: PartSource): AsyncGenerator<Buffer> {
  for await (const part of parts) yield* isBytes(part) ? cut(part) : unpackInPieces(part);
}
