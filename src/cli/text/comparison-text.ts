/** Formats one comparison for a terminal: both sides, their differences, and the causes. */

import type { Result } from '../../contract/result/result.ts';
import type { Pairing } from '../../presentation/answer.ts';
import { absent, saySigned, withSign } from '../../presentation/numbers.ts';
import { sayUncertainty, toRangeHead } from '../../presentation/range.ts';
import { categoriesOf, measuredOf, toResultRow, type ValueName } from '../../presentation/result-rows.ts';
import { type SideNames, sayAnalyser } from '../../presentation/side-names.ts';
import { sayComparison } from '../../presentation/verdict-words.ts';
import { categoryWords, headOf, isMetricName, scoredMetrics } from '../../presentation/words.ts';
import { toComparedFindings } from './findings-text.ts';
import { sayDenied, toValueCell } from './table-cells.ts';
import type { Screen } from './terminal/screen.ts';
import { toTableLines } from './terminal/table.ts';
import { indentText } from './terminal/width.ts';

type Compared = NonNullable<Pairing['comparison']>;

const sayPoints = (points: number | null): string => (points === null ? '' : withSign(points, 1));

const sayGap = (value: number | null | undefined, unit: 'millisecond' | 'unitless' | undefined): string => {
  if (typeof value !== 'number') return absent;
  return unit === undefined ? withSign(value) : saySigned(value, unit);
};

type Both = { readonly psi: Result; readonly lighthouse: Result; readonly comparison: Compared };

function toSides(screen: Screen, { psi, lighthouse, comparison }: Both, names: SideNames): string {
  const { paint } = screen;
  const rangeOf = toRangeHead(lighthouse);
  const split = comparison.performance?.metrics ?? {};
  const head = [
    ...['', `  ${names.psi.short}`, `  ${names.lighthouse.short}`, 'difference', 'points'],
    ...(rangeOf === undefined ? [] : [`local: ${rangeOf}`]),
  ];
  const results = [psi, lighthouse];
  const compared = [...categoriesOf(results), ...measuredOf(scoredMetrics, results)];
  const sayBetween = (name: ValueName): [difference: string, points: string] => {
    if (isMetricName(name)) {
      const { difference } = comparison.metrics[name] ?? {};
      return [sayGap(difference, psi.metrics[name].unit), sayPoints(split[name]?.points ?? null)];
    }
    // The comparison explains scores, which agentic browsing does not have.
    return [name === 'agentic-browsing' ? '' : sayGap(comparison.scores[name]?.difference, undefined), ''];
  };
  const draw = (labelOf: (name: ValueName) => string) => {
    const rows = compared.map(name => [
      labelOf(name),
      ...results.map(result => toValueCell(paint, toResultRow(result, name))),
      ...sayBetween(name),
      ...(rangeOf === undefined ? [] : [toResultRow(lighthouse, name).range ?? '']),
    ]);
    return toTableLines(head, rows, screen);
  };
  const whole = draw(name => toResultRow(psi, name).label);
  // Short names leave room for ranges in 80 columns.
  const lines = whole.head.length > 0 ? whole : draw(headOf);
  return [...lines.head, ...lines.rows.flat(), ''].join('\n');
}

/** Lists causes with their points and certainty, in the order of the service, each with its sentence below. */
function toCauses(screen: Screen, { causes }: Compared): string[] {
  if (causes.length === 0) return [];
  const { head, rows } = toTableLines(
    ['cause', 'score', 'points', 'certainty'],
    causes.map(({ cause, category, points, certainty }) => [
      { kind: 'text', text: cause.replaceAll('_', ' ') },
      category === null ? 'all' : categoryWords[category],
      sayPoints(points) || absent,
      certainty,
    ]),
    screen,
  );
  const sentences = causes.map(({ explanation }) => indentText(explanation, screen.columns, '    '));
  return [...head, ...rows.flatMap((lines, at) => [...lines, sentences[at] ?? '']), ''];
}

export function toComparisonText(
  screen: Screen,
  url: string,
  { strategy, psi, lighthouse, comparison }: Pairing,
  { names, isAll, keptAt }: { names: SideNames; isAll: boolean; keptAt: string | undefined },
): string {
  if (!psi.ok || !lighthouse.ok || !comparison) return '';
  const { paint, link, columns } = screen;
  const { label } = lighthouse.result;
  const facts = [
    ...[strategy, sayAnalyser(psi.result.analyser), sayAnalyser(lighthouse.result.analyser)],
    ...(label === undefined ? [] : [`label ${label}`]),
  ];
  const kept = keptAt === undefined ? [] : [`  stored: ${link(keptAt, keptAt)}`];
  const ranges = [psi, lighthouse].flatMap(({ result }) => {
    const said = sayUncertainty(result);
    return said === undefined ? [] : [`${names[result.source].short}: ${said}`];
  });
  const notes = [...ranges, sayDenied([psi.result, lighthouse.result])].filter(note => note !== '');
  const findings = isAll ? toComparedFindings(screen, psi.result, lighthouse.result, names) : [];
  return [
    link(paint('bold', url), url),
    indentText(facts.join(' · '), columns, '  '),
    ...kept,
    '',
    indentText(sayComparison({ strategy, psi, lighthouse, comparison }, names), columns, ''),
    '',
    ...toCauses(screen, comparison),
    toSides(screen, { psi: psi.result, lighthouse: lighthouse.result, comparison }, names),
    ...notes.flatMap(note => [indentText(note, columns, ''), '']),
    ...findings,
  ].join('\n');
}
