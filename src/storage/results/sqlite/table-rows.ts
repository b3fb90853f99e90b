/** Finds and reads the rows of the tables in a SQLite file without SQLite: see pages.ts. */
import { lockPage, type Pages, pageBytes } from './pages.ts';

/** Types of pages in the pointer map, which `auto_vacuum` maintains for every page. */
const mapType = { root: 1, free: 2, firstOverflow: 3, overflow: 4, tree: 5 } as const;
const mapped = pageBytes / 5;
const pagesPerMap = Math.floor(mapped) + 1;

const mapPageOf = (number: number): number => {
  const page = Math.floor((number - 2) / pagesPerMap) * pagesPerMap + 2;
  return page === lockPage ? page + 1 : page;
};

const leaf = 0x0d;
const interior = 0x05;
/**
 * Max depth of a table, which exceeds that of any table of this service. A damaged file may contain a cycle of
 * pointers.
 */
const maxDepth = 20;

export type Leaves = {
  /** Returns the numbers of a table's leaf pages, by the number of its root page. */
  of(root: number): readonly number[];
  /** Number of table pages that are no longer recognisable as leaf or interior pages. */
  readonly damaged: number;
};

/** Returns the offset of a page's header. On the first page, it follows the header of the file. */
const headerAt = (number: number): number => (number === 1 ? 100 : 0);

/** Returns the children of an interior page, in the order of their rows. */
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
 * Finds the leaf pages of tables: from their roots down and, if a page in between is damaged, from the leaves up by the
 * pointer map. A damaged page loses only its own content.
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

  /**
   * Returns whether the pointer map agrees with a pointer, because a damaged pointer may lead anywhere. A damaged map
   * proves nothing.
   */
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
/** Max size of a row. It exceeds that of any row, because results have at most 32 MB. */
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

/** Returns how many bytes of a row are in its leaf page. */
function localBytes(size: number): number {
  if (size <= maxLocal) return size;
  const least = minLocal + ((size - minLocal) % (pageBytes - 4));
  return least <= maxLocal ? least : minLocal;
}

/** Returns the readable bytes of a row: all of them, or those before the first damaged page. */
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
    // A page with an invalid next page, or with a next page after the end, is damaged itself.
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

/** Returns the length of a value by its type in the header of the row. */
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

/** Returns the values of a row, up to the first incomplete one. */
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

/** A row. `isWhole` is false if the last values are lost to damage. */
export type PageRow = { rowid: number; values: readonly Value[]; isWhole: boolean };

/** Returns the rows of a leaf page, and the number of its unreadable rows. */
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
      // The row is unreadable if any step above fails.
      lost += 1;
    }
  }
  return { rows, lost };
}
