/** What to fix, for a terminal: the first findings in a line each, or all of them with their tables. */
import type { Result } from '../../contract/result.ts';
import { type Cell as DetailCell, type DetailTable, toDetailTables } from '../../presentation/audit-details.ts';
import {
  categoryWords,
  countFindings,
  type Finding,
  type FindingGroup,
  groupFindings,
  mergeFindings,
  sayEffect,
} from '../../presentation/findings.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { rateScore } from '../../presentation/metric-range.ts';
import { counted } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import type { Whole } from '../../presentation/whole/read.ts';
import { toMarked } from './paint.ts';
import { toPlainLine } from './plain-text.ts';
import type { Screen } from './screen.ts';
import { type Cell, toTable } from './table.ts';
import { indentText } from './width.ts';

const maxFirst = 5;

export function toFirstFindings({ proseColumns }: Screen, result: Result): string[] {
  const findings = groupFindings(result).flatMap(group => group.findings);
  if (findings.length === 0) return [];
  const shown = findings.slice(0, maxFirst).map(finding => {
    const [title, effect] = [toPlainText(finding.title), sayEffect(finding, result)];
    return indentText(effect ? `${title} (${effect})` : title, proseColumns, '  - ', '    ');
  });
  const rest = findings.length - shown.length;
  return ['To fix:', ...shown, ...(rest > 0 ? [`  and ${rest} more (--all shows them)`] : []), ''];
}

const indent = '    ';
/** Of a row below another. */
const stepColumns = 2;

/** A table of an audit is what the page under test wrote, and does not come through the plain body. */
function toCell({ kind, text, note, depth = 0 }: DetailCell): Cell {
  const plain = toPlainLine(text);
  const said = note === undefined ? {} : { note: toPlainLine(note) };
  if (kind === 'number') return { kind, text: plain };
  const shown = { text: plain, indent: depth * stepColumns, ...said };
  return kind === 'url' ? { ...shown, kind, href: plain } : { ...shown, kind: 'text' };
}

/** A table without headings is text. */
const toHead = ({ headings, rows }: DetailTable): string[] =>
  headings.length > 0 ? headings.map(toPlainLine) : (rows[0] ?? []).map(() => '');

function toDetails(screen: Screen, table: DetailTable): string[] {
  const inner = { ...screen, columns: screen.columns - indent.length };
  const title = table.title === undefined ? [] : [`  ${toPlainLine(table.title)}`];
  const lines = toTable(
    toHead(table),
    table.rows.map(row => row.map(toCell)),
    inner,
  )
    .trimEnd()
    .split('\n');
  const more = table.more > 0 ? [`  and ${counted(table.more, 'row')} more (--json has them)`] : [];
  return [...title, ...lines, ...more].map(line => indent + line);
}

/** Title, name and effect, then what the audit lists. @param seenBy the sides, where there are two */
function toFinding(
  screen: Screen,
  finding: Finding,
  facts: readonly (string | undefined)[],
  tables: readonly DetailTable[],
): string[] {
  const { paint, proseColumns } = screen;
  const rating = finding.score === null ? undefined : rateScore(finding.score);
  const said = [finding.id, ...facts].filter(fact => fact !== undefined).join(' · ');
  const broken = finding.error_message === undefined ? [] : [`The audit failed: ${finding.error_message}`];
  return [
    indentText(toPlainText(finding.title), proseColumns, `  ${toMarked(paint, '', rating)}`, indent),
    ...[said, ...broken].map(line => paint('dim', indentText(line, proseColumns, indent))),
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

/** @param whole for the tables; undefined where it did not come */
export const toAllFindings = (screen: Screen, result: Result, whole: Whole | undefined): string[] =>
  toGroups(screen, groupFindings(result), finding =>
    toFinding(
      screen,
      finding,
      [sayEffect(finding, result)],
      whole ? toDetailTables({ ...result, lighthouse_result: whole }, finding.id) : [],
    ),
  );

/** What either side of a comparison saw. It comes without the tables. */
export const toComparedFindings = (screen: Screen, psi: Result, lighthouse: Result, names: SideNames): string[] =>
  toGroups(screen, mergeFindings(psi, lighthouse), finding => {
    const [only] = finding.sources;
    const seenBy = finding.sources.length === 1 && only ? `only ${names[only].short}` : undefined;
    return toFinding(screen, finding, [sayEffect(finding), seenBy], []);
  });
