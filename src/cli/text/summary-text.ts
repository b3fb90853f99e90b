/** Several results: a row for each, and below it what does not fit into a row. */

import type { Category } from '../../contract/names.ts';
import type { Result } from '../../contract/result.ts';
import type { Column, Pairing } from '../../presentation/answer.ts';
import { categoryWords } from '../../presentation/findings.ts';
import { withSign } from '../../presentation/numbers.ts';
import { namesFor, type SideNames } from '../../presentation/side-names.ts';
import { columnsOfJob, type Measured } from '../jobs.ts';
import { categoriesOf, shortMetrics, toMetricCell, toScoreCell } from './cells.ts';
import { toFailureCell } from './failure-lines.ts';
import type { Paint } from './paint.ts';
import { toTable } from './table.ts';

type ShortMetric = keyof typeof shortMetrics;

/** The columns of a table: what any of its results has. */
type Shown = { readonly categories: readonly Category[]; readonly metrics: readonly ShortMetric[] };

const toShown = (results: readonly Result[]): Shown => ({
  categories: categoriesOf(results),
  metrics: (Object.keys(shortMetrics) as ShortMetric[]).filter(name =>
    results.some(({ metrics }) => typeof metrics[name].value === 'number'),
  ),
});

const pairingOf = ({ answer }: Measured): Pairing | undefined =>
  answer?.kind === 'comparisons' ? answer.pairings[0] : undefined;

const toDifferences = ({ comparison }: Pairing, categories: readonly Category[]): string[] =>
  categories.map(name => {
    const difference = comparison?.scores[name]?.difference;
    return typeof difference === 'number' ? `  ${withSign(difference)}` : '';
  });

function toCells(paint: Paint, { part }: Column, { categories, metrics }: Shown): string[] {
  if (!part.ok) return [paint('red', toFailureCell(part.failure))];
  return [
    ...categories.map(name => toScoreCell(paint, part.result, name)),
    ...metrics.map(name => toMetricCell(paint, part.result, name)),
  ];
}

function toRows(paint: Paint, measured: Measured, shown: Shown, names: SideNames): string[][] {
  const { url, strategy } = measured.job;
  const columns = columnsOfJob(measured);
  const rows = columns.map((column, at) => {
    const [page, under] = at === 0 ? [url, strategy] : ['', ''];
    return [page, under, namesFor(column.part, names)[column.source].short, ...toCells(paint, column, shown)];
  });
  const pairing = pairingOf(measured);
  return pairing?.comparison ? [...rows, ['', '', 'difference', ...toDifferences(pairing, shown.categories)]] : rows;
}

export function toSummaryText(paint: Paint, all: readonly Measured[], names: SideNames): string {
  const results = all.flatMap(columnsOfJob).flatMap(({ part }) => (part.ok ? [part.result] : []));
  const shown = toShown(results);
  const head = ['page', '', 'side', ...shown.categories.map(name => `  ${categoryWords[name]}`)];
  const shorts = shown.metrics.map(name => `  ${shortMetrics[name]}`);
  const rows = all.flatMap(measured => toRows(paint, measured, shown, names));
  const verdicts = all.flatMap(measured => {
    const verdict = pairingOf(measured)?.comparison?.verdict;
    return verdict ? [`${measured.job.url}: ${verdict}`, ''] : [];
  });
  return [toTable([...head, ...shorts], rows), ...verdicts].join('\n');
}
