/** Messages between the store and the thread that has opened the file. */
import type { FaultCode } from '../../database/fault.ts';
import type { Statement } from '../../database/sql.ts';
import type { Salvaged } from '../fault.ts';
import type { Connection } from './connection.ts';

/** Operations of the thread on the file. */
export type FileOrders = Pick<Connection, 'rows' | 'write' | 'usedBytes' | 'reclaim' | 'close'> & {
  open(): void;
  packedRows(statement: Statement): Uint8Array;
};
export type FileOrder = keyof FileOrders;

export type Request = { number: number; name: FileOrder; args: readonly unknown[] };

export type StoreReply =
  | { number: number; outcome: unknown }
  | { number: number; fault: { code: FaultCode; message: string; detail: string | undefined } }
  | { event: 'moved_aside'; path: string; salvaged: Salvaged }
  | { event: 'file_gone' | 'copied'; path: string }
  | { event: 'not_copied'; path: string; reason: string };

export type ThreadSettings = { path: string; busyTimeoutMs: number };

/** Path of a temporary database, which is in memory. An unnamed file takes the data that exceed its cache. */
export const temporaryDatabase = '';
