/**
 * Pages of a SQLite file, read without SQLite: a damaged file page by page, and its log (`-wal`) frame by frame.
 * https://www.sqlite.org/fileformat2.html
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Size of every page: see connection.ts. */
export const pageBytes = 8192;
const frameHeaderBytes = 24;
const frameBytes = frameHeaderBytes + pageBytes;
const logHeaderBytes = 32;
/** Number of the page with the byte at 1 GiB, which is for locks and contains no data. */
export const lockPage = 0x4000_0000 / pageBytes + 1;

export type Pages = {
  readonly count: number;
  /** Returns undefined for the lock page, and for a number outside the file and its log. */
  page(number: number): Buffer | undefined;
  close(): void;
};

type Checksum = readonly [number, number];

/** @param isBig whether the words of the data are big-endian */
function checksum(data: Buffer, [first, second]: Checksum, isBig: boolean): Checksum {
  let a = first;
  let b = second;
  for (let at = 0; at < data.length; at += 8) {
    a = (a + (isBig ? data.readUInt32BE(at) : data.readUInt32LE(at)) + b) >>> 0;
    b = (b + (isBig ? data.readUInt32BE(at + 4) : data.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

const isBigEndian = (header: Buffer): boolean => (header.readUInt32BE(0) & 1) === 1;
const isSame = (one: Checksum, other: Checksum): boolean => one[0] === other[0] && one[1] === other[1];
const pairAt = (data: Buffer, at: number): Checksum => [data.readUInt32BE(at), data.readUInt32BE(at + 4)];

function readAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, at + done);
    if (read === 0) return bytes.subarray(0, done);
    done += read;
  }
  return bytes;
}

type Log = {
  /** Offset of the newest intact image of each page in the log. */
  pages: Map<number, number>;
  /** Number of pages according to the last commit; 0 without one. */
  count: number;
  isDamaged: boolean;
};

/**
 * Returns the salts of the log, which mark the frames that belong to it. If the header is damaged, they come from the
 * first frames.
 */
function readSalts(file: number, header: Buffer): { salts: Checksum; isIntact: boolean } | undefined {
  if (header.length < logHeaderBytes) return undefined;
  if (isSame(checksum(header.subarray(0, 24), [0, 0], isBigEndian(header)), pairAt(header, 24)))
    return { salts: pairAt(header, 16), isIntact: true };
  const salts = [0, 1, 2].map(frame => readAt(file, logHeaderBytes + frame * frameBytes, frameHeaderBytes));
  const found = salts.filter(frame => frame.length === frameHeaderBytes).map(frame => pairAt(frame, 8));
  const agreed = found.find((one, at) => found.some((other, to) => to > at && isSame(one, other)));
  return agreed && { salts: agreed, isIntact: false };
}

function* readFrames(file: number): Generator<{ header: Buffer; data: Buffer; dataAt: number }> {
  const size = fstatSync(file).size;
  for (let at = logHeaderBytes; at + frameBytes <= size; at += frameBytes) {
    const frame = readAt(file, at, frameBytes);
    if (frame.length < frameBytes) return;
    const header = frame.subarray(0, frameHeaderBytes);
    yield { header, data: frame.subarray(frameHeaderBytes), dataAt: at + frameHeaderBytes };
  }
}

/**
 * Reads all intact frames. SQLite stops at the first damaged one, but here each frame is checked separately, starting
 * from the checksum of the previous frame.
 */
function readLog(file: number): Log {
  const log: Log = { pages: new Map(), count: 0, isDamaged: false };
  const first = readAt(file, 0, logHeaderBytes);
  const known = readSalts(file, first);
  if (!known) return log;
  const isBig = known.isIntact && isBigEndian(first);
  let seed: Checksum | undefined = known.isIntact ? pairAt(first, 24) : undefined;
  let isDamaged = !known.isIntact;
  /** Pages of the transaction that is not committed yet. */
  let pending: [page: number, at: number][] = [];

  const commit = (count: number): void => {
    for (const [page, at] of pending) log.pages.set(page, at);
    pending = [];
    log.count = count;
    // Damage after the last commit does not matter, because those frames were never committed.
    log.isDamaged = isDamaged;
  };

  for (const { header, data, dataAt } of readFrames(file)) {
    const isOfLog = isSame(pairAt(header, 8), known.salts);
    const stored = pairAt(header, 16);
    const isIntact =
      isOfLog && (!seed || isSame(checksum(data, checksum(header.subarray(0, 8), seed, isBig), isBig), stored));
    if (isIntact) pending.push([header.readUInt32BE(0), dataAt]);
    else isDamaged = true;
    seed = isOfLog ? stored : undefined;
    const count = isOfLog ? header.readUInt32BE(4) : 0;
    if (count > 0) commit(count);
  }
  return log;
}

/** Opens a file and reads pages from its log if they are newer, as SQLite does. */
export function openPages(path: string): Pages {
  const file = openSync(path, 'r');
  const logFile = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, 'r') : undefined;
  const log = logFile === undefined ? undefined : readLog(logFile);
  const inFile = Math.floor(fstatSync(file).size / pageBytes);
  const count = Math.max(inFile, log?.count ?? 0);
  return {
    count,
    page(number) {
      const inLog = log?.pages.get(number);
      if (inLog !== undefined && logFile !== undefined) return readAt(logFile, inLog, pageBytes);
      if (number < 1 || number > inFile || number === lockPage) return undefined;
      return readAt(file, (number - 1) * pageBytes, pageBytes);
    },
    close() {
      closeSync(file);
      if (logFile !== undefined) closeSync(logFile);
    },
  };
}

/**
 * Returns whether frames before the last commit of the log are damaged. SQLite would stop there, and lose the later
 * ones.
 */
export function isLogDamaged(path: string): boolean {
  if (!existsSync(`${path}-wal`)) return false;
  const file = openSync(`${path}-wal`, 'r');
  try {
    return readLog(file).isDamaged;
  } finally {
    closeSync(file);
  }
}
