/** A batch as a table that can be sorted and saved: a line for each page and strategy. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import { isFailedRow, type Row } from '../../../api-client/run-batch.ts';
import {
  categoryNames,
  type MetricName,
  type RequestCategory,
  requestCategories,
  type Strategy,
} from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import { type Column, columnsOf, type Part } from '../../../presentation/answer.ts';
import { type CsvCell, toCsv } from '../../../presentation/csv.ts';
import { type FailureReason, toWords } from '../../../presentation/errors-in-words.ts';
import { formatValue } from '../../../presentation/numbers.ts';
import { spreadOf } from '../../../presentation/range.ts';
import { toPageValue } from '../../../presentation/result-rows.ts';
import { isDisturbed } from '../../../presentation/undisturbed.ts';
import { headOf, isTableMetric, metricWords, type TableMetric, tableMetrics } from '../../../presentation/words.ts';

export type SortKey = 'order' | 'page' | RequestCategory | TableMetric;
export type Sorting = {
  readonly by: SortKey;
  /** Whether the worst values come first; for `page` and `order`, whether the order is reversed. */
  readonly isDescending: boolean;
};

/** One line of the table: a page with one strategy, and each side that measured it. */
export type TableLine = {
  readonly row: Row;
  readonly strategy: Strategy;
  readonly columns: readonly Column[];
  readonly hasFailed: boolean;
};

export const strategiesOf = ({ strategy }: Pick<PageRequest, 'strategy'>): readonly Strategy[] =>
  strategy === 'both' ? ['mobile', 'desktop'] : [strategy];

export const toLines = (rows: readonly Row[], request: PageRequest): TableLine[] =>
  rows.flatMap(row =>
    strategiesOf(request).map(strategy => {
      const columns = row.answer ? columnsOf(row.answer).filter(column => column.strategy === strategy) : [];
      const hasFailed = isFailedRow(row) || (columns.length > 0 && columns.every(({ part }) => !part.ok));
      return { row, strategy, columns, hasFailed };
    }),
  );

const isCategory = (key: string): key is RequestCategory => (requestCategories as readonly string[]).includes(key);

/** Returns the value of the page in a column; null if there is none. */
export const readPageValue = (part: Part, key: SortKey): number | null =>
  !part.ok || key === 'order' || key === 'page' ? null : toPageValue(part.result, key);

/** Returns a sort value that is larger for worse values. The worse of two sides counts; disturbed values do not. */
const badness = (line: TableLine, key: SortKey): number | undefined => {
  const values = line.columns.flatMap(({ part }) => readPageValue(part, key) ?? []);
  if (values.length === 0) return undefined;
  return isCategory(key) ? -Math.min(...values) : Math.max(...values);
};

const compareValues = (a: number | undefined, b: number | undefined, isDescending: boolean): number => {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return (a < b ? -1 : 1) * (isDescending ? -1 : 1);
};

/** Sorts lines by a column; equal ones stay in the order of the pages. Failures are last, except in `order`. */
export function orderLines(lines: readonly TableLine[], { by, isDescending }: Sorting): TableLine[] {
  if (by === 'order') return isDescending ? lines.toReversed() : [...lines];
  if (by === 'page') {
    const direction = isDescending ? -1 : 1;
    const byName = (a: TableLine, b: TableLine) =>
      direction * (a.row.url < b.row.url ? -1 : Number(a.row.url > b.row.url));
    return lines.toSorted((a, b) => Number(a.hasFailed) - Number(b.hasFailed) || byName(a, b));
  }
  return lines
    .map(line => ({ line, value: line.hasFailed ? undefined : badness(line, by) }))
    .sort(
      (a, b) => Number(a.line.hasFailed) - Number(b.line.hasFailed) || compareValues(a.value, b.value, isDescending),
    )
    .map(({ line }) => line);
}

export const shownKinds = ['all', 'poor', 'failed'] as const;
export type ShownKind = (typeof shownKinds)[number];
export type ListFilter = {
  readonly kind: ShownKind;
  readonly search: string;
  /** Displays only the pages with this finding. */
  readonly finding?: { readonly title: string; readonly urls: readonly string[] } | undefined;
};
export const wholeList: ListFilter = { kind: 'all', search: '' };

const isPoor = ({ columns }: TableLine): boolean =>
  columns.some(({ part }) => categoryNames.some(name => (readPageValue(part, name) ?? 100) < 50));

const isOfKind: Readonly<Record<ShownKind, (line: TableLine) => boolean>> = {
  all: () => true,
  poor: isPoor,
  failed: ({ hasFailed }) => hasFailed,
};

/** Filters lines by kind, by a part of the URL, and by a finding. */
export function filterLines(lines: readonly TableLine[], { kind, search, finding }: ListFilter): TableLine[] {
  const wanted = search.trim().toLowerCase();
  return lines.filter(
    line =>
      isOfKind[kind](line) &&
      line.row.url.toLowerCase().includes(wanted) &&
      (finding === undefined || finding.urls.includes(line.row.url)),
  );
}

export const countKind = (lines: readonly TableLine[], kind: ShownKind): number => lines.filter(isOfKind[kind]).length;

export const asGiven: Sorting = { by: 'order', isDescending: false };

