/** Formats findings for a terminal: one line for each of the first ones, or all of them with their tables. */
import type { Result } from '../../contract/result/result.ts';
import {
  type AuditCell as DetailCell,
  type DetailTable,
  toDetailTables,
} from '../../presentation/findings/audit-details.ts';
import {
  bestFindings,
  countFindings,
  type Finding,
  type FindingGroup,
  groupFindings,
  mergeFindings,
  sayEffect,
  sayFacts,
  sayPoints,
} from '../../presentation/findings/findings.ts';
import type { Whole } from '../../presentation/full-result/read.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { rateScore } from '../../presentation/metric-range.ts';
import { counted } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { categoryWords } from '../../presentation/words.ts';
import { toMarked } from './terminal/paint.ts';
import { toPlainLine } from './terminal/plain-text.ts';
import type { Screen } from './terminal/screen.ts';
import { type Cell, toTableLines } from './terminal/table.ts';
import { indentText } from './terminal/width.ts';

const maxFirst = 5;

export function toFirstFindings({ columns }: Screen, result: Result): string[] {
  const groups = groupFindings(result);
  if (groups.length === 0) return [];
  const shown = bestFindings(groups, maxFirst).map(finding => {
    const facts = sayFacts(finding, result);
    const title = toPlainText(finding.title);
    return indentText(facts.length > 0 ? `${title} (${facts.join(', ')})` : title, columns, '  - ', '    ');
  });
  const rest = countFindings(groups) - shown.length;
  return ['To fix:', ...shown, ...(rest > 0 ? [`  and ${rest} more (--all shows them)`] : []), ''];
}

const indent = '    ';
/** Indentation of a sub-row in columns. */
const stepColumns = 2;

/** Returns a cell of an audit's table. Its text comes from the page under test, so it is made plain here. */
function toCell({ kind, text, note, depth = 0 }: DetailCell): Cell {
  const plain = toPlainLine(text);
  if (kind === 'number') return { kind, text: plain };
  const shown = { text: plain, indent: depth * stepColumns };
  if (kind !== 'url') return { ...shown, kind: 'text' };
  return { ...shown, kind, href: plain, ...(note === undefined ? {} : { note: toPlainLine(note) }) };
}

const toNotes = ({ paint, columns }: Screen, row: readonly DetailCell[]): string[] =>
  row.flatMap(({ kind, note }) =>
    kind === 'url' || note === undefined ? [] : [paint('dim', indentText(toPlainLine(note), columns, indent))],
  );

/** Formats a table; one without headings is text. */
function toRows(screen: Screen, { headings, rows }: DetailTable): string[] {
  if (headings.length === 0) return rows.flat().map(({ text }) => indentText(toPlainLine(text), screen.columns, '  '));
  const lines = toTableLines(
    headings.map(toPlainLine),
    rows.map(row => row.map(toCell)),
    screen,
  );
  return [...lines.head, ...lines.rows.flatMap((row, at) => [...row, ...toNotes(screen, rows[at] ?? [])])];
}

function toDetails(screen: Screen, table: DetailTable): string[] {
  const inner = { ...screen, columns: screen.columns - indent.length };
  const title = table.title === undefined ? [] : [indentText(toPlainLine(table.title), inner.columns, '  ')];
  const more = table.more > 0 ? [`  and ${counted(table.more, 'row')} more (--json has them)`] : [];
  return [...title, ...toRows(inner, table), ...more].flatMap(text => text.split('\n').map(line => indent + line));
}

/** Formats a finding, then the tables of its audit. @param facts effect, points, and the side if only one has it */
function toFinding(
  screen: Screen,
  finding: Finding,
  facts: readonly (string | undefined)[],
  tables: readonly DetailTable[],
): string[] {
  const { paint, columns } = screen;
  const rating = finding.score === null ? undefined : rateScore(finding.score);
  const said = [finding.id, ...facts].filter(fact => fact !== undefined).join(' · ');
  return [
    indentText(toPlainText(finding.title), columns, `  ${toMarked(paint, '', rating)}`, indent),
    paint('dim', indentText(said, columns, indent)),
    ...tables.flatMap(table => toDetails(screen, table)),
    '',
  ];
}

function toGroups({ paint }: Screen, groups: readonly FindingGroup[], draw: (finding: Finding) => string[]): string[] {
  if (groups.length === 0) return [];
  return [
    `To fix: ${countFindings(groups)}`,
    '',
    ...groups.flatMap(({ category, findings }) => [paint('bold', categoryWords[category]), ...findings.flatMap(draw)]),
  ];
}

/** @param whole result with the tables; undefined if it was not received */
export const toAllFindings = (screen: Screen, result: Result, whole: Whole | undefined): string[] =>
  toGroups(screen, groupFindings(result), finding =>
    toFinding(
      screen,
      finding,
      // The tables name the files.
      whole ? [sayEffect(finding, result), sayPoints(finding)] : sayFacts(finding, result),
      whole ? toDetailTables({ ...result, lighthouse_result: whole }, finding.audit ?? finding.id) : [],
    ),
  );

/** Formats the findings of both sides of a comparison, which have no tables. */
export const toComparedFindings = (screen: Screen, psi: Result, lighthouse: Result, names: SideNames): string[] =>
  toGroups(screen, mergeFindings(psi, lighthouse), finding => {
    const [only] = finding.sources;
    const seenBy = finding.sources.length === 1 && only ? `only ${names[only].short}` : undefined;
    return toFinding(screen, finding, [...sayFacts(finding), seenBy], []);
  });
