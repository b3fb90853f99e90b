/** All results for a terminal: one at length, several as a table. */

import { joinWords } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { columnsOfJob, type Measured } from '../jobs.ts';
import { toComparisonText } from './comparison-text.ts';
import { toFailureLines } from './failure-lines.ts';
import { legend, type Paint } from './paint.ts';
import { toResultText } from './result-text.ts';
import { toSummaryText } from './summary-text.ts';

/** What failed, once for all sides that failed alike. */
function toFailureText(paint: Paint, measured: Measured, sideNames: SideNames): string {
  const sides = new Map<string, { advice: string; names: string[] }>();
  for (const { source, part } of columnsOfJob(measured)) {
    if (part.ok) continue;
    const [what, advice] = toFailureLines(part.failure);
    const known = sides.get(what) ?? { advice, names: [] };
    known.names.push(sideNames[source].short);
    sides.set(what, known);
  }
  const { url, strategy } = measured.job;
  return [...sides]
    .flatMap(([what, { advice, names }]) => [
      `${paint('red', '✗')} ${paint('bold', url)} (${strategy}, ${joinWords(names)})`,
      `  ${what}`,
      `  ${advice}`,
      '',
    ])
    .join('\n');
}

function toOneText(paint: Paint, measured: Measured, names: SideNames): string {
  const { answer, job } = measured;
  const [pairing] = answer?.kind === 'comparisons' ? answer.pairings : [];
  const compared = pairing ? toComparisonText(paint, job.url, pairing, names) : '';
  const results = compared === '' ? columnsOfJob(measured).flatMap(({ part }) => (part.ok ? [part.result] : [])) : [];
  return [compared, ...results.map(result => toResultText(paint, result)), toFailureText(paint, measured, names)]
    .filter(text => text !== '')
    .join('\n');
}

export function toResultsText(paint: Paint, all: readonly Measured[], names: SideNames): string {
  const [first] = all;
  const hasResult = all.flatMap(columnsOfJob).some(({ part }) => part.ok);
  const text = all.length === 1 && first ? toOneText(paint, first, names) : toSummaryText(paint, all, names);
  return hasResult ? `${text}${text.endsWith('\n') ? '' : '\n'}${paint('dim', legend)}\n` : text;
}
