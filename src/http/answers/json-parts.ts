import type { JsonBytes } from '../../measure/lhr/json-bytes.ts';
import { type PackedJson, unpackInPieces, unpackJson } from '../../measure/lhr/packed-json.ts';

/** A piece of an answer: JSON as bytes, or a large result as it is stored. */
export type JsonPart = JsonBytes | PackedJson;

/** One object of JSON in pieces, in their order. The first ones are bytes: a packed piece is the value of a member. */
export type JsonParts = readonly [JsonBytes, ...JsonPart[]];

/** Pieces that are there, or come one after the other. */
export type PartSource = Iterable<JsonPart> | AsyncIterable<JsonPart>;

export const isBytes = (part: JsonPart): part is JsonBytes => Buffer.isBuffer(part);

/** The same with one piece where bytes stand next to each other. */
export function mergeBytes(parts: readonly JsonPart[]): JsonPart[] {
  const merged: JsonPart[] = [];
  let bytes: JsonBytes[] = [];
  for (const part of parts) {
    if (isBytes(part)) bytes.push(part);
    else {
      merged.push(Buffer.concat(bytes), part);
      bytes = [];
    }
  }
  return [...merged, Buffer.concat(bytes)];
}

/** An object of these members, in this order. */
export function toParts(members: Readonly<Record<string, readonly JsonPart[]>>): JsonParts {
  const pieces = Object.entries(members).flatMap(([name, value], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    ...value,
  ]);
  return mergeBytes([...pieces, Buffer.from('}')]) as [JsonBytes, ...JsonPart[]];
}

/** The members of both objects in one. Neither may be empty, or have a name of the other's. */
export const joinParts = (first: JsonBytes, [second, ...rest]: JsonParts): JsonParts => [
  Buffer.concat([first.subarray(0, -1), Buffer.from(','), second.subarray(1)]),
  ...rest,
];

/** @throws Error for an answer with a packed piece */
export function toBytes(parts: JsonParts): JsonBytes {
  if (!parts.every(isBytes)) throw new Error('a packed piece is no bytes');
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** All of it in one piece, for a reader that parses it. */
export const toWhole = async (parts: JsonParts): Promise<JsonBytes> =>
  Buffer.concat(await Promise.all(parts.map(part => (isBytes(part) ? part : unpackJson(part)))));

/** The pieces as they go to a client that reads no coding: nothing is unpacked before it is read. */
export async function* toPlainBytes(parts: PartSource): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    if (isBytes(part)) yield part;
    else yield* unpackInPieces(part);
  }
}
