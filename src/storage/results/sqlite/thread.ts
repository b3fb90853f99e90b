/**
 * The thread that opens the file, because `node:sqlite` is synchronous and a disk can be slow. It opens the file on
 * demand, and again after any fault.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { StoreFaultError } from '../../database/fault.ts';
import type { Statement } from '../../database/sql.ts';
import { replaceDamagedFile } from './check-file.ts';
import { type Connection, lockFile, openConnection } from './connection.ts';
import { toSqliteFault } from './faults.ts';
import { createFlusher } from './flusher.ts';
import { type FileOrders, type Request, type StoreReply, type ThreadSettings, temporaryDatabase } from './messages.ts';

const { path, busyTimeoutMs }: ThreadSettings = workerData;
const isLasting = path !== ':memory:' && path !== temporaryDatabase;

let connection: Connection | undefined;
let reader: Connection | undefined;
/**
 * Connections to files that were removed from their path. They are not closed, because that would remove the log next
 * to the path, which now belongs to the next file.
 */
const abandoned: Connection[] = [];

const post = (reply: StoreReply, transfer: readonly ArrayBuffer[] = []) =>
  parentPort?.postMessage(reply, [...transfer]);

const disconnect = (): void => {
  const open = [connection, reader].filter(one => one !== undefined);
  connection = undefined;
  reader = undefined;
  for (const one of open)
    if (one.isCurrent()) one.close();
    else abandoned.push(one);
};

const connect = (): Connection => {
  if (connection && !connection.isCurrent()) {
    disconnect();
    post({ event: 'file_gone', path });
  }
  connection ??= openConnection(path, { busyTimeoutMs, onCopy: post });
  // The reader does not see later writes.
  reader?.close();
  reader = undefined;
  return connection;
};

const flusher = createFlusher({
  path: isLasting ? path : undefined,
  flush() {
    if (connection?.isCurrent()) connection.flush();
  },
});

/** Connects for reading, which may work even if the file cannot be opened for writing. */
const connectToRead = (): Connection => {
  if (reader?.isCurrent()) return reader;
  reader = undefined;
  try {
    return connect();
  } catch (error) {
    const { code } = toSqliteFault(error, path);
    if (!isLasting || (code !== 'read_only' && code !== 'disk_full' && code !== 'unavailable')) throw error;
    reader = openConnection(path, { busyTimeoutMs, readOnly: true });
    return reader;
  }
};

const orders: FileOrders = {
  open: () => void connect(),
  rows: statement => connectToRead().rows(statement),
  packedRows: statement => new TextEncoder().encode(JSON.stringify(connectToRead().rows(statement))),
  write(statements) {
    flusher.written();
    return connect().write(statements);
  },
  usedBytes: () => connectToRead().usedBytes(),
  reclaim: logBytes => connect().reclaim(logBytes),
  close() {
    flusher.stop();
    disconnect();
  },
};

const perform = ({ name, args }: Request): unknown =>
  (orders[name] as (...args: readonly unknown[]) => unknown)(...args);

/** Max number of replacements within an hour, because repeated damage would fill the disk with damaged files. */
const mostReplacements = 10;
const hourMs = 60 * 60_000;
let replacedAtMs: number[] = [];

/** Locks the file, so that other processes wait. If it cannot be opened at all, no process can write to it. */
function lockDamagedFile(): { release(): void } | undefined {
  try {
    const lock = lockFile(path, busyTimeoutMs);
    locks.push(lock);
    return lock;
  } catch (error) {
    if (toSqliteFault(error, path).code !== 'corrupt') throw error;
    return undefined;
  }
}
/** Locks that are never closed: see `lockFile`. */
const locks: { release(): void }[] = [];

/** Replaces the damaged file. @returns whether another file is now in use */
function replaceDamaged(): boolean {
  if (!isLasting) {
    disconnect();
    return true;
  }
  replacedAtMs = replacedAtMs.filter(at => performance.now() - at < hourMs);
  if (replacedAtMs.length >= mostReplacements) return false;
  const lock = lockDamagedFile();
  try {
    if (connection?.isCurrent() !== false) {
      replacedAtMs.push(performance.now());
      const replaced = replaceDamagedFile(path, Date.now());
      if (replaced) post({ event: 'moved_aside', path: replaced.aside, salvaged: replaced.salvaged });
    }
    // The file now has a different name. Closing it later would write its log into it.
    disconnect();
    return true;
  } finally {
    lock?.release();
  }
}

/** @throws the error of the order, if the file cannot be replaced */
function replaceOrThrow(error: unknown): void {
  try {
    if (replaceDamaged()) return;
  } catch (failure) {
    // Reading the file has released the locks of this process on it.
    disconnect();
    const { code, message, detail } = toSqliteFault(failure, path);
    if (code === 'locked') throw failure;
    const found = toSqliteFault(error, path);
    throw new StoreFaultError('corrupt', `${found.message} It cannot be replaced: ${message}`, {
      detail: `${found.detail}; ${detail}`,
    });
  }
  throw error;
}

function performOnSoundFile(order: Request): unknown {
  try {
    return perform(order);
  } catch (error) {
    if (toSqliteFault(error, path).code !== 'corrupt') throw error;
    replaceOrThrow(error);
    return perform(order);
  }
}

/**
 * Frees the bytes of an order immediately. This thread allocates so little else that the garbage collector would free
 * them much later.
 */
const freeBytesIn = ({ name, args: [statements] }: Request): void => {
  if (name !== 'write') return;
  for (const { values } of statements as readonly Statement[])
    for (const value of values) if (value instanceof Uint8Array) (value.buffer as ArrayBuffer).transfer(0);
};

const buffersIn = (outcome: unknown): ArrayBuffer[] =>
  [outcome].flat(2).flatMap(value => (value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []));

parentPort?.on('message', (order: Request) => {
  const { number } = order;
  try {
    const outcome = performOnSoundFile(order);
    post({ number, outcome }, buffersIn(outcome));
  } catch (error) {
    const { code, message, detail } = toSqliteFault(error, path);
    // The next order opens the file again, to notice when it is usable again.
    if ((code === 'read_only' || code === 'unavailable') && isLasting) disconnect();
    post({ number, fault: { code, message, detail } });
  }
  freeBytesIn(order);
});
