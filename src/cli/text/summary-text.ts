/** Formats several results: a row for each, and details below it. */

import type { RequestCategory } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Column, Pairing } from '../../presentation/answer.ts';
import { counted, withSign } from '../../presentation/numbers.ts';
import { sayRepeatedCertainty } from '../../presentation/range.ts';
import { categoriesOf, measuredOf, toResultRow } from '../../presentation/result-rows.ts';
import { namesFor, type SideNames } from '../../presentation/side-names.ts';
import { sayDisturbance } from '../../presentation/undisturbed.ts';
import { categoryWords, headOf, shortCategoryWords, type TableMetric, tableMetrics } from '../../presentation/words.ts';
import { columnsOfMeasurement, type FinishedMeasurement } from '../measurements.ts';
import { sayDenied, toFailureCell, toValueCell } from './table-cells.ts';
import type { Screen } from './terminal/screen.ts';
import { type Cell, toTableLines } from './terminal/table.ts';
import { indentText } from './terminal/width.ts';

/** Columns of a table: those of any of its results. */
type ShownColumns = { readonly categories: readonly RequestCategory[]; readonly metrics: readonly TableMetric[] };

const toShown = (results: readonly Result[]): ShownColumns => ({
  categories: categoriesOf(results),
  metrics: measuredOf(tableMetrics, results),
});

const pairingOf = ({ answer }: FinishedMeasurement): Pairing | undefined =>
  answer?.kind === 'comparisons' ? answer.pairings[0] : undefined;

/** Returns a row of score differences; the cells of metrics are empty. */
const toDifferences = ({ comparison }: Pairing, { categories, metrics }: ShownColumns): string[] => [
  ...categories.map(name => {
    const difference = name === 'agentic-browsing' ? undefined : comparison?.scores[name]?.difference;
    return typeof difference === 'number' ? `  ${withSign(difference)}` : '';
  }),
  ...metrics.map(() => ''),
];

function toCells({ paint }: Screen, { part }: Column, { categories, metrics }: ShownColumns): Cell[] {
  if (!part.ok) return [{ kind: 'text', text: toFailureCell(part.failure), format: 'red' }];
  return [...categories, ...metrics].map(name => toValueCell(paint, toResultRow(part.result, name)));
}

/** A row of the table. `url` and `strategy` are not formatted. */
type SummaryLine = {
  readonly page: Exclude<Cell, string> | '';
  readonly url: string;
  readonly strategy: string;
  readonly side: string;
  readonly cells: readonly Cell[];
  /** Range of the score, below the row; undefined for one run without earlier results. */
  readonly certainty?: string | undefined;
};

const difference = 'difference';
/** Min number of columns for a URL: the rest of 80 after all scores and metrics. */
const minPage = 22;

function toLines(screen: Screen, measured: FinishedMeasurement, shown: ShownColumns, names: SideNames): SummaryLine[] {
  const { url, strategy } = measured.job;
  const lines = columnsOfMeasurement(measured).map(
    (column, at): SummaryLine => ({
      page: at === 0 ? { kind: 'url', text: url, href: url, least: minPage } : '',
      url: at === 0 ? url : '',
      strategy,
      side: namesFor(column.part, names)[column.source].short,
      cells: toCells(screen, column, shown),
      certainty: column.part.ok ? sayRepeatedCertainty(column.part.result) : undefined,
    }),
  );
  const pairing = pairingOf(measured);
  if (!pairing?.comparison) return lines;
  return [...lines, { page: '', url: '', strategy, side: difference, cells: toDifferences(pairing, shown) }];
}

/** Returns whether all rows have the same value, which is then displayed once. */
const isSame = (values: readonly string[]): boolean => new Set(values).size === 1;

type Has = { readonly strategy: boolean; readonly side: boolean };

/** Returns the rows of a side. With several sides, the page is a row of its own, which leaves room in 80 columns. */
function toRows({ page, strategy, side, cells, certainty }: SummaryLine, has: Has): Cell[][] {
  const note = has.strategy ? { note: strategy } : {};
  const ofPage: Cell[][] = has.side && page !== '' ? [[{ ...page, ...note }]] : [];
  const first = has.side ? [`  ${side}`] : [page, ...(has.strategy ? [strategy] : [])];
  const below: Cell[][] =
    certainty === undefined ? [] : [[{ kind: 'text', text: certainty, format: 'dim', indent: 2 }]];
  return [...ofPage, [...first, ...cells], ...below];
}

/** @param room spaces before a word, aligned with marks before values */
const toHead = (
  { categories, metrics }: ShownColumns,
  has: Has,
  words: Readonly<Record<RequestCategory, string>>,
  room: string,
) => [
  'page',
  ...(has.strategy && !has.side ? [''] : []),
  ...categories.map(name => room + words[name]),
  ...metrics.map(name => room + headOf(name)),
];

/** Uses the longest headings that leave URLs complete, otherwise short ones; in card layout, long ones. */
function toRowsText(screen: Screen, shown: ShownColumns, has: Has, lines: readonly SummaryLine[]): string {
  const rows = lines.flatMap(line => toRows(line, has));
  const draw = (head: readonly string[], drawing: Pick<Screen, 'columns' | 'paint' | 'link'> = screen) =>
    toTableLines(head, rows, drawing);
  const heads = [
    toHead(shown, has, categoryWords, '  '),
    toHead(shown, has, shortCategoryWords, '  '),
    toHead(shown, has, shortCategoryWords, ''),
  ];
  const fitting = heads.filter(head => draw(head).head.length > 0);
  // A link contains its whole URL even if the displayed one is shortened.
  const isWhole = (head: readonly string[]) => {
    const drawn = draw(head, { ...screen, link: text => text })
      .rows.flat()
      .join('\n');
    return lines.every(({ url }) => drawn.includes(url));
  };
  const { head, rows: drawn } = draw(fitting.find(isWhole) ?? fitting.at(-1) ?? heads[0] ?? []);
  return [...head, ...drawn.flat(), ''].join('\n');
}

export function toSummaryText(
  screen: Screen,
  all: readonly FinishedMeasurement[],
  { names }: { names: SideNames },
): string {
  const results = all.flatMap(columnsOfMeasurement).flatMap(({ part }) => (part.ok ? [part.result] : []));
  const shown = toShown(results);
  const lines = all.flatMap(measured => toLines(screen, measured, shown, names));
  const has = {
    strategy: !isSame(lines.map(({ strategy }) => strategy)),
    side: !isSame(lines.map(({ side }) => side)),
  };
  const facts = [
    counted(all.length, 'result'),
    ...(has.strategy ? [] : lines.slice(0, 1).map(({ strategy }) => strategy)),
    ...(has.side ? [] : lines.slice(0, 1).map(({ side }) => side)),
  ];
  const verdicts = all.flatMap(measured => {
    const verdict = pairingOf(measured)?.comparison?.explanation;
    return verdict ? [indentText(`${measured.job.url}: ${verdict}`, screen.columns, ''), ''] : [];
  });
  const denied = sayDenied(results);
  const disturbed = all.flatMap(measured =>
    columnsOfMeasurement(measured).flatMap(({ part }) => {
      const said = part.ok ? sayDisturbance(part.result) : undefined;
      return said
        ? [indentText(`${measured.job.url} (${measured.job.strategy}): ${said}`, screen.columns, '', '  ')]
        : [];
    }),
  );
  return [
    indentText(facts.join(' · '), screen.columns, '  '),
    '',
    toRowsText(screen, shown, has, lines),
    ...(denied === '' ? [] : [indentText(denied, screen.columns, ''), ...disturbed, '']),
    ...verdicts,
  ].join('\n');
}
