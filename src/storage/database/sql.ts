/**
 * The interface of a database. The queries are the same for SQLite and PostgreSQL. Each engine adds its tables, its way
 * of running a statement, and its faults.
 */

import { isStorableText } from '../../contract/fields.ts';
import { StoreFaultError } from './fault.ts';

export type SqlValue = string | number | null | Uint8Array;

/**
 * Rejects text that one of the engines cannot store.
 * @throws StoreFaultError `invalid_input`
 */
export function assertStorable({ values }: Statement): void {
  if (values.every(value => typeof value !== 'string' || isStorableText(value))) return;
  throw new StoreFaultError('invalid_input', 'A text contains U+0000 or half of a surrogate pair.');
}

/**
 * A statement in which `?` stands for a value, in both engines. With `erases`, SQLite also overwrites the bytes of the
 * deleted rows, in the file and in its log; PostgreSQL does so at some time after a vacuum.
 */
export type Statement = { readonly sql: string; readonly values: readonly SqlValue[]; readonly erases?: boolean };

/** Values of a row in the order of the selected columns. */
export type SqlRow = readonly SqlValue[];

/** Every method throws a StoreFaultError if the database cannot be used. The next call may succeed. */
export type SqlDatabase = {
  readonly engine: 'sqlite' | 'postgres';
  readonly location: string;
  /** SQL expression for the time of the database in milliseconds; undefined if it uses the clock of this process. */
  readonly nowSql?: string | undefined;
  /**
   * Opens the database and migrates its tables. Every other method does this too; calling it first reports faults at
   * the start.
   */
  open(): Promise<void>;
  rows(statement: Statement): Promise<readonly SqlRow[]>;
  /** Returns rows that contain no bytes as JSON in UTF-8, for very large lists. */
  packedRows(statement: Statement): Promise<Uint8Array>;
  /** Runs all statements in one transaction, and returns the number of rows that each changed. */
  write(statements: readonly Statement[]): Promise<readonly number[]>;
  /** Bytes of the used pages; undefined if only the database knows the size of its rows. */
  usedBytes(): Promise<number | undefined>;
  /**
   * Returns some free pages to the file system.
   * @returns false if no free pages are left
   * @param logBytes max size of the log
   */
  reclaim(logBytes?: number): Promise<boolean>;
  close(): Promise<void>;
};

/** Returns the first value of the first row as a number. */
export const readNumber = async (
  { rows }: Pick<SqlDatabase, 'rows'>,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<number> => Number((await rows({ sql, values }))[0]?.[0]);

/** Returns the first value of each row as text. */
export const readTexts = async (
  { rows }: Pick<SqlDatabase, 'rows'>,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<string[]> => (await rows({ sql, values })).map(([text]) => String(text));

/** Returns placeholders for this many values: `?, ?, ?`. */
export const placeholders = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
