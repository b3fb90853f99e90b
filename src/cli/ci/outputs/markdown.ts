/** Writes Markdown for a job summary, within its size limit. */

import { absent, counted, formatValue, withSign } from '../../../presentation/numbers.ts';
import { formatFraction } from '../../../presentation/result-rows.ts';
import { categoryWords } from '../../../presentation/words.ts';
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

/** Max size: GitHub discards a larger job summary. */
export const maxSummaryBytes = 1024 * 1024;

/** Escapes text, so that it is never markup. */
const escapeMarkup = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_{}[\]()#+!|~@>-]/g, character => `\\${character}`);

/** Writes a URL as a link. In a bare URL, GitHub would keep the backslashes of escaped characters. */
const linked = (url: string): string =>
  /^https?:/.test(url) ? `<${url.replaceAll(/[<>|\s]/g, encodeURIComponent)}>` : escapeMarkup(url);

/**
 * Escapes text of a page or a server, so that it is never markup, a link or a mention. An empty comment interrupts what
 * GitHub and GitLab would link by themselves: URLs, `www.` and addresses.
 */
const md = (text: string): string =>
  escapeMarkup(text).replaceAll(/(?<=:)(?=\/\/)|(?<=www)(?=\.)|(?<=@)/gi, '<!-- -->');

const score = (value: number | null | undefined): string => (typeof value === 'number' ? String(value) : absent);

/** Formats a metric, with `!` if a disturbance made it unreliable. */
const metric = ({ metrics, denied = [] }: Row, name: string, unit: 'millisecond' | 'unitless'): string =>
  `${formatValue(metrics[name], unit)}${denied.includes(name) ? ' !' : ''}`;

const sayScoreMark = ({ mark }: Row): string => (mark === undefined ? '' : ` (${mark})`);

const toTableRow = (row: Row): string =>
  `| ${[
    `${stateWords[row.state]}${row.checks.some(isMissed) ? ', beyond a budget' : ''}`,
    linked(row.url),
    row.strategy,
    `${score(row.scores.performance)}${sayScoreMark(row)}${row.points === null ? '' : ` (${withSign(row.points)})`}`,
    metric(row, 'largest_contentful_paint', 'millisecond'),
    metric(row, 'total_blocking_time', 'millisecond'),
    metric(row, 'cumulative_layout_shift', 'unitless'),
  ].join(' | ')} |`;

function toSection(row: Row): string {
  const against =
    row.baseline === undefined
      ? ''
      : ` Compared with ${md(row.baseline)}${row.runs ? ` (${row.runs[0]} and ${counted(row.runs[1], 'run')})` : ''}.`;
  const others = Object.entries(row.scores)
    .filter(([name]) => name !== 'performance')
    .map(([name, value]) => `${categoryWords[name as keyof typeof categoryWords] ?? md(name)} ${score(value)}`);
  const { performance_range: range } = row;
  if (range && range.min !== range.max)
    others.unshift(`${categoryWords.performance} ${score(row.scores.performance)}, range ${range.min} to ${range.max}`);
  if (row.agentic_browsing)
    others.push(`${categoryWords['agentic-browsing']} ${formatFraction(row.agentic_browsing)} audits passed`);
  return [
    `### ${stateWords[row.state]}: ${linked(row.url)} (${row.strategy})`,
    '',
    `${md(row.explanation)}${against}`,
    '',
    ...(row.redirect ? [`${row.redirect.warning ? 'Warning: ' : ''}${md(sayRedirect(row.redirect))}`, ''] : []),
    ...(row.files.length > 0
      ? [
          'Changed files, the largest effect first:',
          '',
          ...row.files.slice(0, 10).map(file => `- ${md(sayFile(file))}`),
          '',
        ]
      : []),
    ...missedOf(row).map(check => `- ${check.isWarning ? 'Warning' : 'Budget missed'}: ${md(sayMissed(check))}`),
    ...(others.length > 0 ? ['', `${others.join(' · ')}`] : []),
    ...(row.link === undefined
      ? []
      : ['', `Result: ${/^https?:/.test(row.link) ? linked(row.link) : `\`${row.link.replaceAll('`', '')}\``}`]),
    '',
  ].join('\n');
}

/** @param room available bytes; the last line counts the content that does not fit */
export function toMarkdown(report: Report, room = maxSummaryBytes): string {
  const rows = byChange(report.rows, report.isStrict);
  const reserve = 2000;
  const parts = [
    `## Rangelight: ${sayVerdict(report)}\n\n`,
    '| | Page | Device | Performance | LCP | TBT | CLS |\n|---|---|---|---|---|---|---|\n',
  ];
  let bytes = Buffer.byteLength(parts.join(''));
  const add = (text: string): boolean => {
    const size = Buffer.byteLength(text);
    if (bytes + size > room - reserve) return false;
    parts.push(text);
    bytes += size;
    return true;
  };
  // The table of pages uses at most half of the available bytes.
  let listed = 0;
  for (const row of rows) {
    if (bytes > room / 2 || !add(`${toTableRow(row)}\n`)) break;
    listed += 1;
  }
  parts.push('\n');
  for (const check of report.unused.slice(0, 100)) add(`- Budget of no measured page: ${md(check.text)}\n`);
  let told = 0;
  for (const row of rows) {
    if (!add(`${toSection(row)}\n`)) break;
    told += 1;
  }
  if (listed < rows.length || told < rows.length)
    parts.push(
      `\n${rows.length - listed} rows and ${rows.length - told} sections have no room here; the JSON output has all of them.\n`,
    );
  return parts.join('');
}
