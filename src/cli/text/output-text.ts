/** Formats all results for a terminal: one in detail, several as a table. */

import { joinWords } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { columnsOfMeasurement, type FinishedMeasurement, wholeOf } from '../measurements.ts';
import { toComparisonText } from './comparison-text.ts';
import { toResultText } from './result-text.ts';
import { toSummaryText } from './summary-text.ts';
import { toFailureLines } from './table-cells.ts';
import { legend } from './terminal/paint.ts';
import type { Screen } from './terminal/screen.ts';
import { indentText } from './terminal/width.ts';

export type Showing = {
  readonly names: SideNames;
  /** Whether to list every finding with its tables, not only the first ones. */
  readonly isAll?: boolean;
  /** Returns where a result is stored, as a URL or a command; undefined if it is not. */
  readonly keptAt?: (measured: FinishedMeasurement) => string | undefined;
};

type FailureText = { readonly what: string; readonly advice: string; readonly of: readonly string[] };

/** Returns the failures of a page; equal failures of several sides are joined. */
function failuresOf(measured: FinishedMeasurement, sideNames: SideNames): FailureText[] {
  const sides = new Map<string, { advice: string; names: string[] }>();
  for (const { source, part } of columnsOfMeasurement(measured)) {
    if (part.ok) continue;
    const [what, advice] = toFailureLines(part.failure);
    const known = sides.get(what) ?? { advice, names: [] };
    known.names.push(sideNames[source].short);
    sides.set(what, known);
  }
  const { url, strategy } = measured.job;
  return [...sides].map(([what, { advice, names }]) => ({
    what,
    advice,
    of: [`${url} (${strategy}, ${joinWords(names)})`],
  }));
}

function joinAlike(failures: readonly FailureText[]): FailureText[] {
  const known = new Map<string, FailureText>();
  for (const failure of failures) {
    const key = `${failure.what}\n${failure.advice}`;
    known.set(key, { ...failure, of: [...(known.get(key)?.of ?? []), ...failure.of] });
  }
  return [...known.values()];
}

const toFailureText = ({ paint, columns }: Screen, { what, advice, of }: FailureText): string =>
  [
    ...of.map(page => `${paint('red', '✗')} ${paint('bold', page)}`),
    indentText(what, columns, '  '),
    indentText(advice, columns, '  '),
    '',
  ].join('\n');

function toOneText(screen: Screen, measured: FinishedMeasurement, { names, isAll = false, keptAt }: Showing): string {
  const { answer } = measured;
  const [pairing] = answer?.kind === 'comparisons' ? answer.pairings : [];
  const kept = keptAt?.(measured);
  const compared = pairing ? toComparisonText(screen, measured.job.url, pairing, { names, isAll, keptAt: kept }) : '';
  const columns = compared === '' ? columnsOfMeasurement(measured) : [];
  const results = columns.flatMap(({ source, part }) => {
    const all = isAll ? { whole: wholeOf(measured, source) } : undefined;
    return part.ok ? toResultText(screen, { result: part.result, all, keptAt: kept }) : [];
  });
  const failures = failuresOf(measured, names).map(failure => toFailureText(screen, failure));
  return [compared, ...results, ...failures].filter(text => text !== '').join('\n');
}

/** Formats the table, then the details: each page if all findings are requested, and why pages failed. */
function toListText(screen: Screen, all: readonly FinishedMeasurement[], showing: Showing): string {
  const table = toSummaryText(screen, all, showing);
  if (showing.isAll) return [table, ...all.map(measured => toOneText(screen, measured, showing))].join('\n');
  const failures = joinAlike(all.flatMap(measured => failuresOf(measured, showing.names)));
  const said = failures.map(failure => toFailureText(screen, failure));
  return [table, ...said].join('\n');
}

export function toResultsText(screen: Screen, all: readonly FinishedMeasurement[], showing: Showing): string {
  const [first] = all;
  const hasResult = all.flatMap(columnsOfMeasurement).some(({ part }) => part.ok);
  const text = all.length === 1 && first ? toOneText(screen, first, showing) : toListText(screen, all, showing);
  return hasResult ? `${text}${text.endsWith('\n') ? '' : '\n'}${screen.paint('dim', legend)}\n` : text;
}
