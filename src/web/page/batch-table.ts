/** A batch as a table: a line for each page and strategy, sortable, and as a file. */
import type { Category, MetricName, Strategy } from '../report/report.ts';
import { type Column, columnsOf, type Part } from './answer.ts';
import { toCsv } from './csv.ts';
import { toWords } from './errors-in-words.ts';
import { metricWords } from './metric-range.ts';
import { categoryNames, type PageRequest } from './page-request.ts';
import { isFailedRow, type Row } from './run-batch.ts';

export const shownMetrics = [
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
] as const satisfies readonly MetricName[];

export type SortKey = 'order' | 'page' | Category | (typeof shownMetrics)[number];
export type Sorting = {
  readonly by: SortKey /** Worst first; for `page` and `order`: backwards. */;
  readonly isDescending: boolean;
};

/** One line of the table: a page under one strategy, with each side that measured it. */
export type Line = {
  readonly row: Row;
  readonly strategy: Strategy;
  readonly columns: readonly Column[];
  readonly hasFailed: boolean;
};

const strategiesOf = ({ strategy }: PageRequest): readonly Strategy[] =>
  strategy === 'both' ? ['mobile', 'desktop'] : [strategy];

export const toLines = (rows: readonly Row[], request: PageRequest): Line[] =>
  rows.flatMap(row =>
    strategiesOf(request).map(strategy => {
      const columns = row.result ? columnsOf(row.result).filter(column => column.strategy === strategy) : [];
      const hasFailed = isFailedRow(row) || (columns.length > 0 && columns.every(({ part }) => !part.ok));
      return { row, strategy, columns, hasFailed };
    }),
  );

const isCategory = (key: string): key is Category => (categoryNames as readonly string[]).includes(key);

/** What a side has under a heading; null where it has nothing. */
export const readValue = (part: Part, key: SortKey): number | null => {
  if (!part.ok || key === 'order' || key === 'page') return null;
  return (isCategory(key) ? part.report.scores[key] : part.report.metrics[key].value) ?? null;
};

/** How bad a line is under a heading, more is worse: of two sides the worse one counts. */
const badness = (line: Line, key: SortKey): number | undefined => {
  const values = line.columns.flatMap(({ part }) => readValue(part, key) ?? []);
  if (values.length === 0) return undefined;
  return isCategory(key) ? -Math.min(...values) : Math.max(...values);
};

/** A page that could not be measured is the worst there is; one without a value says nothing and stands last. */
const rank = (line: Line, key: SortKey): number | undefined =>
  line.hasFailed ? Number.POSITIVE_INFINITY : badness(line, key);

const compareRanks = (a: number | undefined, b: number | undefined, isDescending: boolean): number => {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return (a < b ? -1 : 1) * (isDescending ? -1 : 1);
};

/** Sorted by a heading; equal lines stay in the order the pages were given. */
export function orderLines(lines: readonly Line[], { by, isDescending }: Sorting): Line[] {
  if (by === 'order') return isDescending ? lines.toReversed() : [...lines];
  if (by === 'page') {
    const direction = isDescending ? -1 : 1;
    return lines.toSorted((a, b) => direction * (a.row.url < b.row.url ? -1 : Number(a.row.url > b.row.url)));
  }
  return lines.toSorted((a, b) => compareRanks(rank(a, by), rank(b, by), isDescending));
}

/** What a table of results shows first. */
export const worstFirst = ({ categories }: PageRequest): Sorting => ({
  by: categories[0] ?? 'performance',
  isDescending: true,
});

/** A second press turns the order round. */
export const nextSorting = (now: Sorting, by: SortKey): Sorting =>
  now.by === by ? { by, isDescending: !now.isDescending } : { by, isDescending: by !== 'page' && by !== 'order' };

const csvMetrics = Object.keys(metricWords) as MetricName[];

const csvHeading = [
  'url',
  'strategy',
  'source',
  'status',
  ...categoryNames,
  ...csvMetrics.map(name => (metricWords[name].unit === 'millisecond' ? `${name}_ms` : name)),
  'failed_audits',
  'fetched_at',
  'error_code',
  'error',
];

type Fields = (string | number | null | undefined)[];

const toFields = (url: string, { source, strategy, part }: Column): Fields => {
  if (!part.ok) return toFailedFields(url, strategy, source, part.trouble);
  const { scores, metrics, failed_audits: failed, fetched_at: fetchedAt } = part.report;
  return [
    ...[url, strategy, source, 'measured'],
    ...categoryNames.map(name => scores[name]),
    ...csvMetrics.map(name => metrics[name].value),
    ...[failed.length, fetchedAt, null, null],
  ];
};

const toFailedFields = (
  url: string,
  strategy: Strategy,
  source: string | null,
  trouble: Parameters<typeof toWords>[0] | undefined,
): Fields => {
  const empty = [...categoryNames, ...csvMetrics, 'failed_audits', 'fetched_at'].map(() => null);
  const words = trouble && toWords(trouble);
  const status = words ? 'failed' : 'not measured';
  return [url, strategy, source, status, ...empty, words?.code, words?.what.join(' ')];
};

/** One line for each page, strategy and side. */
export function toBatchCsv(rows: readonly Row[], request: PageRequest): string {
  const lines = toLines(rows, request).flatMap(({ row, strategy, columns }) =>
    columns.length > 0
      ? columns.map(column => toFields(row.url, column))
      : [toFailedFields(row.url, strategy, null, row.trouble)],
  );
  return toCsv([csvHeading, ...lines]);
}

const toJsonPart = ({ source, strategy, part }: Column) => ({
  source,
  strategy,
  ...(part.ok
    ? { report: part.report }
    : { error: part.trouble.kind === 'problem' ? part.trouble.problem : toWords(part.trouble) }),
});

/** The same with everything the Reports hold. */
export const toBatchJson = (rows: readonly Row[], request: PageRequest): string =>
  JSON.stringify(
    {
      request,
      results: rows.map(row => ({
        url: row.url,
        status: row.state === 'done' ? 'done' : 'not measured',
        ...(row.trouble ? { error: toWords(row.trouble) } : {}),
        ...(row.result
          ? {
              parts: columnsOf(row.result).map(toJsonPart),
              ...(row.result.kind === 'comparisons'
                ? { comparisons: row.result.pairings.map(({ strategy, comparison }) => ({ strategy, comparison })) }
                : {}),
            }
          : {}),
      })),
    },
    null,
    2,
  );
