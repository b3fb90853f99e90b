/** Messages between the store and the thread that has opened the file. */
import type { FaultCode } from '../../database/fault.ts';
import type { SqlRow, Statement } from '../../database/sql.ts';
import type { Salvaged } from '../fault.ts';

export type Order =
  | { order: 'open' }
  | { order: 'rows'; statement: Statement }
  | { order: 'packedRows'; statement: Statement }
  | { order: 'write'; statements: readonly Statement[] }
  | { order: 'usedBytes' }
  | { order: 'reclaim'; logBytes: number | undefined }
  | { order: 'close' };

export type OrderOutcome = readonly SqlRow[] | readonly number[] | Uint8Array | boolean | number | undefined;

export type Request = { number: number } & Order;

export type StoreReply =
  | { number: number; outcome: OrderOutcome }
  | { number: number; fault: { code: FaultCode; message: string; detail: string | undefined } }
  | { event: 'moved_aside'; path: string; salvaged: Salvaged }
  | { event: 'file_gone' | 'copied'; path: string }
  | { event: 'not_copied'; path: string; reason: string };

export type ThreadSettings = { path: string; busyTimeoutMs: number };

/** Path of a temporary database, which is in memory. An unnamed file takes the data that exceed its cache. */
export const temporaryDatabase = '';
