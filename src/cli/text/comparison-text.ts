/** One comparison for a terminal: both sides, how far they are apart, and why. */
import type { Report } from '../report/report.ts';
import type { Pairing } from '../web/answer.ts';
import { categoryWords } from '../web/findings.ts';
import { metricWords, scoredMetrics } from '../web/metric-range.ts';
import { absent, formatValue, withSign } from '../web/numbers.ts';
import { sayComparison } from '../web/verdict.ts';
import { categoriesOf, toMetricCell, toScoreCell, toSpreadCell } from './cells.ts';
import type { Paint } from './paint.ts';
import { analyserWords } from './report-text.ts';
import { toTable } from './table.ts';

type Compared = NonNullable<Pairing['comparison']>;

const sayPoints = (points: number | null): string => (points === null ? '' : withSign(points, 1));

const sayGap = (value: number | null | undefined, unit: 'millisecond' | 'unitless' | undefined): string => {
  if (typeof value !== 'number') return absent;
  if (unit === undefined) return withSign(value);
  if (value === 0) return '0';
  return `${value > 0 ? '+' : '−'}${formatValue(Math.abs(value), unit)}`;
};

function toSides(paint: Paint, psi: Report, lighthouse: Report, comparison: Compared): string {
  const hasRuns = lighthouse.runs !== undefined;
  const split = comparison.performance?.metrics ?? {};
  const head = ['', '  remote', '  local', 'difference', 'points', ...(hasRuns ? ['local runs'] : [])];
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
): string {
  if (!psi.ok || !lighthouse.ok || !comparison) return '';
  const facts = [strategy, `remote: ${analyserWords(psi.report)}`, `local: ${analyserWords(lighthouse.report)}`];
  return [
    paint('bold', url),
    `  ${facts.join(' · ')}`,
    '',
    toSides(paint, psi.report, lighthouse.report, comparison),
    toCauses(comparison),
    sayComparison({ strategy, psi, lighthouse, comparison }),
    '',
  ].join('\n');
}
