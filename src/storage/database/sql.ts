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

/** Part of a statement: a value, a list of values for `IN (…)`, or SQL with values of its own. */
export type SqlPart = SqlValue | readonly SqlValue[] | Statement;

/** Text of the program in a statement, such as the list of columns. */
export const raw = (text: string): Statement => ({ sql: text, values: [] });

function toFragment(part: SqlPart): Statement {
  if (Array.isArray(part)) return { sql: placeholders(part.length), values: part };
  return typeof part === 'object' && part !== null && 'sql' in part ? part : { sql: '?', values: [part as SqlValue] };
}

/** Writes a statement whose values stand where they belong: `` sql`DELETE FROM notes WHERE id = ${id}` ``. */
export function sql([first = '', ...texts]: TemplateStringsArray, ...parts: readonly SqlPart[]): Statement {
  const fragments = parts.map(toFragment);
  return {
    sql: first + fragments.map((fragment, at) => fragment.sql + texts[at]).join(''),
    values: fragments.flatMap(({ values }) => values),
  };
}

/** Joins statements to one. */
export const join = (statements: readonly Statement[], separator: string): Statement => ({
  sql: statements.map(({ sql: text }) => text).join(separator),
  values: statements.flatMap(({ values }) => values),
});

/** Joins the conditions that apply: `` url !== undefined && sql`url = ${url}` ``. */
export const every = (...conditions: readonly (Statement | false)[]): Statement =>
  join([raw('1 = 1'), ...conditions.filter(condition => condition !== false)], ' AND ');

type Readable = Pick<SqlDatabase, 'rows'>;

/** Runs a statement, and returns whether it changed one row. */
export const changesOne = async (database: Pick<SqlDatabase, 'write'>, statement: Statement): Promise<boolean> =>
  (await database.write([statement]))[0] === 1;

/** Returns the first value of the first row as a number. */
export const readNumber = async ({ rows }: Readable, statement: Statement): Promise<number> =>
  Number((await rows(statement))[0]?.[0]);

/** Returns the first value of each row as text. */
export const readTexts = async ({ rows }: Readable, statement: Statement): Promise<string[]> =>
  (await rows(statement)).map(([text]) => String(text));

/** Returns placeholders for this many values: `?, ?, ?`. */
export const placeholders = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
