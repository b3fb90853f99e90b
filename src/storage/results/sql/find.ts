/** Queries for lists and series. */
import type { SqlDatabase, SqlValue } from '../../database/sql.ts';
import { InvalidCursorError } from '../fault.ts';
import { failureColumns, pointColumns } from '../packed-series.ts';
import { isResultId } from '../result-id.ts';
import type { Cursor, EntryFacts, EntryKind, ListQuery, PackedSeries, ResultPage, SeriesQuery } from '../store.ts';
import { factColumns, toColumn, toFacts } from './entries.ts';

/**
 * Position of the last entry of a page. The next page starts after it, even if entries were added or removed in
 * between.
 */
type Position = { measuredAtMs: number; id: string };

const toCursor = ({ measuredAtMs, id }: Position): Cursor => Buffer.from(`${measuredAtMs} ${id}`).toString('base64url');

/** @throws InvalidCursorError */
const fromCursor = (cursor: Cursor): Position => {
  const [time = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!/^\d{1,16}$/.test(time) || !isResultId(id) || rest.length > 0) throw new InvalidCursorError();
  return { measuredAtMs: Number(time), id };
};

const maxPage = 1000;
const defaultPage = 50;
const maxPoints = 10_000;

type Condition = { sql: string; values: readonly SqlValue[] };

const toCondition = (sql: string, value: SqlValue | undefined): Condition[] =>
  value === undefined ? [] : [{ sql, values: [value] }];

const toKindCondition = (kinds: readonly EntryKind[] | undefined): Condition[] =>
  kinds === undefined || kinds.length === 0
    ? []
    : [{ sql: `kind IN (${kinds.map(() => '?').join(', ')})`, values: kinds }];

const toCursorCondition = (cursor: string | undefined): Condition[] => {
  if (cursor === undefined) return [];
  const { measuredAtMs, id } = fromCursor(cursor);
  return [{ sql: '(measured_at, id) < (?, ?)', values: [measuredAtMs, id] }];
};

const toConditions = (query: ListQuery): Condition[] => [
  ...toCondition('url = ?', query.url),
  ...toCondition('host = ?', query.host),
  ...toCondition('source = ?', query.source),
  ...toCondition('strategy = ?', query.strategy),
  ...toCondition('label = ?', query.label),
  ...toCondition('analyser = ?', query.analyser),
  ...toCondition('group_id = ?', query.groupId),
  ...toCondition('measured_at >= ?', query.sinceMs),
  ...toCondition('measured_at < ?', query.untilMs),
  ...toKindCondition(query.kinds),
  ...toCursorCondition(query.cursor),
];

/** Selects entries, newest first, and by id if times are equal, because a cursor needs an order without ties. */
const select = (columns: string, conditions: readonly Condition[], limit: number) => ({
  sql: [
    `SELECT ${columns} FROM results`,
    conditions.length > 0 ? `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}` : '',
    'ORDER BY measured_at DESC, id DESC LIMIT ?',
  ].join(' '),
  values: [...conditions.flatMap(({ values }) => values), limit],
});

const toLimit = (limit: number | undefined, usual: number, max: number): number =>
  Math.min(Math.max(Math.trunc(limit ?? usual), 1), max);

export async function listEntries(database: SqlDatabase, query: ListQuery): Promise<ResultPage> {
  const limit = toLimit(query.limit, defaultPage, maxPage);
  // One more entry than requested shows whether there is a next page.
  const rows = await database.rows(select(factColumns, toConditions(query), limit + 1));
  const results = rows.slice(0, limit).map(toFacts);
  const last = results.at(-1);
  return { results, next: rows.length > limit && last ? toCursor(last) : null };
}

export const listByLabel = async (
  database: SqlDatabase,
  label: string,
  query: Omit<ListQuery, 'label' | 'cursor'>,
): Promise<EntryFacts[]> => (await listEntries(database, { limit: maxPage, ...query, label })).results;

const measuredKinds: readonly EntryKind[] = ['result', 'run', 'comparison'];

export async function readSeries(
  database: SqlDatabase,
  { limit, kinds, ...query }: SeriesQuery,
): Promise<PackedSeries> {
  const count = toLimit(limit, maxPoints, maxPoints);
  const asked = (kinds ?? measuredKinds).filter(kind => kind !== 'failure');
  const [points, failures] = await Promise.all([
    database.packedRows(
      select([...pointColumns, toColumn(query.metric)].join(', '), toConditions({ ...query, kinds: asked }), count),
    ),
    database.packedRows(select(failureColumns.join(', '), toConditions({ ...query, kinds: ['failure'] }), count)),
  ]);
  return { points, failures };
}
