/** Writes the outcome for people: a line while pages are measured, and the text at the end. */
import {
  byChange,
  missedOf,
  type Report,
  type Row,
  sayFile,
  sayMissed,
  sayRedirect,
  sayVerdict,
  stateWords,
} from './report.ts';

/** Returns the state of the page, its strategy, and the mark of a disturbed load. */
const sayPage = ({ state, url, strategy, mark }: Row): string =>
  `${stateWords[state]}: ${url} (${strategy}${mark === undefined ? '' : `; ${mark}`})`;

export function sayRow(row: Row): string {
  const moved = row.redirect ? [sayRedirect(row.redirect)] : [];
  const isTold = row.worse_scores !== undefined || (row.state !== 'no_difference' && row.state !== 'created');
  const details = isTold ? [row.explanation] : [];
  return [sayPage(row), ...moved, ...details, ...missedOf(row).map(sayMissed)].join(' · ');
}

const isTold = (row: Row): boolean =>
  row.state !== 'no_difference' ||
  row.worse_scores !== undefined ||
  row.redirect !== undefined ||
  missedOf(row).length > 0;

/** Returns the verdict, then a paragraph for each result that changed, is not decided or misses a budget. */
export function toText({ rows, unused, isStrict }: Report): string {
  const paragraphs = byChange(rows, isStrict)
    .filter(isTold)
    .map(row =>
      [
        `${sayPage(row)}${row.baseline === undefined ? '' : ` against ${row.baseline}`}`,
        `  ${row.explanation}`,
        ...(row.redirect ? [`  ${row.redirect.warning ? 'warning: ' : ''}${sayRedirect(row.redirect)}`] : []),
        ...row.files.slice(0, 3).map(file => `  ${sayFile(file)}`),
        ...missedOf(row).map(check => `  ${check.isWarning ? 'warning' : 'budget missed'}: ${sayMissed(check)}`),
        ...(row.link === undefined ? [] : [`  ${row.link}`]),
      ].join('\n'),
    );
  const missing = unused.map(({ text, measured }) => `${text}: ${measured}`);
  return `${[sayVerdict({ rows, unused, isStrict }), ...missing, ...paragraphs].join('\n\n')}\n`;
}
