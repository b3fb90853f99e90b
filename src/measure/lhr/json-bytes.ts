/**
 * JSON as UTF-8 bytes, assembled from parts that are JSON already. A Lighthouse result of up to 1.5 MB passes from the
 * worker or the cache to the client without being parsed or serialised.
 */
export type JsonBytes = Buffer;

const [open, close, comma] = [Buffer.from('{'), Buffer.from('}'), Buffer.from(',')];

/** Wraps bytes from another thread as a Buffer on the same memory. */
export const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): JsonBytes =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

export const toJson = (value: unknown): JsonBytes => Buffer.from(JSON.stringify(value));

const separate = (parts: readonly JsonBytes[]): JsonBytes[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));

/** Returns an object with these members, in this order. */
export const toObject = (members: Readonly<Record<string, JsonBytes>>): JsonBytes =>
  Buffer.concat([
    open,
    ...Object.entries(members).flatMap(([name, value], index) => [
      Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
      value,
    ]),
    close,
  ]);

/** Merges the members of two objects. Their names must differ. */
export function joinObjects(first: JsonBytes, second: JsonBytes): JsonBytes {
  const members = [first.subarray(1, -1), second.subarray(1, -1)].filter(bytes => bytes.length > 0);
  return Buffer.concat([open, ...separate(members), close]);
}