/** Returns the default order of the table when the list has ended. */
export const worstFirst = ({ categories }: PageRequest): Sorting => ({
  by: requestCategories.find(name => categories.includes(name)) ?? 'performance',
  isDescending: true,
});

/** Returns the next order: a second click reverses it. */
export const nextSorting = (now: Sorting, by: SortKey): Sorting =>
  now.by === by ? { by, isDescending: !now.isDescending } : { by, isDescending: by !== 'page' && by !== 'order' };

const csvMetrics = Object.keys(metricWords) as MetricName[];

const csvFacts = [
  'disturbed',
  'undisturbed_performance',
  'performance_min',
  'performance_max',
  'failed_audits',
  'fetched_at',
  'agentic_browsing_passed',
  'agentic_browsing_total',
] as const;

const csvHeading = [
  'url',
  'strategy',
  'source',
  'status',
  ...categoryNames,
  ...csvMetrics.map(name => (metricWords[name].unit === 'millisecond' ? `${name}_ms` : name)),
  ...csvFacts,
  'error_code',
  'error',
];

/** Returns the performance score of the page; for a disturbed run, the score without the disturbance if it is known. */
const toUndisturbed = (result: Result): number | null | undefined =>
  isDisturbed(result) ? result.disturbance?.performance : result.scores.performance;

const toFields = (url: string, { source, strategy, part }: Column): CsvCell[] => {
  if (!part.ok) return toFailedFields(url, strategy, source, part.failure);
  const { scores, metrics, failed_audits: failed, fetched_at: fetchedAt, agentic_browsing: agentic } = part.result;
  const range = spreadOf(part.result, 'performance');
  return [
    ...[url, strategy, source, 'measured'],
    ...categoryNames.map(name => scores[name]),
    ...csvMetrics.map(name => metrics[name].value),
    ...[part.result.disturbed, toUndisturbed(part.result), range?.min, range?.max],
    ...[failed.length, fetchedAt, agentic?.passed, agentic?.total, null, null],
  ];
};

const toFailedFields = (
  url: string,
  strategy: Strategy,
  source: string | null,
  failure: Parameters<typeof toWords>[0] | undefined,
): CsvCell[] => {
  const empty = [...categoryNames, ...csvMetrics, ...csvFacts].map(() => null);
  const words = failure && toWords(failure);
  const status = words ? 'failed' : 'not measured';
  return [url, strategy, source, status, ...empty, words?.code, words?.what.join(' ')];
};

/** Writes one line for each page, strategy and side. Some spreadsheets need the byte order mark to read UTF-8. */
export function toBatchCsv(rows: readonly Row[], request: PageRequest): string {
  const lines = toLines(rows, request).flatMap(({ row, strategy, columns }) =>
    columns.length > 0
      ? columns.map(column => toFields(row.url, column))
      : [toFailedFields(row.url, strategy, null, row.failure)],
  );
  return `\ufeff${toCsv([csvHeading, ...lines])}`;
}

const toJsonPart = ({ source, strategy, part }: Column) => ({
  source,
  strategy,
  ...(part.ok
    ? { result: part.result }
    : { error: part.failure.kind === 'problem' ? part.failure.problem : toWords(part.failure) }),
});

/** Writes the results without their full data as JSON. */
export const toBatchJson = (rows: readonly Row[], request: PageRequest): string =>
  JSON.stringify(
    {
      request,
      results: rows.map(row => ({
        url: row.url,
        status: row.state === 'done' ? 'done' : 'not measured',
        ...(row.failure ? { error: toWords(row.failure) } : {}),
        ...(row.answer
          ? {
              parts: columnsOf(row.answer).map(toJsonPart),
              ...(row.answer.kind === 'comparisons'
                ? { comparisons: row.answer.pairings.map(({ strategy, comparison }) => ({ strategy, comparison })) }
                : {}),
            }
          : {}),
      })),
    },
    null,
    2,
  );

/** A column with values. */
export type ValueKey = Exclude<SortKey, 'order' | 'page'>;

export const labelOf = (key: SortKey): string => {
  if (key === 'page') return 'Page';
  if (key === 'order') return 'Order';
  return headOf(key);
};

export const keysOf = ({ categories }: Pick<PageRequest, 'categories'>): ValueKey[] => [
  ...requestCategories.filter(name => categories.includes(name)),
  ...(categories.includes('performance') ? tableMetrics : []),
];

export const sayValue = (value: number, key: ValueKey): string =>
  isTableMetric(key) ? formatValue(value, metricWords[key].unit) : `${value}`;

export type BatchState = {
  readonly request: PageRequest;
  readonly rows: readonly Row[];
  readonly isRunning: boolean;
  /** Whether stored results are displayed without measuring. */
  readonly isKept: boolean;
  readonly isCancelled: boolean;
  readonly failure?: FailureReason;
  readonly sorting: Sorting;
  readonly filter: ListFilter;
  /** Lines with open details. */
  readonly opened: ReadonlySet<string>;
  readonly seconds: number;
  /** Number of displayed lines. */
  readonly shown: number;
  /** Whether the service stores results, including screenshots. */
  readonly keepsResults: boolean;
};

/** Number of lines that are displayed at first, and added by each click. */
export const linesAtOnce = 100;
