/** Several results: a row for each, and under it what a row has no room for. */

import type { Category, Report } from '../report/report.ts';
import type { Column, Pairing } from '../web/answer.ts';
import { categoryWords } from '../web/findings.ts';
import { withSign } from '../web/numbers.ts';
import { categoriesOf, shortMetrics, toMetricCell, toScoreCell } from './cells.ts';
import { toFailureCell } from './failure-lines.ts';
import { columnsOfJob, type Measured } from './jobs.ts';
import type { Paint } from './paint.ts';
import { toTable } from './table.ts';

type ShortMetric = keyof typeof shortMetrics;

/** The columns of a table: what any of its Reports has. */
type Shown = { readonly categories: readonly Category[]; readonly metrics: readonly ShortMetric[] };

const toShown = (reports: readonly Report[]): Shown => ({
  categories: categoriesOf(reports),
  metrics: (Object.keys(shortMetrics) as ShortMetric[]).filter(name =>
    reports.some(({ metrics }) => typeof metrics[name].value === 'number'),
  ),
});

export const sideWords = { psi: 'remote', lighthouse: 'local' } as const;

const pairingOf = ({ result }: Measured): Pairing | undefined =>
  result?.kind === 'comparisons' ? result.pairings[0] : undefined;

const toDifferences = ({ comparison }: Pairing, categories: readonly Category[]): string[] =>
  categories.map(name => {
    const difference = comparison?.scores[name]?.difference;
    return typeof difference === 'number' ? `  ${withSign(difference)}` : '';
  });

function toCells(paint: Paint, { part }: Column, { categories, metrics }: Shown): string[] {
  if (!part.ok) return [paint('red', toFailureCell(part.trouble))];
  return [
    ...categories.map(name => toScoreCell(paint, part.report, name)),
    ...metrics.map(name => toMetricCell(paint, part.report, name)),
  ];
}

function toRows(paint: Paint, measured: Measured, shown: Shown): string[][] {
  const { url, strategy } = measured.job;
  const columns = columnsOfJob(measured);
  const rows = columns.map((column, at) => {
    const [page, under] = at === 0 ? [url, strategy] : ['', ''];
    return [page, under, sideWords[column.source], ...toCells(paint, column, shown)];
  });
  const pairing = pairingOf(measured);
  return pairing?.comparison ? [...rows, ['', '', 'difference', ...toDifferences(pairing, shown.categories)]] : rows;
}

export function toSummaryText(paint: Paint, all: readonly Measured[]): string {
  const reports = all.flatMap(columnsOfJob).flatMap(({ part }) => (part.ok ? [part.report] : []));
  const shown = toShown(reports);
  const head = ['page', '', 'side', ...shown.categories.map(name => `  ${categoryWords[name]}`)];
  const shorts = shown.metrics.map(name => `  ${shortMetrics[name]}`);
  const rows = all.flatMap(measured => toRows(paint, measured, shown));
  const verdicts = all.flatMap(measured => {
    const verdict = pairingOf(measured)?.comparison?.verdict;
    return verdict ? [`${measured.job.url}: ${verdict}`, ''] : [];
  });
  return [toTable([...head, ...shorts], rows), ...verdicts].join('\n');
}
