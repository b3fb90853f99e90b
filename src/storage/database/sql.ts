/**
 * What the store asks of a database. The queries are the same for SQLite and PostgreSQL; each engine brings its tables,
 * its way to run a statement, and its faults.
 */

import { isStorableText } from '../../contract/fields.ts';
import { StoreFaultError } from './fault.ts';

export type SqlValue = string | number | null | Uint8Array;

/** Both engines refuse the same text, for the same reason. @throws StoreFaultError `invalid_input` */
export function assertStorable({ values }: Statement): void {
  if (values.every(value => typeof value !== 'string' || isStorableText(value))) return;
  throw new StoreFaultError('invalid_input', 'A text contains U+0000 or half of a surrogate pair.');
}

/** `?` stands for a value, in both engines. */
export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] };

/** The values of a row in the order of the columns that were asked for. */
export type Row = readonly SqlValue[];

/** All of it throws a StoreFaultError where the database cannot be used, and may succeed on the next call. */
export type SqlDatabase = {
  readonly engine: 'sqlite' | 'postgres';
  readonly location: string;
  /** The database's own time in milliseconds, as SQL; undefined where it has none but that of this process. */
  readonly nowSql?: string | undefined;
  /** Opens the database, and brings its tables up to date. Anything else does so too; this tells at the start. */
  open(): Promise<void>;
  rows(statement: Statement): Promise<readonly Row[]>;
  /** Rows without bytes in them, as JSON in UTF-8: for very many of them. */
  packedRows(statement: Statement): Promise<Uint8Array>;
  /** All or none of them, in one transaction; how many rows each has changed. */
  write(statements: readonly Statement[]): Promise<readonly number[]>;
  /** Bytes of the pages in use; undefined where only the database knows what its rows take. */
  usedBytes(): Promise<number | undefined>;
  /**
   * Returns a little of the room that removed rows have left to the file system; false when none is left.
   * @param logBytes how large the log may grow from now on
   */
  reclaim(logBytes?: number): Promise<boolean>;
  close(): Promise<void>;
};
