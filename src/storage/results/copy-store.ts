/** Copies all tables of one database into another, of either engine. Existing rows of the target are not changed. */
import { StoreFaultError } from '../database/fault.ts';
import { placeholders, type SqlRow, type SqlValue, type Statement } from '../database/sql.ts';
import type { Table } from '../database/table.ts';
import { bodies, copiedTables } from '../database/tables.ts';

/** Source or target of a copy. */
export type CopyEnd = {
  readonly engine: 'sqlite' | 'postgres';
  rows(statement: Statement): Promise<readonly SqlRow[]>;
  write(statements: readonly Statement[]): Promise<readonly number[]>;
};

export type CopiedTable = {
  readonly table: string;
  /** Number of rows that the target did not have before. */
  readonly copied: number;
  /** Number of rows that the target already had. */
  readonly there: number;
  /** Number of rows that the target does not accept. */
  readonly refused: number;
};

/** Returns the number of rows per batch: a body is about 100 KB, and at most 32 MB. */
const rowsAtOnce = (table: Table): number => (table === bodies ? 10 : 100);

/** Reads batches in the order of the key, without a transaction over the whole table. */
async function* readBatches(from: CopyEnd, table: Table): AsyncGenerator<readonly SqlRow[]> {
  const { key, all, name } = table;
  const columns = Object.keys(table.columns);
  const keyAt = key.map(name => columns.indexOf(name));
  const limit = rowsAtOnce(table);
  let after: readonly SqlValue[] | undefined;
  for (;;) {
    const where = after === undefined ? '' : `WHERE (${key.join(', ')}) > (${placeholders(key.length)})`;
    const sql = `SELECT ${all.list} FROM ${name} ${where} ORDER BY ${key.join(', ')} LIMIT ${limit}`;
    const rows = await from.rows({ sql, values: after ?? [] });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (rows.length < limit || last === undefined) return;
    after = keyAt.map(at => last[at] ?? null);
  }
}

/** Inserts rows one by one if the target refuses a statement of the batch. Other faults end the copy. */
async function insert(to: CopyEnd, statements: readonly Statement[]): Promise<{ copied: number; refused: number }> {
  try {
    return { copied: (await to.write(statements)).reduce((sum, changed) => sum + changed, 0), refused: 0 };
  } catch (error) {
    if (!(error instanceof StoreFaultError)) throw error;
    if (error.code !== 'not_acceptable' && error.code !== 'invalid_input') throw error;
    if (statements.length === 1) return { copied: 0, refused: 1 };
    const done = { copied: 0, refused: 0 };
    for (const statement of statements) {
      const { copied, refused } = await insert(to, [statement]);
      done.copied += copied;
      done.refused += refused;
    }
    return done;
  }
}

export type CopyOptions = {
  /** Replaces a value of a column. */
  replace?: (table: string, column: string, value: SqlValue) => SqlValue;
  onTable(copied: CopiedTable): void;
  signal: AbortSignal;
};

async function copyTable(from: CopyEnd, to: CopyEnd, table: Table, options: CopyOptions): Promise<CopiedTable> {
  const { name } = table;
  const columns = Object.keys(table.columns);
  const { replace = (_table, _column, value) => value, signal } = options;
  const total = { table: name, copied: 0, there: 0, refused: 0 };
  const sql = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${placeholders(columns.length)}) ON CONFLICT DO NOTHING`;
  for await (const rows of readBatches(from, table)) {
    signal.throwIfAborted();
    const toValues = (row: SqlRow) => row.map((value, at) => replace(name, columns[at] ?? '', value));
    const { copied, refused } = await insert(
      to,
      rows.map(row => ({ sql, values: toValues(row) })),
    );
    total.copied += copied;
    total.refused += refused;
    total.there += rows.length - copied - refused;
  }
  return total;
}

/**
 * Copies a database. The copy can be stopped and repeated without creating duplicates.
 * @throws StoreFaultError, and the signal's reason
 */
export async function copyStore(from: CopyEnd, to: CopyEnd, options: CopyOptions): Promise<readonly CopiedTable[]> {
  const copied: CopiedTable[] = [];
  for (const table of copiedTables) {
    const done = await copyTable(from, to, table, options);
    options.onTable(done);
    copied.push(done);
  }
  return copied;
}
