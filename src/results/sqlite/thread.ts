/**
 * The thread that has the file open: `node:sqlite` is synchronous, and a disk can be slow. It opens the file when it is
 * needed, and again after whatever happened to it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type Connection, openConnection } from './connection.ts';
import { toSqliteFault } from './faults.ts';
import { createFlusher } from './flusher.ts';
import {
  type Order,
  type Outcome,
  type Reply,
  type Request,
  type ThreadSettings,
  temporaryDatabase,
} from './messages.ts';
import { moveAside } from './move-aside.ts';

const { path, busyTimeoutMs }: ThreadSettings = workerData;
const isLasting = path !== ':memory:' && path !== temporaryDatabase;

let connection: Connection | undefined;
let reader: Connection | undefined;
/**
 * Connections whose file has gone from its path. Closing one would remove the log beside that path, which belongs to
 * the next file by then.
 */
const abandoned: Connection[] = [];

const post = (reply: Reply, transfer: readonly ArrayBuffer[] = []) => parentPort?.postMessage(reply, [...transfer]);

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
  connection ??= openConnection(path, { busyTimeoutMs });
  // It sees nothing of what is written from now on.
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

/** For reading: what cannot be opened for writing may still be there to read. */
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

function perform(order: Order): Outcome {
  switch (order.order) {
    case 'open':
      connect();
      return undefined;
    case 'rows':
      return connectToRead().rows(order.statement);
    case 'packedRows':
      return new TextEncoder().encode(JSON.stringify(connectToRead().rows(order.statement)));
    case 'write':
      flusher.written();
      return connect().write(order.statements);
    case 'reclaim':
      return connect().reclaim();
    case 'close':
      flusher.stop();
      disconnect();
      return undefined;
  }
}

const replaceCorruptFile = (): void => {
  const wasCurrent = connection?.isCurrent() ?? true;
  // Named first and closed then: a close could write the log into a file that is damaged.
  const target = wasCurrent ? moveAside(path, Date.now()) : undefined;
  connection?.close();
  connection = undefined;
  reader = undefined;
  if (target !== undefined) post({ event: 'moved_aside', path: target });
};

function performOnSoundFile(order: Order): Outcome {
  try {
    return perform(order);
  } catch (error) {
    if (toSqliteFault(error, path).code !== 'corrupt') throw error;
    replaceCorruptFile();
    return perform(order);
  }
}

/** They came here to be written. This thread makes so little else that the collector would leave them for long. */
const freeBytesIn = (order: Order): void => {
  if (order.order !== 'write') return;
  for (const { values } of order.statements)
    for (const value of values) if (value instanceof Uint8Array) (value.buffer as ArrayBuffer).transfer(0);
};

const buffersIn = (outcome: Outcome): ArrayBuffer[] =>
  [outcome].flat(2).flatMap(value => (value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []));

parentPort?.on('message', ({ number, ...order }: Request) => {
  try {
    const outcome = performOnSoundFile(order as Order);
    post({ number, outcome }, buffersIn(outcome));
  } catch (error) {
    const { code, message } = toSqliteFault(error, path);
    // The next order opens it anew: only so is it seen that a file can be used again.
    if ((code === 'read_only' || code === 'unavailable') && isLasting) disconnect();
    post({ number, fault: { code, message } });
  }
  freeBytesIn(order as Order);
});
