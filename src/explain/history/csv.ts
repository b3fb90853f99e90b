/** Tables of a history and of stored results, for spreadsheets. */
import { categoryNames, metricNames } from '../../contract/names.ts';
import type { History, HistoryPoint } from '../../contract/stored/history.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import { type CsvCell, toCsv } from '../../presentation/csv.ts';

const historyColumns: readonly (readonly [name: string, toCell: (point: HistoryPoint, history: History) => CsvCell])[] =
  [
    ['fetched_at', point => point.fetched_at],
    ['value', ({ value }) => value],
    ['unit', (_, { unit }) => unit],
    ['label', ({ label }) => label],
    ['id', ({ id }) => id],
    ['runs', ({ ids }) => ids.length],
    ['lighthouse_version', point => point.lighthouse_version],
    ['browser_version', point => point.browser_version],
    ['change', ({ id }, { change_points }) => change_points.find(change => change.id === id)?.status],
    ['disturbed', ({ disturbed }) => disturbed],
  ];

/** Writes a line per point; `change` is `better` or `worse` on the first point after a change. */
export const toHistoryCsv = (history: History): string =>
  toCsv([
    historyColumns.map(([name]) => name),
    ...history.points.map(point => historyColumns.map(([, toCell]) => toCell(point, history))),
  ]);

const resultColumns: readonly (readonly [name: string, toValue: (facts: KeptFacts) => CsvCell])[] = [
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
  toCsv([
    resultColumns.map(([name]) => name),
    ...results.map(facts => resultColumns.map(([, toValue]) => toValue(facts))),
  ]);
