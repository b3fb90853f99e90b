import { isUtf8 } from 'node:buffer';
import { bodyBounds, findExcess, type JsonBounds } from '../../contract/json-bounds.ts';

type Expected = 'value' | 'first item' | 'key' | 'first key' | 'colon' | 'separator';
type Closer = '}' | ']';
type PositionFault = { readonly fault: number };
type ParseStep = { readonly end: number; readonly next: Expected } | PositionFault;
type StepReader = (text: string, at: number, open: Closer[]) => ParseStep;

const BOM = '\ufeff';
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

const literalOrNumber = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const space = /[ \t\n\r]*/y;
const fourHexDigits = /[\da-fA-F]{4}/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings.
const plainText = /[^"\\\0-\x1f]*/y;

/**
 * Parses a JSON body within bounds. Returns its value, or the bound that it exceeds, or the position of its first fault
 * in code points, not counting a byte order mark. Invalid UTF-8 is a fault at the first bad byte, and takes precedence.
 * Never throws.
 */
export function parseJson(
  bytes: Buffer,
  bounds: JsonBounds = bodyBounds,
): { value: unknown } | { excess: string } | { faultPosition: number } {
  const excess = findExcess(bytes, bounds);
  if (excess !== undefined) return { excess };
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith(BOM) ? decoded.slice(1) : decoded;
  if (!isUtf8(bytes)) return { faultPosition: findUndecodable(bytes) - (decoded.length - text.length) };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { faultPosition: findJsonFault(text) ?? 0 };
  }
}

/**
 * Returns the position at which Python's `json.loads` (3.11 and 3.12) reports the first error: 0-based, in code points;
 * undefined for valid JSON. Unlike Python, and like `JSON.parse`, it refuses NaN and the infinities.
 */
export function findJsonFault(text: string): number | undefined {
  const fault = scan(text);
  return fault === undefined ? undefined : countCodePoints(text, fault);
}

// Open containers are stored in an array instead of the call stack, so that a million brackets cause no overflow.
function scan(text: string): number | undefined {
  const open: Closer[] = [];
  let expected: Expected = 'value';
  let at = skipSpace(text, 0);
  while (expected !== 'separator' || open.length > 0) {
    const step: ParseStep = readers[expected](text, at, open);
    if ('fault' in step) return step.fault;
    expected = step.next;
    at = skipSpace(text, step.end);
  }
  return at === text.length ? undefined : at;
}

const readers: Readonly<Record<Expected, StepReader>> = {
  value: readValue,
  'first item': (text, at, open) => (text[at] === ']' ? close(at, open) : readValue(text, at, open)),
  key: readKey,
  'first key': (text, at, open) => (text[at] === '}' ? close(at, open) : readKey(text, at)),
  colon: (text, at) => (text[at] === ':' ? { end: at + 1, next: 'value' } : { fault: at }),
  separator: readSeparator,
};

function readValue(text: string, at: number, open: Closer[]): ParseStep {
  const first = text[at];
  if (first === '"') return readString(text, at, 'separator');
  if (first === '{') {
    open.push('}');
    return { end: at + 1, next: 'first key' };
  }
  if (first === '[') {
    open.push(']');
    return { end: at + 1, next: 'first item' };
  }
  const end = endOfMatch(literalOrNumber, text, at);
  return end === undefined ? { fault: at } : { end, next: 'separator' };
}

function readKey(text: string, at: number): ParseStep {
  return text[at] === '"' ? readString(text, at, 'colon') : { fault: at };
}

function readSeparator(text: string, at: number, open: Closer[]): ParseStep {
  const closer = open.at(-1);
  if (text[at] === closer) return close(at, open);
  if (text[at] !== ',') return { fault: at };
  return { end: at + 1, next: closer === '}' ? 'key' : 'value' };
}

function close(at: number, open: Closer[]): ParseStep {
  open.pop();
  return { end: at + 1, next: 'separator' };
}

function readString(text: string, start: number, next: Expected): ParseStep {
  let at = start + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return { end: at + 1, next };
    if (character < ' ') return { fault: at };
    if (character !== '\\') at = endOfMatch(plainText, text, at) ?? at;
    else {
      const escaped = readEscape(text, at, start);
      if ('fault' in escaped) return escaped;
      at = escaped.end;
    }
  }
  return { fault: start };
}

function readEscape(text: string, at: number, start: number): { readonly end: number } | PositionFault {
  const kind = text[at + 1];
  if (kind === undefined) return { fault: start };
  if (kind !== 'u') return '"\\/bfnrt'.includes(kind) ? { end: at + 2 } : { fault: at };
  const end = endOfMatch(fourHexDigits, text, at + 2);
  // Python reports the escape instead of the string if the text ends right after the four digits.
  return end === undefined || end === text.length ? { fault: at + 1 } : { end };
}

function endOfMatch(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}

function skipSpace(text: string, at: number): number {
  return endOfMatch(space, text, at) ?? at;
}

function countCodePoints(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

const pieceBytes = 64 * 1024;
const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;

/** Returns the end of the pieces that are valid as a whole, and their number of code points. */
function skipDecodable(bytes: Buffer): { offset: number; position: number } {
  let position = 0;
  let offset = 0;
  for (;;) {
    let end = offset + pieceBytes;
    while (end > offset && isContinuation(bytes[end])) end -= 1;
    const piece = bytes.subarray(offset, end);
    if (piece.length === 0 || !isUtf8(piece)) return { offset, position };
    for (const byte of piece) if (!isContinuation(byte)) position += 1;
    offset = end;
  }
}

// Decoding replaces bad bytes with U+FFFD; the first one that the sender did not write is the fault.
function findUndecodable(bytes: Buffer): number {
  let { offset, position } = skipDecodable(bytes);
  for (const character of bytes.toString('utf8', offset, offset + 2 * pieceBytes)) {
    if (character === REPLACEMENT && !bytes.subarray(offset, offset + 3).equals(REPLACEMENT_BYTES)) break;
    offset += Buffer.byteLength(character);
    position += 1;
  }
  return position;
}
