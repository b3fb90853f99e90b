/** Queries for lists, series and the overview of pages. */
import { placeholders, type SqlDatabase, type SqlValue } from '../../database/sql.ts';
import { type EntryKind, results } from '../../database/tables.ts';
import { InvalidCursorError } from '../fault.ts';
import { failureColumns, pointColumns } from '../packed-series.ts';
import { isResultId } from '../result-id.ts';
import type {
  Cursor,
  EntryFacts,
  ListQuery,
  PackedSeries,
  ResultPage,
  SeriesQuery,
  SiteRow,
  SitesQuery,
} from '../store.ts';
import { factList, isValueName, toColumn, toFacts, toRange } from './entries.ts';

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

type SqlCondition = { sql: string; values: readonly SqlValue[] };

function toConditions(query: ListQuery): SqlCondition[] {
  const { kinds = [], cursor } = query;
  const { measuredAtMs, id }: Partial<Position> = cursor === undefined ? {} : fromCursor(cursor);
  const conditions: readonly (readonly [sql: string, ...values: (SqlValue | undefined)[]])[] = [
    ['url = ?', query.url],
    ['host = ?', query.host],
    ['source = ?', query.source],
    ['strategy = ?', query.strategy],
    ['label = ?', query.label],
    ["coalesce(conditions, '') = ?", query.conditions === null ? '' : query.conditions],
    ['analyser = ?', query.analyser],
    ['group_id = ?', query.groupId],
    ['measured_at >= ?', query.sinceMs],
    ['measured_at < ?', query.untilMs],
    [`kind IN (${placeholders(kinds.length)})`, ...(kinds.length > 0 ? kinds : [undefined])],
    ['(measured_at, id) < (?, ?)', measuredAtMs, id],
  ];
  return conditions.flatMap(([sql, ...given]) => {
    const values = given.filter(value => value !== undefined);
    return values.length > 0 ? [{ sql, values }] : [];
  });
}

/** Selects entries, newest first, and by id if times are equal, because a cursor needs an order without ties. */
const select = (
  columns: string,
  conditions: readonly SqlCondition[],
  limit: number,
  selected: SqlCondition['values'] = [],
) => ({
  sql: [
    `SELECT ${columns} FROM results`,
    conditions.length > 0 ? `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}` : '',
    'ORDER BY measured_at DESC, id DESC LIMIT ?',
  ].join(' '),
  values: [...selected, ...conditions.flatMap(({ values }) => values), limit],
});

const toLimit = (limit: number | undefined, usual: number, max: number): number =>
  Math.min(Math.max(Math.trunc(limit ?? usual), 1), max);

export async function listEntries(database: SqlDatabase, query: ListQuery): Promise<ResultPage> {
  const limit = toLimit(query.limit, defaultPage, maxPage);
  // One more entry than requested shows whether there is a next page.
  const rows = await database.rows(select(factList, toConditions(query), limit + 1));
  const found = rows.slice(0, limit).map(toFacts);
  const last = found.at(-1);
  return { results: found, next: rows.length > limit && last ? toCursor(last) : null };
}

export const listByLabel = async (
  database: SqlDatabase,
  label: string,
  query: Omit<ListQuery, 'label' | 'cursor'>,
): Promise<EntryFacts[]> => (await listEntries(database, { limit: maxPage, ...query, label })).results;

/** Selects a value: a column, or a custom metric by its name. */
function toValue(metric: SeriesQuery['metric'], { engine }: Pick<SqlDatabase, 'engine'>): SqlCondition {
  // Whatever is not the name of a column is a value of the statement, not a part of its text.
  if (isValueName(metric)) return { sql: toColumn(metric), values: [] };
  const sql = engine === 'postgres' ? '(custom_metrics::json ->> ?)::double precision' : 'custom_metrics ->> ?';
  return { sql, values: [metric] };
}

const measuredKinds: readonly EntryKind[] = ['result', 'run', 'comparison'];

export async function readSeries(
  database: SqlDatabase,
  { limit, kinds, others = [], ...query }: SeriesQuery,
): Promise<PackedSeries> {
  const count = toLimit(limit, maxPoints, maxPoints);
  const value = toValue(query.metric, database);
  const asked = (kinds ?? measuredKinds).filter(kind => kind !== 'failure');
  const columns = [pointColumns.list, ...others.map(toColumn), value.sql].join(', ');
  const [points, failures] = await Promise.all([
    database.packedRows(select(columns, toConditions({ ...query, kinds: asked }), count, value.values)),
    database.packedRows(select(failureColumns.list, toConditions({ ...query, kinds: ['failure'] }), count)),
  ]);
  return { points, failures, others };
}

/** Number of measurements per page, enough to show a lasting change; and days, of which the last measurement is read. */
const lastRows = 30;
const lastDays = 30;
const dayMs = 86_400_000;

const pattern = (search: string): string => `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

const site = results.pick(
  ...(['id', 'kind', 'url', 'host', 'source', 'strategy', 'label', 'measured_at', 'error_code'] as const),
  ...(['page_status', 'disturbed', 'performance', 'performance_min', 'performance_max', 'conditions'] as const),
  ...(['largest_contentful_paint', 'total_blocking_time', 'cumulative_layout_shift'] as const),
);

/**
 * Lists pages by their newest measurement, and the measurements of each page, newest first: the last ones, and the last
 * of each day. Pages are found in an index. A page without any result is not listed: its URL never answered.
 */
export async function listSites(database: SqlDatabase, { search, limit }: SitesQuery): Promise<SiteRow[]> {
  const matches =
    search === undefined
      ? ''
      : "AND (lower(url) LIKE ? ESCAPE '\\' OR url IN (SELECT url FROM results WHERE lower(label) LIKE ? ESCAPE '\\'))";
  const sql = `WITH pages AS (
      SELECT url, source, strategy, conditions, max(measured_at) AS last_at, count(*) AS total FROM results
      WHERE kind IN ('result', 'failure') AND source <> 'compare' ${matches}
      GROUP BY url, source, strategy, conditions HAVING max(CASE kind WHEN 'result' THEN 1 ELSE 0 END) = 1
      ORDER BY last_at DESC, url, source, strategy, conditions LIMIT ?
    ), ranked AS (
      SELECT ${site.list}, pages.total, pages.last_at, row_number() OVER (
          PARTITION BY results.url, results.source, results.strategy, results.conditions
          ORDER BY results.measured_at DESC, results.id DESC
        ) AS place, row_number() OVER (
          PARTITION BY results.url, results.source, results.strategy, results.conditions, results.measured_at / ${dayMs}
          ORDER BY results.kind DESC, results.measured_at DESC, results.id DESC
        ) AS day_place
      FROM pages JOIN results
        ON results.url = pages.url AND results.source = pages.source AND results.strategy = pages.strategy
        AND coalesce(results.conditions, '') = coalesce(pages.conditions, '')
      WHERE results.kind IN ('result', 'failure')
    )
    SELECT ${site.list.replaceAll('results.', '')}, total
    FROM ranked WHERE place <= ${lastRows} OR (day_place = 1 AND measured_at > last_at - ${lastDays * dayMs})
    ORDER BY last_at DESC, url, source, strategy, conditions, place`;
  const values = search === undefined ? [limit] : [pattern(search), pattern(search), limit];
  return (await database.rows({ sql, values })).map(row => {
    const { performanceMin, performanceMax, ...measured } = site.from(row);
    const performanceRange = toRange(performanceMin, performanceMax);
    return {
      ...(measured as Omit<SiteRow, 'performanceRange' | 'results'>),
      performanceRange,
      results: Number(row.at(-1)),
    };
  });
}
