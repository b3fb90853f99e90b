/**
 * Bounds of JSON from outside, checked by counting before anything parses it. Parsing costs far more than counting:
 * 14 million `{}` are 44 MB of text and 900 MB of objects, which exceed the heap inside `JSON.parse` and end the process.
 */
import { mostJobUrls } from './names.ts';

export type JsonBounds = {
  /** Max nesting of lists and objects. */
  readonly depth: number;
  /** Max number of values: items of lists, and members of objects. */
  readonly values: number;
  /** Max number of members of objects, which cost more than items; unlimited by default. */
  readonly members?: number;
};

/** Bounds of request bodies: the longest list of URLs fits, and the largest experiment, which has 1,200 members. */
export const bodyBounds: JsonBounds = { depth: 32, values: mostJobUrls + 1000, members: 2000 };

/** Bounds of Lighthouse results: those of PSI are 13 levels deep. The most expensive JSON parses in a second. */
export const resultBounds: JsonBounds = { depth: 64, values: 500_000 };

/** Bounds of a stored network log. A request has ten messages with about 60 values each: enough for 3,000 requests. */
export const networkLogBounds: JsonBounds = { depth: 64, values: 2_000_000 };
export const maxNetworkLogBytes = 30_000_000;

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
/** By byte: the change of the nesting, and the number of values. A list counts as its items and one. */
const nesting = new Int8Array(256);
const counted = new Uint8Array(256);
for (const opener of [0x5b, 0x7b]) nesting[opener] = counted[opener] = 1;
for (const closer of [0x5d, 0x7d]) nesting[closer] = -1;
counted[0x2c] = 1;

const sayCount = (count: number): string => count.toLocaleString('en-US');

function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

/** Says which bound some JSON exceeds, valid or not; undefined if it exceeds none. @param json UTF-8 */
export function findExcess(json: Uint8Array, bounds: JsonBounds): string | undefined {
  const { members: mostMembers = Number.POSITIVE_INFINITY } = bounds;
  let depth = 0;
  let values = 1;
  let members = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === quote) at = endOfText(json, at);
    depth += nesting[byte] ?? 0;
    values += counted[byte] ?? 0;
    if (byte === colon) members += 1;
    if (members > mostMembers) return `its objects have more than ${sayCount(mostMembers)} fields`;
    if (depth > bounds.depth) return `it is nested more than ${bounds.depth} levels deep`;
    if (values > bounds.values) return `it has more than ${sayCount(bounds.values)} values`;
  }
  return undefined;
}
