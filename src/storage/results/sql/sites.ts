/** Returns the last measurements of every page, device and source, for an overview of all results. */
import type { Strategy } from '../../../contract/names.ts';
import type { SqlDatabase } from '../../database/sql.ts';
import type { SiteRow, SitesQuery } from '../store.ts';

/** Number of measurements per page, enough to show a trend and a lasting change. */
const lastRows = 30;

const pattern = (search: string): string => `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

/**
 * Lists pages by their newest measurement, and the measurements of each page, newest first. Pages are found in an
 * index, so only returned rows are read.
 */
export async function listSites(database: SqlDatabase, { search, limit }: SitesQuery): Promise<SiteRow[]> {
  const matches =
    search === undefined
      ? ''
      : "AND (lower(url) LIKE ? ESCAPE '\\' OR url IN (SELECT url FROM results WHERE lower(label) LIKE ? ESCAPE '\\'))";
  const sql = `WITH pages AS (
      SELECT url, source, strategy, max(measured_at) AS last_at, count(*) AS total FROM results
      WHERE kind IN ('result', 'failure') AND source <> 'compare' ${matches}
      GROUP BY url, source, strategy ORDER BY last_at DESC, url, source, strategy LIMIT ?
    ), ranked AS (
      SELECT results.id, results.kind, results.url, results.host, results.source, results.strategy, results.label,
        results.measured_at, results.error_code, results.page_status, results.disturbed, results.performance,
        results.performance_min, results.performance_max, pages.total, pages.last_at, row_number() OVER (
          PARTITION BY results.url, results.source, results.strategy ORDER BY results.measured_at DESC, results.id DESC
        ) AS place
      FROM pages JOIN results
        ON results.url = pages.url AND results.source = pages.source AND results.strategy = pages.strategy
      WHERE results.kind IN ('result', 'failure')
    )
    SELECT id, kind, url, host, source, strategy, label, measured_at, error_code, page_status, disturbed, performance,
      performance_min, performance_max, total
    FROM ranked WHERE place <= ${lastRows} ORDER BY last_at DESC, url, source, strategy, place`;
  const values = search === undefined ? [limit] : [pattern(search), pattern(search), limit];
  const rows = await database.rows({ sql, values });
  return rows.map(
    ([
      id,
      kind,
      url,
      host,
      source,
      strategy,
      label,
      at,
      errorCode,
      pageStatus,
      disturbed,
      performance,
      min,
      max,
      total,
    ]) => ({
      id: `${id}`,
      kind: kind as SiteRow['kind'],
      url: `${url}`,
      host: `${host}`,
      source: source as SiteRow['source'],
      strategy: strategy as Strategy,
      label: label as string | null,
      measuredAtMs: Number(at),
      errorCode: errorCode as string | null,
      pageStatus: pageStatus as number | null,
      disturbed: disturbed === null || disturbed === undefined ? null : disturbed !== 0,
      performance: performance as number | null,
      performanceRange: typeof min === 'number' && typeof max === 'number' ? { min, max } : null,
      results: Number(total),
    }),
  );
}
