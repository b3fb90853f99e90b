/**
 * A table's columns, stated once. The DDL of both engines, column lists, inserts and the type of a row derive from
 * them. A row is an object: `created_at`, a time, is its `createdAtMs`.
 */
import type { SqlDatabase, SqlRow, SqlValue, Statement } from './sql.ts';

/** The same DDL for each engine. */
export type Ddl = { readonly sqlite: string; readonly postgres: string };

export type TableColumn<Value = unknown, IsTime extends boolean = boolean> = {
  readonly type: Ddl;
  readonly constraint: Ddl;
  readonly isTime: IsTime;
  /** Version that added the column; undefined if the table was created with it. */
  readonly version?: number;
  fromSql(value: Exclude<SqlValue, null>): Value;
  toSql(value: NonNullable<Value>): SqlValue;
};

const both = (sql: string): Ddl => ({ sqlite: sql, postgres: sql });

function toColumn<Value, IsTime extends boolean = false>(
  sqlite: string,
  postgres: string,
  options: Partial<Pick<TableColumn<Value, IsTime>, 'isTime' | 'fromSql' | 'toSql'>> = {},
): TableColumn<Value, IsTime> {
  return {
    type: { sqlite, postgres },
    constraint: both('NOT NULL'),
    isTime: false as IsTime,
    fromSql: value => value as Value,
    toSql: value => value as SqlValue,
    ...options,
  };
}

/** Text that is searched, which PostgreSQL then sorts by bytes, as SQLite does. */
export const text = <Value extends string = string>() => toColumn<Value>('TEXT', 'TEXT COLLATE "C"');
/** Text that is only read. */
export const prose = () => toColumn<string>('TEXT', 'TEXT');
export const json = <Value>() =>
  toColumn<Value>('TEXT', 'TEXT', {
    fromSql: value => JSON.parse(`${value}`) as Value,
    toSql: value => JSON.stringify(value),
  });
export const integer = () => toColumn<number>('INTEGER', 'INTEGER');
export const flag = () =>
  toColumn<boolean>('INTEGER', 'INTEGER', { fromSql: value => value !== 0, toSql: value => Number(value) });
export const byteCount = () => toColumn<number>('INTEGER', 'BIGINT');
/** Milliseconds since the epoch. */
export const time = () => toColumn<number, true>('INTEGER', 'BIGINT', { isTime: true });
export const real = () => toColumn<number>('REAL', 'DOUBLE PRECISION');
/** Bytes that are already compressed. PostgreSQL does not compress them again. */
export const bytes = () => toColumn<Uint8Array>('BLOB', 'BYTEA');
/** Number that grows with each inserted row. */
export const serial = (): TableColumn<number, false> => ({
  ...toColumn<number>('INTEGER', 'BIGINT'),
  constraint: { sqlite: 'PRIMARY KEY AUTOINCREMENT', postgres: 'GENERATED ALWAYS AS IDENTITY PRIMARY KEY' },
});

type Modify = <Value, IsTime extends boolean>(column: TableColumn<Value, IsTime>) => TableColumn<Value, IsTime>;

export const key: Modify = column => ({
  ...column,
  constraint: { sqlite: 'NOT NULL UNIQUE', postgres: 'PRIMARY KEY' },
});
export const primaryKey: Modify = column => ({ ...column, constraint: both('PRIMARY KEY') });
export const unique: Modify = column => ({ ...column, constraint: both('NOT NULL UNIQUE') });
export const optional = <Value, IsTime extends boolean>(
  column: TableColumn<Value, IsTime>,
): TableColumn<Value | null, IsTime> => ({ ...column, constraint: both('') }) as TableColumn<Value | null, IsTime>;
export const withDefault = <Value, IsTime extends boolean>(column: TableColumn<Value, IsTime>, sql: string) => ({
  ...column,
  constraint: both(`NOT NULL DEFAULT ${sql}`),
});
export const since = <Value, IsTime extends boolean>(version: number, column: TableColumn<Value, IsTime>) => ({
  ...column,
  version,
});

export type Columns = Readonly<Record<string, TableColumn>>;

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type ColumnField<Name, Of> = Name extends string
  ? Of extends { readonly isTime: true }
    ? `${Camel<Name>}Ms`
    : Camel<Name>
  : never;
type ValueOf<Of> = Of extends TableColumn<infer Value> ? Value : never;

export type RowOf<Of extends Columns> = {
  -readonly [Name in keyof Of as ColumnField<Name, Of[Name]>]: ValueOf<Of[Name]>;
};
/** A row to insert: columns that may be null may be absent. */
type NewRowOf<Of extends Columns> = Omit<RowOf<Of>, NullableField<Of>> & Partial<Pick<RowOf<Of>, NullableField<Of>>>;
type NullableField<Of extends Columns> = {
  [Field in keyof RowOf<Of>]: null extends RowOf<Of>[Field] ? Field : never;
}[keyof RowOf<Of>];

