/** What goes between the store and the thread that has the file open. */
import type { FaultCode } from '../fault.ts';
import type { Row, Statement } from '../sql/database.ts';

export type Order =
  | { order: 'open' }
  | { order: 'rows'; statement: Statement }
  | { order: 'packedRows'; statement: Statement }
  | { order: 'write'; statements: readonly Statement[] }
  | { order: 'reclaim' }
  | { order: 'close' };

export type Outcome = readonly Row[] | readonly number[] | Uint8Array | boolean | undefined;

export type Request = { number: number } & Order;

export type Reply =
  | { number: number; outcome: Outcome }
  | { number: number; fault: { code: FaultCode; message: string } }
  | { event: 'moved_aside' | 'file_gone'; path: string };

export type ThreadSettings = { path: string; busyTimeoutMs: number };

/** The path of one that ends with the process: in memory, and what its cache cannot hold in a file without a name. */
export const temporaryDatabase = '';
