/** The rows of the tables in a SQLite file, found and read without SQLite: see pages.ts. */
import { lockPage, type Pages, pageBytes } from './pages.ts';

/** What a page of a table is for: the types of the pointer map, which `auto_vacuum` keeps of every page. */
const mapType = { root: 1, free: 2, firstOverflow: 3, overflow: 4, tree: 5 } as const;
const mapped = pageBytes / 5;
const pagesPerMap = Math.floor(mapped) + 1;

const mapPageOf = (number: number): number => {
  const page = Math.floor((number - 2) / pagesPerMap) * pagesPerMap + 2;
  return page === lockPage ? page + 1 : page;
};

const leaf = 0x0d;
const interior = 0x05;
/** No table of ours is as deep: a circle of pointers in a damaged file is. */
const maxDepth = 20;

export type Leaves = {
  /** The numbers of the leaf pages of each table, by the number of its root page. */
  of(root: number): readonly number[];
  /** Pages of tables that are neither leaves nor what leads to them any more. */
  readonly damaged: number;
};

/** The first page starts with the header of the file. */
const headerAt = (number: number): number => (number === 1 ? 100 : 0);

/** Children of a page between the root and the leaves, in the order of their rows. */
function childrenOf(page: Buffer, offset: number): number[] {
  const cells = page.readUInt16BE(offset + 3);
  const children: number[] = [];
  for (let cell = 0; cell < cells; cell += 1) {
    const pointerAt = offset + 12 + 2 * cell;
    if (pointerAt + 2 > pageBytes) return children;
    const at = page.readUInt16BE(pointerAt);
    if (at + 4 <= pageBytes) children.push(page.readUInt32BE(at));
  }
  return [...children, page.readUInt32BE(offset + 8)];
}

/**
 * Finds the leaf pages of tables from their roots down, and where the way is cut from the leaves up by the pointer map:
 * a damaged page costs what it holds itself.
 */
export function findLeaves(pages: Pages, roots: readonly number[]): Leaves {
  const found = new Map<number, number[]>(roots.map(root => [root, []]));
  const seen = new Set<number>();
  let damaged = 0;

  const maps = new Map<number, Buffer | undefined>();
  const readMap = (number: number): Buffer | undefined => {
    if (!maps.has(number)) maps.set(number, pages.page(number));
    return maps.get(number);
  };
  const typeOf = (number: number): { type: number; parent: number } | undefined => {
    const mapPage = mapPageOf(number);
    const map = number >= 3 && mapPage !== number ? readMap(mapPage) : undefined;
    if (!map) return undefined;
    const at = 5 * (number - mapPage - 1);
    return { type: map.readUInt8(at), parent: map.readUInt32BE(at + 1) };
  };

  /** A damaged pointer may lead to any page. A damaged map says nothing. */
  const isChildOf = (number: number, parent: number): boolean => {
    const entry = typeOf(number);
    if (entry?.type === mapType.tree) return entry.parent === parent;
    return entry === undefined || entry.type < mapType.root || entry.type > mapType.tree;
  };

  const walkChildren = (page: Buffer, number: number, root: number, depth: number): void => {
    for (const child of childrenOf(page, headerAt(number))) if (isChildOf(child, number)) walk(child, root, depth + 1);
  };
  const walk = (number: number, root: number, depth: number): void => {
    const page = seen.has(number) || depth > maxDepth ? undefined : pages.page(number);
    if (page === undefined) return;
    seen.add(number);
    const type = page.readUInt8(headerAt(number));
    if (type === leaf) found.get(root)?.push(number);
    else if (type === interior) walkChildren(page, number, root, depth);
    else damaged += 1;
  };
  for (const root of roots) walk(root, root, 0);

  const rootOf = (number: number): number | undefined => {
    let at = number;
    for (let depth = 0; depth < maxDepth; depth += 1) {
      if (found.has(at)) return at;
      const entry = typeOf(at);
      if (entry?.type !== mapType.tree) return undefined;
      at = entry.parent;
    }
    return undefined;
  };
  for (let number = 3; number <= pages.count; number += 1) {
    if (seen.has(number) || typeOf(number)?.type !== mapType.tree) continue;
    const root = rootOf(number);
    if (root !== undefined) walk(number, root, 1);
  }
  return { of: root => found.get(root) ?? [], damaged };
}

