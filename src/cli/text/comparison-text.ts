/** One comparison for a terminal: both sides, how far they are apart, and why. */

import type { Result } from '../../contract/result.ts';
import type { Pairing } from '../../presentation/answer.ts';
import { categoryWords } from '../../presentation/findings.ts';
import { metricWords, scoredMetrics } from '../../presentation/metric-range.ts';
import { absent, formatValue, withSign } from '../../presentation/numbers.ts';
import { type SideNames, sayAnalyser } from '../../presentation/side-names.ts';
import { sayComparison } from '../../presentation/verdict.ts';
import { categoriesOf, toMetricCell, toScoreCell, toSpreadCell } from './cells.ts';
import type { Paint } from './paint.ts';
import { toTable } from './table.ts';

type Compared = NonNullable<Pairing['comparison']>;

const sayPoints = (points: number | null): string => (points === null ? '' : withSign(points, 1));

const sayGap = (value: number | null | undefined, unit: 'millisecond' | 'unitless' | undefined): string => {
  if (typeof value !== 'number') return absent;
  if (unit === undefined) return withSign(value);
  if (value === 0) return '0';
  return `${value > 0 ? '+' : '−'}${formatValue(Math.abs(value), unit)}`;
};

type Both = { readonly psi: Result; readonly lighthouse: Result; readonly comparison: Compared };

function toSides(paint: Paint, { psi, lighthouse, comparison }: Both, names: SideNames): string {
  const hasRuns = lighthouse.runs !== undefined;
  const split = comparison.performance?.metrics ?? {};
  const head = [
    ...['', `  ${names.psi.short}`, `  ${names.lighthouse.short}`, 'difference', 'points'],
    ...(hasRuns ? ['local runs'] : []),
  ];
  const scores = categoriesOf([psi, lighthouse]).map(name => [
    categoryWords[name],
    toScoreCell(paint, psi, name),
    toScoreCell(paint, lighthouse, name),
    sayGap(comparison.scores[name]?.difference, undefined),
    '',
    toSpreadCell(lighthouse, name),
  ]);
  const metrics = scoredMetrics
    .filter(name => [psi, lighthouse].some(({ metrics }) => typeof metrics[name].value === 'number'))
    .map(name => [
      metricWords[name].label,
      toMetricCell(paint, psi, name),
      toMetricCell(paint, lighthouse, name),
      sayGap(comparison.metrics[name]?.difference, psi.metrics[name].unit),
      sayPoints(split[name]?.points ?? null),
      toSpreadCell(lighthouse, name),
    ]);
  return toTable(
    head,
    [...scores, ...metrics].map(row => row.slice(0, head.length)),
  );
}

/** Causes with points and how sure they are, in the service's order: most telling first. */
function toCauses({ causes }: Compared): string {
  if (causes.length === 0) return '';
  const rows = causes.map(({ cause, category, points, certainty, explanation }) => [
    cause.replaceAll('_', ' '),
    category === null ? 'all' : categoryWords[category],
    sayPoints(points) || absent,
    certainty,
    explanation,
  ]);
  // The explanation is a sentence: it runs on behind the last column.
  return toTable(['cause', 'score', 'points', 'certainty', '', ''], rows);
}

export function toComparisonText(
  paint: Paint,
  url: string,
  { strategy, psi, lighthouse, comparison }: Pairing,
  names: SideNames,
): string {
  if (!psi.ok || !lighthouse.ok || !comparison) return '';
  const facts = [strategy, sayAnalyser(psi.result.analyser), sayAnalyser(lighthouse.result.analyser)];
  return [
    paint('bold', url),
    `  ${facts.join(' · ')}`,
    '',
    toSides(paint, { psi: psi.result, lighthouse: lighthouse.result, comparison }, names),
    toCauses(comparison),
    sayComparison({ strategy, psi, lighthouse, comparison }, names),
    '',
  ].join('\n');
}
