/** Writes the outcome for people: a line while pages are measured, and the text at the end. */

import { counted } from '../../../presentation/numbers.ts';
import { indentText } from '../../text/terminal/width.ts';
import {
  byChange,
  isMissed,
  missedOf,
  type Report,
  type Row,
  sayFile,
  sayMissed,
  sayRedirect,
  sayVerdict,
  stateWords,
} from './report.ts';

/* Annotations for GitHub: workflow commands on standard output. */

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Max number of annotations of one kind: GitHub shows ten per step. */
const maxAnnotations = 10;

const annotation = (kind: 'error' | 'warning' | 'notice', title: string, message: string): string =>
  `::${kind} title=${property(title)}::${data(message)}`;

/** Returns workflow commands, one per line. */
export function toAnnotations({ rows, unused, isStrict }: Report): string[] {
  const all = byChange(rows, isStrict).flatMap(row => {
    const about = `${row.url} (${row.strategy}${row.mark === undefined ? '' : `, ${row.mark}`})`;
    const verdict = {
      worse: 'error',
      failed: 'error',
      undecided: 'warning',
      not_compared: 'warning',
      created: 'notice',
    } as const;
    const other = row.worse_scores === undefined ? undefined : 'warning';
    const kind = Object.hasOwn(verdict, row.state) ? verdict[row.state as keyof typeof verdict] : other;
    const file = row.files[0];
    const said = [row.explanation, ...(file ? [sayFile(file)] : [])].join('\n');
    return [
      ...(kind ? [annotation(kind, `${stateWords[row.state]}: ${about}`, said)] : []),
      ...(row.redirect?.warning ? [annotation('warning', `Redirect: ${about}`, sayRedirect(row.redirect))] : []),
      ...missedOf(row).map(check =>
        annotation(check.isWarning ? 'warning' : 'error', `Budget: ${about}`, sayMissed(check)),
      ),
    ];
  });
  const missing = unused.map(({ text, isWarning }) =>
    annotation(isWarning ? 'warning' : 'error', 'Budget without a page', text),
  );
  const lines = [...all, ...missing];
  return (['error', 'warning', 'notice'] as const).flatMap(kind =>
    lines.filter(line => line.startsWith(`::${kind} `)).slice(0, maxAnnotations),
  );
}

/** Returns the state of the page, its strategy, and the mark of a disturbed load. */
const sayPage = ({ state, url, strategy, mark }: Row): string =>
  `${stateWords[state]}: ${url} (${strategy}${mark === undefined ? '' : `; ${mark}`})`;

/** Returns one line, without the explanations of the text at the end. */
export function sayRow(row: Row): string {
  const missed = row.checks.filter(isMissed).length;
  return `${sayPage(row)}${missed > 0 ? ` · ${counted(missed, 'missed budget')}` : ''}`;
}

const isTold = (row: Row): boolean =>
  row.state !== 'no_difference' ||
  row.worse_scores !== undefined ||
  row.redirect !== undefined ||
  missedOf(row).length > 0;

/**
 * Returns the verdict, then a paragraph for each result that changed, is not decided or misses a budget.
 * @param columns width of a terminal; logs of pipelines have none
 */
export function toText({ rows, unused, isStrict }: Report, columns = Infinity): string {
  const paragraphs = byChange(rows, isStrict)
    .filter(isTold)
    .map(row => [
      `${sayPage(row)}${row.baseline === undefined ? '' : ` against ${row.baseline}`}`,
      row.explanation,
      ...(row.redirect ? [`${row.redirect.warning ? 'warning: ' : ''}${sayRedirect(row.redirect)}`] : []),
      ...row.files.slice(0, 3).map(sayFile),
      ...missedOf(row).map(
        check => `${check.isWarning ? 'warning' : 'budget missed'}: ${sayMissed(check).replace(/^warn /, '')}`,
      ),
      ...(row.link === undefined ? [] : [row.link]),
    ]);
  const missing = unused.map(({ text, measured }) => [`${text}: ${measured}`]);
  // A link or command is copied, so it stays in one line.
  const links = new Set(rows.map(({ link }) => link));
  const said = [[sayVerdict({ rows, unused, isStrict })], ...missing, ...paragraphs].map(lines =>
    lines
      .flatMap(line => line.split('\n'))
      .map((line, at) => indentText(line, links.has(line) ? Infinity : columns, at === 0 ? '' : '  ', '  '))
      .join('\n'),
  );
  return `${said.join('\n\n')}\n`;
}
