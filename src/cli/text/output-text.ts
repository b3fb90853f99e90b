/** All results for a terminal: one at length, several as a table. */

import { joinWords } from '../web/numbers.ts';
import { toComparisonText } from './comparison-text.ts';
import { toFailureLines } from './failure-lines.ts';
import { columnsOfJob, type Measured } from './jobs.ts';
import { legend, type Paint } from './paint.ts';
import { toReportText } from './report-text.ts';
import { sideWords, toSummaryText } from './summary-text.ts';

/** What failed, once for all sides that failed alike. */
function toFailureText(paint: Paint, measured: Measured): string {
  const sides = new Map<string, { advice: string; names: string[] }>();
  for (const { source, part } of columnsOfJob(measured)) {
    if (part.ok) continue;
    const [what, advice] = toFailureLines(part.trouble);
    const known = sides.get(what) ?? { advice, names: [] };
    known.names.push(sideWords[source]);
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

function toOneText(paint: Paint, measured: Measured): string {
  const { result, job } = measured;
  const [pairing] = result?.kind === 'comparisons' ? result.pairings : [];
  const compared = pairing ? toComparisonText(paint, job.url, pairing) : '';
  const reports = compared === '' ? columnsOfJob(measured).flatMap(({ part }) => (part.ok ? [part.report] : [])) : [];
  return [compared, ...reports.map(report => toReportText(paint, report)), toFailureText(paint, measured)]
    .filter(text => text !== '')
    .join('\n');
}

export function toResultsText(paint: Paint, all: readonly Measured[]): string {
  const [first] = all;
  const hasReport = all.flatMap(columnsOfJob).some(({ part }) => part.ok);
  const text = all.length === 1 && first ? toOneText(paint, first) : toSummaryText(paint, all);
  return hasReport ? `${text}${text.endsWith('\n') ? '' : '\n'}${paint('dim', legend)}\n` : text;
}
