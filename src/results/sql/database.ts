/**
 * What the store asks of a database. The queries are the same for SQLite and PostgreSQL; each engine brings its tables,
 * its way to run a statement, and its faults.
 */

export type SqlValue = string | number | null | Uint8Array;

/** `?` stands for a value, in both engines. */
export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] };

/** The values of a row in the order of the columns that were asked for. */
export type Row = readonly SqlValue[];

/** All of it throws a StoreFaultError where the database cannot be used, and may succeed on the next call. */
export type SqlDatabase = {
  readonly engine: 'sqlite' | 'postgres';
  readonly location: string;
  /** Opens the database, and brings its tables up to date. Anything else does so too; this tells at the start. */
  open(): Promise<void>;
  rows(statement: Statement): Promise<readonly Row[]>;
  /** Rows without bytes in them, as JSON in UTF-8: for very many of them. */
  packedRows(statement: Statement): Promise<Uint8Array>;
  /** All or none of them, in one transaction; how many rows each has changed. */
  write(statements: readonly Statement[]): Promise<readonly number[]>;
  /** Returns a little of the room that removed rows have left to the file system; false when none is left. */
  reclaim(): Promise<boolean>;
  close(): Promise<void>;
};
