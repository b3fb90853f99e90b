/** Copies all tables of one database into another, of either engine. Existing rows of the target are not changed. */
import { StoreFaultError } from '../database/fault.ts';
import { placeholders, type Row, type SqlValue, type Statement } from '../database/sql.ts';

/** Source or target of a copy. */
export type CopyEnd = {
  readonly engine: 'sqlite' | 'postgres';
  rows(statement: Statement): Promise<readonly Row[]>;
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

/**
 * Order of the tables: pending work first. A body is copied before its result, and a result before its run, so that
 * every listed entry can be read.
 */
const first = [
  ...['schedules', 'jobs', 'job_pages', 'job_events', 'deliveries', 'bodies', 'results', 'artifacts'],
  ...['lhci_projects', 'lhci_builds', 'lhci_runs'],
];
/** Tables that are not copied: the cache fills again by itself, and the target has its own version. */
const skipped = ['cached_values', 'schema_state'];
/** Returns the number of rows per batch: a body is about 100 KB, and at most 32 MB. */
const rowsAtOnce = (table: string): number => (table === 'bodies' ? 10 : 100);

type Catalog = {
  tables: Statement;
  columns(table: string): Statement;
  /** Query for the columns of a unique key, in order. */
  key(table: string): Statement;
};

const catalogs: Readonly<Record<CopyEnd['engine'], Catalog>> = {
  sqlite: {
    tables: { sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", values: [] },
    columns: table => ({ sql: 'SELECT name FROM pragma_table_info(?) ORDER BY cid', values: [table] }),
    key: table => ({
      sql: `SELECT info.name FROM pragma_index_info((SELECT name FROM pragma_index_list(?)
        WHERE "unique" = 1 AND partial = 0 ORDER BY origin = 'pk' DESC, seq LIMIT 1)) AS info ORDER BY info.seqno`,
      values: [table],
    }),
  },
  postgres: {
    tables: { sql: 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()', values: [] },
    columns: table => ({
      sql: `SELECT column_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = ? AND is_identity = 'NO' ORDER BY ordinal_position`,
      values: [table],
    }),
    key: table => ({
      sql: `SELECT column_name FROM information_schema.key_column_usage JOIN information_schema.table_constraints
        USING (constraint_schema, constraint_name, table_name) WHERE constraint_schema = current_schema()
        AND table_name = ? AND constraint_type = 'PRIMARY KEY' ORDER BY ordinal_position`,
      values: [table],
    }),
  },
};

const textsOf = async ({ rows }: CopyEnd, statement: Statement): Promise<string[]> =>
  (await rows(statement)).map(([text]) => String(text));

const tablesOf = (end: CopyEnd): Promise<string[]> => textsOf(end, catalogs[end.engine].tables);

type Plan = { table: string; columns: readonly string[]; key: readonly string[] };

async function planTable(from: CopyEnd, to: CopyEnd, table: string): Promise<Plan> {
  const target = await textsOf(to, catalogs[to.engine].columns(table));
  const columns = (await textsOf(from, catalogs[from.engine].columns(table))).filter(name => target.includes(name));
  return { table, columns, key: await textsOf(from, catalogs[from.engine].key(table)) };
}

/** Reads batches in the order of the key, without a transaction over the whole table. */
async function* readBatches(from: CopyEnd, { table, columns, key }: Plan): AsyncGenerator<readonly Row[]> {
  const keyAt = key.map(name => columns.indexOf(name));
  const limit = rowsAtOnce(table);
  let after: readonly SqlValue[] | undefined;
  for (;;) {
    const where = after === undefined ? '' : `WHERE (${key.join(', ')}) > (${placeholders(key.length)})`;
    const sql = `SELECT ${columns.join(', ')} FROM ${table} ${where} ORDER BY ${key.join(', ')} LIMIT ${limit}`;
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

async function copyTable(from: CopyEnd, to: CopyEnd, plan: Plan, options: CopyOptions): Promise<CopiedTable> {
  const { table, columns } = plan;
  const { replace = (_table, _column, value) => value, signal } = options;
  const total = { table, copied: 0, there: 0, refused: 0 };
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders(columns.length)}) ON CONFLICT DO NOTHING`;
  for await (const rows of readBatches(from, plan)) {
    signal.throwIfAborted();
    const toValues = (row: Row) => row.map((value, at) => replace(table, columns[at] ?? '', value));
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
  const known = await tablesOf(to);
  const tables = (await tablesOf(from)).filter(name => known.includes(name) && !skipped.includes(name));
  const rest = tables.filter(name => !first.includes(name));
  const copied: CopiedTable[] = [];
  for (const table of [...first.filter(name => tables.includes(name)), ...rest]) {
    const done = await copyTable(from, to, await planTable(from, to, table), options);
    options.onTable(done);
    copied.push(done);
  }
  return copied;
}
