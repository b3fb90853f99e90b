/** Queries for lists, series and the overview of pages. */
import { every, raw, type SqlDatabase, type Statement, sql } from '../../database/sql.ts';
import { type EntryKind, results } from '../../database/tables.ts';
import { InvalidCursorError } from '../fault.ts';
import { failureColumns, pointColumns, unpack } from '../packed-series.ts';
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
import { factList, isValueName, toColumn, toFacts, toRange, withIdentity } from './entries.ts';

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

function toCondition(query: ListQuery): Statement {
  const { url, host, source, strategy, label, conditions, analyser, groupId, sinceMs, untilMs, kinds = [] } = query;
  const after = query.cursor === undefined ? undefined : fromCursor(query.cursor);
  return every(
    url !== undefined && sql`url = ${url}`,
    host !== undefined && sql`host = ${host}`,
    source !== undefined && sql`source = ${source}`,
    strategy !== undefined && sql`strategy = ${strategy}`,
    label !== undefined && sql`label = ${label}`,
    conditions !== undefined && sql`coalesce(conditions, '') = ${conditions ?? ''}`,
    analyser !== undefined && sql`analyser = ${analyser}`,
    groupId !== undefined && sql`group_id = ${groupId}`,
    sinceMs !== undefined && sql`measured_at >= ${sinceMs}`,
    untilMs !== undefined && sql`measured_at < ${untilMs}`,
    kinds.length > 0 && sql`kind IN (${kinds})`,
    after !== undefined && sql`(measured_at, id) < (${after.measuredAtMs}, ${after.id})`,
  );
}

/** Selects entries, newest first, and by id if times are equal, because a cursor needs an order without ties. */
const select = (columns: Statement, query: ListQuery, limit: number): Statement =>
  sql`SELECT ${columns} FROM results WHERE ${toCondition(query)} ORDER BY measured_at DESC, id DESC LIMIT ${limit}`;

const toLimit = (limit: number | undefined, usual: number, max: number): number =>
  Math.min(Math.max(Math.trunc(limit ?? usual), 1), max);

export async function listEntries(database: SqlDatabase, query: ListQuery): Promise<ResultPage> {
  const limit = toLimit(query.limit, defaultPage, maxPage);
  // One more entry than requested shows whether there is a next page.
  const rows = await database.rows(select(raw(factList), query, limit + 1));
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
function toValue(metric: SeriesQuery['metric'], { engine }: Pick<SqlDatabase, 'engine'>): Statement {
  // Whatever is not the name of a column is a value of the statement, not a part of its text.
  if (isValueName(metric)) return raw(toColumn(metric));
  return engine === 'postgres'
    ? sql`(custom_metrics::json ->> ${metric})::double precision`
    : sql`custom_metrics ->> ${metric}`;
}

const measuredKinds: readonly EntryKind[] = ['result', 'run', 'comparison'];

export async function readSeries(
  database: SqlDatabase,
  { limit, kinds, others = [], ...query }: SeriesQuery,
): Promise<PackedSeries> {
  const count = toLimit(limit, maxPoints, maxPoints);
  const asked = (kinds ?? measuredKinds).filter(kind => kind !== 'failure');
  const columns = raw([pointColumns.list, ...others.map(toColumn)].join(', '));
  const values = sql`${columns}, ${toValue(query.metric, database)}`;
  const [points, failures] = await Promise.all([
    database.packedRows(select(values, { ...query, kinds: asked }, count)),
    database.packedRows(select(raw(failureColumns.list), { ...query, kinds: ['failure'] }, count)),
  ]);
  return { points, failures, others };
}

/** Number of measurements per page, enough to show a lasting change; and days, of which the last measurement is read. */
const lastRows = 30;
const lastDays = 30;
const dayMs = 86_400_000;

/** Both engines lower the letters A to Z only: of others, `Ü` would become `ü` here and stay in the column. */
const pattern = (search: string): string =>
  `%${search.replaceAll(/[A-Z]+/g, letters => letters.toLowerCase()).replaceAll(/[\\%_]/g, '\\$&')}%`;

const site = results.pick(
  ...(['id', 'kind', 'url', 'host', 'source', 'strategy', 'label', 'measured_at', 'error_code'] as const),
  ...(['page_status', 'disturbed', 'performance', 'performance_min', 'performance_max', 'conditions'] as const),
  ...(['largest_contentful_paint', 'total_blocking_time', 'cumulative_layout_shift', 'benchmark_index'] as const),
  ...(['profile', 'cpu_slowdown', 'analyser', 'analyser_host'] as const),
  ...(['lighthouse_version', 'browser_version', 'machine_id'] as const),
);

/**
 * Lists pages by their newest measurement, and the measurements of each page, newest first: the last ones, and the last
 * of each day. Pages are found in an index. A page without any result is not listed: its URL never answered.
 */
export async function listSites(database: SqlDatabase, { search, limit }: SitesQuery): Promise<SiteRow[]> {
  const like = search === undefined ? undefined : sql`LIKE ${pattern(search)} ESCAPE '\\'`;
  const matches = like
    ? sql`(lower(url) ${like} OR url IN (SELECT url FROM results WHERE lower(label) ${like}))`
    : every();
  // A page has a number, because sorting by it is faster than sorting by four texts.
  const packed = await database.packedRows(sql`WITH pages AS (
      SELECT url, source, strategy, conditions, max(measured_at) AS last_at, count(*) AS total,
        row_number() OVER (ORDER BY max(measured_at) DESC, url, source, strategy, conditions) AS page
      FROM results WHERE kind IN ('result', 'failure') AND source <> 'compare' AND ${matches}
      GROUP BY url, source, strategy, conditions HAVING max(CASE kind WHEN 'result' THEN 1 ELSE 0 END) = 1
      ORDER BY page LIMIT ${limit}
    ), ranked AS (
      SELECT results.id AS ranked_id, page, total, last_at, row_number() OVER newest AS place,
        CASE results.kind WHEN 'result' THEN results.measured_at END AS result_at,
        min(CASE results.kind WHEN 'result' THEN results.measured_at END)
          OVER (newest ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS next_result_at
      FROM pages JOIN results
        ON results.url = pages.url AND results.source = pages.source AND results.strategy = pages.strategy
        AND coalesce(results.conditions, '') = coalesce(pages.conditions, '')
      WHERE results.kind IN ('result', 'failure')
      WINDOW newest AS (PARTITION BY page ORDER BY results.measured_at DESC, results.id DESC)
    )
    SELECT ${raw(site.list)}, total FROM ranked JOIN results ON results.id = ranked_id
    WHERE place <= ${lastRows} OR (result_at > last_at - ${raw(`${lastDays * dayMs}`)}
      AND coalesce(result_at / ${raw(`${dayMs}`)} < next_result_at / ${raw(`${dayMs}`)}, true))
    ORDER BY page, place`);
  return unpack(packed).map(row => {
    const { performanceMin, performanceMax, ...measured } = withIdentity(site.from(row));
    const performanceRange = toRange(performanceMin, performanceMax);
    return {
      ...(measured as Omit<SiteRow, 'performanceRange' | 'results'>),
      performanceRange,
      results: Number(row.at(-1)),
    };
  });
}