const maxLocal = pageBytes - 35;
const minLocal = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
/** The largest row of ours is a result of 32 MB. */
const maxPayload = 64 * 1024 * 1024;

function readVarint(data: Buffer, from: number): [value: number, next: number] {
  let value = 0n;
  for (let at = from; at < from + 8; at += 1) {
    const byte = data.readUInt8(at);
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return [Number(value), at + 1];
  }
  return [Number((value << 8n) | BigInt(data.readUInt8(from + 8))), from + 9];
}

class DamagedRowError extends Error {}

/** How much of a row stands in its leaf. */
function localBytes(size: number): number {
  if (size <= maxLocal) return size;
  const least = minLocal + ((size - minLocal) % (pageBytes - 4));
  return least <= maxLocal ? least : minLocal;
}

/** What can be read of a row's bytes: all of them, or those before the first damaged page. */
function readPayload(pages: Pages, page: Buffer, from: number, size: number): Buffer {
  const local = localBytes(size);
  if (size > maxPayload || from + local > pageBytes) throw new DamagedRowError();
  const pieces = [page.subarray(from, from + local)];
  let left = size - local;
  let next = left > 0 ? page.readUInt32BE(from + local) : 0;
  while (left > 0) {
    const overflow = next > 2 ? pages.page(next) : undefined;
    if (!overflow) break;
    const taken = Math.min(left, pageBytes - 4);
    next = overflow.readUInt32BE(0);
    left -= taken;
    // A page that leads nowhere, or on behind the end, is damaged itself.
    if (left > 0 ? pages.page(next) === undefined : next !== 0) break;
    pieces.push(overflow.subarray(4, 4 + taken));
  }
  return Buffer.concat(pieces);
}

type Value = null | number | bigint | string | Uint8Array;

const intBytes = [0, 1, 2, 3, 4, 6, 8];

function readInteger(data: Buffer, at: number, bytes: number): number | bigint {
  if (bytes < 8) return data.readIntBE(at, bytes);
  const value = data.readBigInt64BE(at);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** How many bytes a value of a type has, as the header of a row says it. */
const lengthOf = (type: number): number => {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return type === 7 ? 8 : (intBytes[type] ?? 0);
};

function readValue(type: number, bytes: Buffer): Value {
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  if (type === 10 || type === 11) throw new DamagedRowError();
  if (type < 12) return readInteger(bytes, 0, bytes.length);
  return type % 2 === 0 ? bytes : utf8.decode(bytes);
}

/** The values of a row, up to the first one that is not there as a whole. */
function readValues(payload: Buffer, size: number): Value[] {
  const [headerBytes, first] = readVarint(payload, 0);
  const values: Value[] = [];
  let at = headerBytes;
  let header = first;
  while (header < headerBytes) {
    const [type, next] = readVarint(payload, header);
    header = next;
    const end = at + lengthOf(type);
    if (end > size) throw new DamagedRowError();
    if (end > payload.length) return values;
    values.push(readValue(type, payload.subarray(at, end)));
    at = end;
  }
  if (at !== size) throw new DamagedRowError();
  return values;
}

/** `isWhole`: false when damage cuts the last values off. */
export type PageRow = { rowid: number; values: readonly Value[]; isWhole: boolean };

/** The rows of a leaf page, and how many of its rows cannot be read. */
export function readRows(pages: Pages, number: number): { rows: PageRow[]; lost: number } {
  const page = pages.page(number);
  const offset = headerAt(number);
  const rows: PageRow[] = [];
  let lost = 0;
  const cells = page?.readUInt16BE(offset + 3) ?? 0;
  for (let cell = 0; page && cell < cells; cell += 1) {
    const pointerAt = offset + 8 + 2 * cell;
    if (pointerAt + 2 > pageBytes) break;
    try {
      const [size, rowidAt] = readVarint(page, page.readUInt16BE(pointerAt));
      const [rowid, from] = readVarint(page, rowidAt);
      const payload = readPayload(pages, page, from, size);
      rows.push({ rowid, values: readValues(payload, size), isWhole: payload.length === size });
    } catch {
      // Whatever a damaged row makes of the steps above, it is not readable.
      lost += 1;
    }
  }
  return { rows, lost };
}
