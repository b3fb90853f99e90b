/** Formats one result for a terminal: its scores, its metrics, and the first fixes. */

import type { Result } from '../../contract/result/result.ts';
import { sayConditions } from '../../presentation/condition-words.ts';
import {
  auditKinds,
  auditKindWords,
  type OtherAudit,
  toOtherAudits,
} from '../../presentation/full-result/other-audits.ts';
import type { Whole } from '../../presentation/full-result/read.ts';
import { sayLabAgainstField } from '../../presentation/lab-and-field.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { counted } from '../../presentation/numbers.ts';
import { sayShownRun, sayUncertainty, toRangeHead } from '../../presentation/range.ts';
import { categoriesOf, toCustomRows, toResultRows } from '../../presentation/result-rows.ts';
import { sayAnalyser } from '../../presentation/side-names.ts';
import { otherWarnings } from '../../presentation/undisturbed.ts';
import { sayVerdict } from '../../presentation/verdict-words.ts';
import { toAllFindings, toFirstFindings } from './findings-text.ts';
import { toValueCell } from './table-cells.ts';
import { toPlainLine } from './terminal/plain-text.ts';
import type { Screen } from './terminal/screen.ts';
import { toTable } from './terminal/table.ts';
import { indentText } from './terminal/width.ts';

const words: Readonly<Record<OtherAudit['kind'], string>> = { ...auditKindWords, failed: 'Failed too' };

/** Kinds whose audits are listed by name; the others are only counted. */
const named: ReadonlySet<OtherAudit['kind']> = new Set(['passed', 'informative', 'failed']);

/** Returns `Passed (12 audits): image-alt, …`, and one line for the kinds that are only counted. */
function sayOtherAudits(result: Result, whole: Whole | undefined): string[] {
  if (!whole) return ['This result does not contain the tables of these findings or the other audits.'];
  const requested = categoriesOf([result]);
  const findings = new Set(result.failed_audits.map(({ id }) => id));
  const others = toOtherAudits(whole, requested, findings).flatMap(({ audits }) => audits);
  const audits = ([...auditKinds, 'failed'] as const)
    .map(kind => [kind, others.filter(other => other.kind === kind).map(({ id }) => toPlainLine(id))] as const)
    .filter(([, ids]) => ids.length > 0);
  const counts = audits.flatMap(([kind, ids]) => (named.has(kind) ? [] : [`${words[kind]}: ${ids.length}.`]));
  return [
    ...audits.flatMap(([kind, ids]) =>
      named.has(kind) ? [`${words[kind]} (${counted(ids.length, 'audit')}): ${ids.join(', ')}`] : [],
    ),
    ...(counts.length > 0 ? [counts.join(' ')] : []),
  ];
}

/** Min number of columns for rating words, which repeat the shapes. */
const minColumnsForWords = 60;

export type ShownResult = {
  readonly result: Result;
  /** Whole result for the tables of all findings; undefined for the first findings only. */
  readonly all?: { readonly whole: Whole | undefined } | undefined;
  /** URL or command for the stored result. */
  readonly keptAt?: string | undefined;
};

function toHeading({ paint, link, columns }: Screen, result: Result, keptAt?: string): string {
  const moved = result.final_url === result.url ? [] : [`  redirected to ${link(result.final_url, result.final_url)}`];
  const { runs, label } = result;
  const facts = [
    ...[result.strategy, sayAnalyser(result.analyser), `Lighthouse ${result.lighthouse_version}`],
    ...(runs && runs.requested > 1 ? [sayShownRun(result)] : []),
    ...(label === undefined ? [] : [`label ${label}`]),
    ...sayConditions(result),
  ];
  const kept = keptAt === undefined ? [] : [`  stored: ${link(keptAt, keptAt)}`];
  return [
    link(paint('bold', result.url), result.url),
    ...moved,
    indentText(facts.join(' · '), columns, '  '),
    ...kept,
  ].join('\n');
}

/** Max number of custom metrics: the first of a page that sets many. */
const mostCustom = 8;

const toRows = ({ paint }: Screen, result: Result): string[][] => [
  ...toResultRows(result).map(row => [row.label, toValueCell(paint, row), row.word, row.range ?? '']),
  ...toCustomRows(result.custom_metrics)
    .slice(0, mostCustom)
    .map(({ label, text }) => [label, `  ${text}`, '', '']),
];

function toValues(screen: Screen, result: Result): string {
  const rangeOf = toRangeHead(result);
  const head = ['', '  value', 'rating', rangeOf ?? ''];
  const shown = [...[true, true, screen.columns >= minColumnsForWords], rangeOf !== undefined];
  const pick = (row: readonly string[]) => row.filter((_, at) => shown[at]);
  return toTable(pick(head), toRows(screen, result).map(pick), screen);
}

export function toResultText(screen: Screen, { result, all, keptAt }: ShownResult): string {
  const { columns } = screen;
  const findings = all ? toAllFindings(screen, result, all.whole) : toFirstFindings(screen, result);
  const warnings = otherWarnings(result).map(warning =>
    indentText(`Warning: ${toPlainText(warning)}`, columns, '', '  ').concat('\n'),
  );
  const disagreements = sayLabAgainstField(result, result.core_web_vitals.field).map(said =>
    indentText(said, columns, '').concat('\n'),
  );
  const uncertainty = sayUncertainty(result);
  const others = all ? sayOtherAudits(result, all.whole) : [];
  return [
    toHeading(screen, result, keptAt),
    '',
    indentText(sayVerdict(result), columns, ''),
    '',
    toValues(screen, result),
    ...(uncertainty === undefined ? [] : [indentText(uncertainty, columns, ''), '']),
    ...findings,
    ...others.map(line => indentText(line, columns, '', '  ')),
    ...(others.length > 0 ? [''] : []),
    ...warnings,
    ...disagreements,
    '',
  ].join('\n');
}
