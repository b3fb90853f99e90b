/**
 * Generates a `libsqlite3.so.0` for the bundled browser, whose package lacks it. Without it, the browser's certificate
 * library cannot be loaded, and the browser crashes at the first https page. The library would only store a certificate
 * database in the home folder, which is empty in each audit. Therefore opening a database always fails here, which the
 * certificate library accepts. The file is an ELF shared object for x86-64, generated because no package contains a
 * shared SQLite and a machine may lack a compiler. Layout: System V ABI, chapters 4 and 5: one segment of code and
 * tables, one of data.
 */

/** Return values of the functions: 1 (SQLITE_ERROR) if they open a database or run a statement, otherwise 0. */
const answers = {
  sqlite3_open_v2: 1,
  sqlite3_bind_blob: 1,
  sqlite3_bind_int: 1,
  sqlite3_bind_text: 1,
  sqlite3_exec: 1,
  sqlite3_file_control: 1,
  sqlite3_prepare_v2: 1,
  sqlite3_step: 1,
  sqlite3_busy_timeout: 0,
  sqlite3_close: 0,
  sqlite3_column_blob: 0,
  sqlite3_column_bytes: 0,
  sqlite3_column_count: 0,
  sqlite3_column_int: 0,
  sqlite3_column_name: 0,
  sqlite3_column_text: 0,
  sqlite3_finalize: 0,
  sqlite3_free: 0,
  sqlite3_mprintf: 0,
  sqlite3_reset: 0,
} as const;

/** Name of the only variable: a null pointer. */
const variable = 'sqlite3_temp_directory';

export const standInName = 'libsqlite3.so.0';
export const standInSymbols: readonly string[] = [...Object.keys(answers), variable];

const page = 0x1000;
const sizes = { header: 64, segment: 56, symbol: 24, function: 6 };
const segmentType = { load: 1, dynamic: 2, stack: 0x6474e551 };
const tag = { end: 0, hash: 4, strings: 5, symbols: 6, stringsSize: 10, symbolSize: 11, ownName: 14 };
const access = { execute: 1, write: 2, read: 4 };
const globalFunction = 0x12;
const globalVariable = 0x11;

/** Encodes numbers as 8 little-endian bytes each. */
const words64 = (...values: number[]): Buffer => Buffer.from(BigUint64Array.from(values.map(BigInt)).buffer);
/** Encodes numbers as 4 little-endian bytes each. */
const words32 = (...values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);

/**
 * Machine code of `mov eax, answer; ret`. It also clears the upper half of the register, so that 0 is the null pointer
 * too.
 */
const functionCode = (answer: number): Buffer => Buffer.concat([Buffer.of(0xb8), words32(answer), Buffer.of(0xc3)]);

interface ElfSegment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly size: number;
}

const segmentHeader = ({ type, flags, offset, size }: ElfSegment): Buffer =>
  Buffer.concat([
    words32(type, flags),
    words64(offset, offset, offset, size, size, type === segmentType.load ? page : 8),
  ]);

const symbolEntry = (name: number, info: number, address: number, size: number): Buffer =>
  Buffer.concat([words32(name), Buffer.of(info, 0, 1, 0), words64(address, size)]);

/** ELF header: shared object, x86-64, 4 segments, no sections. */
const fileHeader = (): Buffer =>
  Buffer.concat([
    Buffer.from('\x7fELF\x02\x01\x01'.padEnd(16, '\0'), 'latin1'),
    Buffer.from(Uint16Array.of(3, 62).buffer),
    words32(1),
    words64(0, sizes.header, 0),
    words32(0),
    Buffer.from(Uint16Array.of(sizes.header, sizes.segment, 4, 64, 0, 0).buffer),
  ]);

/** Hash table with one bucket that links all symbols, because there are few. */
const hashTable = (symbols: number): Buffer =>
  words32(1, symbols, 1, 0, ...Array.from({ length: symbols - 1 }, (_, i) => (i + 2) % symbols));

/** Returns the bytes of the library. */
export function sqliteStandIn(): Buffer {
  const names = [...standInSymbols, standInName];
  const strings = Buffer.from(`\0${names.join('\0')}\0`);
  const nameAt = (name: string) => strings.indexOf(`\0${name}\0`) + 1;

  const code = Buffer.concat(Object.values(answers).map(functionCode));
  const hash = hashTable(standInSymbols.length + 1);
  const codeAt = sizes.header + 4 * sizes.segment;
  const stringsAt = codeAt + code.length;
  const hashAt = Math.ceil((stringsAt + strings.length) / 8) * 8;
  const symbolsAt = Math.ceil((hashAt + hash.length) / 8) * 8;
  const symbols = Buffer.concat([
    Buffer.alloc(sizes.symbol),
    ...Object.keys(answers).map((name, i) =>
      symbolEntry(nameAt(name), globalFunction, codeAt + i * sizes.function, sizes.function),
    ),
    symbolEntry(nameAt(variable), globalVariable, page, 8),
  ]);

  const dynamicAt = page + 8;
  const dynamic = words64(
    ...[tag.ownName, nameAt(standInName), tag.hash, hashAt, tag.strings, stringsAt, tag.symbols, symbolsAt],
    ...[tag.stringsSize, strings.length, tag.symbolSize, sizes.symbol, tag.end, 0],
  );
  const data = { flags: access.read | access.write };
  const segments: ElfSegment[] = [
    { type: segmentType.load, flags: access.read | access.execute, offset: 0, size: symbolsAt + symbols.length },
    { type: segmentType.load, ...data, offset: page, size: 8 + dynamic.length },
    { type: segmentType.dynamic, ...data, offset: dynamicAt, size: dynamic.length },
    { type: segmentType.stack, ...data, offset: 0, size: 0 },
  ];

  const file = Buffer.alloc(dynamicAt + dynamic.length);
  Buffer.concat([fileHeader(), ...segments.map(segmentHeader), code, strings]).copy(file);
  hash.copy(file, hashAt);
  symbols.copy(file, symbolsAt);
  dynamic.copy(file, dynamicAt);
  return file;
}
