/** SQLite for the thread that serves requests: every statement is a message to the thread that has opened the file. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreFaultError } from '../../database/fault.ts';
import { assertStorable, type SqlDatabase, type SqlValue, type Statement } from '../../database/sql.ts';
import type { StoreEvent } from '../fault.ts';
import type { FileOrder, FileOrders, Request, StoreReply, ThreadSettings } from './messages.ts';

/** File of the thread, with the extension of this module: TypeScript in the checkout, JavaScript in the package. */
const threadFile = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);

/** Max wait for a lock, long enough for commits of another process and short enough for waiting readers. */
const usualBusyTimeoutMs = 500;

/** Copies bytes: the caller may reuse them, and a small view would prevent its whole buffer from being freed. */
const toOwnBytes = (value: SqlValue): SqlValue => (value instanceof Uint8Array ? new Uint8Array(value) : value);
/** @throws StoreFaultError `invalid_input` */
const toOwnStatement = (statement: Statement): Statement => {
  assertStorable(statement);
  return { ...statement, values: statement.values.map(toOwnBytes) };
};

const buffersIn = (statements: readonly Statement[]): ArrayBuffer[] =>
  statements.flatMap(({ values }) =>
    values.flatMap(value => (value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [])),
  );

export function createSqliteDatabase({
  path,
  busyTimeoutMs = usualBusyTimeoutMs,
  onReplaced = () => {},
}: {
  /** `:memory:` for a temporary database in memory; empty for a temporary one that may use an unnamed file. */
  path: string;
  busyTimeoutMs?: number | undefined;
  /** Called after an event that affects the file. The store may use another file from now on. */
  onReplaced?: (event: StoreEvent) => void;
}): SqlDatabase {
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let worker: Worker | undefined;
  let lastNumber = 0;
  let isClosed = false;

  const settle = (reply: StoreReply): void => {
    if ('event' in reply) {
      onReplaced(reply);
      return;
    }
    const { resolve, reject } = waiting.get(reply.number) ?? Promise.withResolvers<never>();
    waiting.delete(reply.number);
    if (waiting.size === 0) worker?.unref();
    if ('fault' in reply) reject(new StoreFaultError(reply.fault.code, reply.fault.message, reply.fault));
    else resolve(reply.outcome as never);
  };

  /**
   * Discards a thread that ended by itself, because it ran out of memory or had a bug. The next order starts another
   * one.
   */
  const abandon = (ended: Worker, detail: string): void => {
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of waiting.values())
      reject(new StoreFaultError('unavailable', 'The thread of the database ended.', { detail }));
    waiting.clear();
  };

  const start = (): Worker => {
    const started = new Worker(threadFile, { workerData: { path, busyTimeoutMs } satisfies ThreadSettings });
    started.on('message', settle);
    started.on('error', error => abandon(started, error.message));
    started.on('exit', () => abandon(started, path));
    return started;
  };

  const send = <Name extends FileOrder>(
    name: Name,
    args: Parameters<FileOrders[Name]>,
    transfer: ArrayBuffer[] = [],
  ): Promise<ReturnType<FileOrders[Name]>> => {
    if (isClosed) return Promise.reject(new StoreFaultError('closed', 'The store is closed.'));
    worker ??= start();
    lastNumber += 1;
    const reply = Promise.withResolvers<never>();
    waiting.set(lastNumber, reply);
    worker.ref();
    worker.postMessage({ number: lastNumber, name, args } satisfies Request, transfer);
    return reply.promise;
  };

  return {
    engine: 'sqlite',
    location: path,
    open: () => send('open', []),
    rows: async statement => send('rows', [toOwnStatement(statement)]),
    packedRows: async statement => send('packedRows', [toOwnStatement(statement)]),
    async write(statements) {
      const own = statements.map(toOwnStatement);
      return send('write', [own], buffersIn(own));
    },
    usedBytes: () => send('usedBytes', []),
    reclaim: logBytes => send('reclaim', [logBytes]),
    async close() {
      if (isClosed) return;
      const closing = worker && send('close', []).catch(() => {});
      isClosed = true;
      await closing;
      const ended = worker;
      worker = undefined;
      await ended?.terminate();
    },
  };
}
