/** Writes tables for spreadsheets: RFC 4180, without cells that a spreadsheet would execute. */
import { categoryNames, metricNames } from '../../contract/names.ts';
import type { History, HistoryPoint } from '../../contract/stored/history.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';

/** Matches cells that a spreadsheet would read as a formula; an apostrophe before them makes them text. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

const toText = (text: string | null): string => {
  if (text === null) return '';
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const historyColumns: readonly (readonly [name: string, toCell: (point: HistoryPoint, history: History) => string])[] =
  [
    ['fetched_at', point => point.fetched_at],
    ['value', ({ value }) => String(value)],
    ['unit', (_, { unit }) => unit],
    ['label', ({ label }) => toText(label)],
    ['id', ({ id }) => id],
    ['runs', ({ ids }) => String(ids.length)],
    ['lighthouse_version', point => toText(point.lighthouse_version)],
    ['browser_version', point => toText(point.browser_version)],
  ];

const toMark = ({ disturbed }: HistoryPoint): string => (disturbed === null ? '' : String(disturbed));

/**
 * Writes one line per point. `change` is `better` or `worse` on the first point after a change; `disturbed` shows
 * whether other work affected the point.
 */
export function toHistoryCsv(history: History): string {
  const changes = new Map(history.change_points.map(({ id, status }) => [id, status]));
  const lines = history.points.map(point =>
    [...historyColumns.map(([, toCell]) => toCell(point, history)), changes.get(point.id) ?? '', toMark(point)].join(
      ',',
    ),
  );
  return [[...historyColumns.map(([name]) => name), 'change', 'disturbed'].join(','), ...lines, ''].join('\r\n');
}

const toCell = (value: string | number | boolean | null | undefined): string =>
  typeof value === 'string' ? toText(value) : String(value ?? '');

const resultColumns: readonly (readonly [name: string, toValue: (facts: KeptFacts) => Parameters<typeof toCell>[0]])[] =
  [
    ['fetched_at', facts => facts.fetched_at],
    ['url', ({ url }) => url],
    ['strategy', ({ strategy }) => strategy],
    ['source', ({ source }) => source],
    ['kind', ({ kind }) => kind],
    ['label', ({ label }) => label],
    ['id', ({ id }) => id],
    ...categoryNames.map(name => [name, ({ scores }: KeptFacts) => scores[name] ?? null] as const),
    ['performance_min', facts => facts.performance_range?.min],
    ['performance_max', facts => facts.performance_range?.max],
    ...metricNames.map(name => [name, ({ metrics }: KeptFacts) => metrics[name] ?? null] as const),
    ['disturbed', ({ disturbed }) => disturbed],
    ['error_code', facts => facts.error_code],
    ['page_status', facts => facts.page_status],
    ['lighthouse_version', ({ analyser }) => analyser.lighthouse_version],
  ];

/** Writes one line per stored analysis. A failure has an error code in place of scores. Times in milliseconds. */
export const toResultsCsv = (results: readonly KeptFacts[]): string =>
  [
    resultColumns.map(([name]) => name).join(','),
    ...results.map(facts => resultColumns.map(([, toValue]) => toCell(toValue(facts))).join(',')),
    '',
  ].join('\r\n');