export const toCamel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const toField = (name: string, { isTime }: TableColumn): string => toCamel(name) + (isTime ? 'Ms' : '');

/** Columns to select, and the way from their values to an object. */
type Selection<Selected> = {
  readonly list: string;
  from(row: SqlRow): Selected;
  /** Selects rows. @param rest what follows the name of the table, such as `WHERE id = ?` */
  read(database: Pick<SqlDatabase, 'rows'>, rest?: Statement): Promise<Selected[]>;
};

export type Table<Of extends Columns = Columns> = {
  readonly name: string;
  readonly columns: Of;
  /** Names of the columns of its key, in order. */
  readonly key: readonly string[];
  readonly create: Ddl;
  /** Adds the columns of a version. */
  added(version: number): Ddl;
  readonly all: Selection<RowOf<Of>>;
  pick<Name extends keyof Of & string>(...names: readonly Name[]): Selection<RowOf<Pick<Of, Name>>>;
  /** Inserts a row, unless it exists. @param condition inserts it only if this is true */
  insert(row: NewRowOf<Of>, condition?: Statement): Statement;
};

const engines = ['sqlite', 'postgres'] as const;
const forEach = (toSql: (engine: keyof Ddl) => string): Ddl =>
  Object.fromEntries(engines.map(engine => [engine, toSql(engine)])) as Ddl;

/** @param keys columns of a key of several columns, and other unique columns, such as `PRIMARY KEY (job_id, number)` */
export function defineTable<Of extends Columns>(name: string, columns: Of, keys?: string): Table<Of> {
  const entries = Object.entries(columns);
  const define =
    (engine: keyof Ddl) =>
    ([column, { type, constraint }]: [string, TableColumn]) =>
      `${column} ${type[engine]} ${constraint[engine]}`.trimEnd();
  const created = entries.filter(([, { version }]) => version === undefined);

  const create = (engine: keyof Ddl): string => {
    const parts = [...created.map(define(engine)), ...(keys === undefined ? [] : [keys])];
    const sql = `CREATE TABLE ${name} (${parts.join(', ')})`;
    if (engine === 'sqlite') return `${sql} STRICT`;
    const packed = created.filter(([, { type }]) => type.postgres === 'BYTEA');
    const storage = packed.map(([column]) => `ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
    return storage.length > 0 ? `${sql};\nALTER TABLE ${name} ${storage.join(', ')}` : sql;
  };

  const select = <Selected>(names: readonly string[]): Selection<Selected> => {
    const read = names.map(
      column => [toField(column, columns[column] as TableColumn), columns[column] as TableColumn] as const,
    );
    const list = names.map(column => `${name}.${column}`).join(', ');
    const from = (row: SqlRow) =>
      Object.fromEntries(
        read.map(([field, { fromSql }], at) => {
          const value = row[at] ?? null;
          return [field, value === null ? null : fromSql(value)];
        }),
      ) as Selected;
    return {
      list,
      from,
      read: async (database, { sql, values } = { sql: '', values: [] }) =>
        (await database.rows({ sql: `SELECT ${list} FROM ${name} ${sql}`, values })).map(from),
    };
  };

  return {
    name,
    columns,
    key: keys
      ? (/\((.*)\)/.exec(keys)?.[1] ?? '').split(', ')
      : entries.filter(([, { constraint }]) => /PRIMARY KEY/.test(constraint.postgres)).map(([column]) => column),
    create: forEach(create),
    added: version =>
      forEach(engine =>
        entries
          .filter(([, column]) => column.version === version)
          .map(entry => `ALTER TABLE ${name} ADD COLUMN ${define(engine)(entry)}`)
          .join(';\n'),
      ),
    all: select(Object.keys(columns)),
    pick: (...names) => select(names),
    insert(row, condition) {
      const record = row as Readonly<Record<string, unknown>>;
      const given = entries.filter(([column, of]) => record[toField(column, of)] !== undefined);
      const values = given.map(([column, of]): SqlValue => {
        const value = record[toField(column, of)];
        return value === null ? null : of.toSql(value as NonNullable<unknown>);
      });
      const start = `INSERT INTO ${name} (${given.map(([column]) => column).join(', ')})`;
      if (!condition)
        return { sql: `${start} VALUES (${given.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`, values };
      // PostgreSQL cannot infer the type of a selected value.
      const casts = given.map(([, { type }]) => `CAST(? AS ${type.postgres.split(' COLLATE')[0]})`).join(', ');
      return {
        sql: `${start} SELECT ${casts} WHERE ${condition.sql} ON CONFLICT DO NOTHING`,
        values: [...values, ...condition.values],
      };
    },
  };
}
