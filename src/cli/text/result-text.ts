/** One result for a terminal: its scores, its metrics, and what to do first. */
import type { Result } from '../../contract/result.ts';
import { categoryWords, groupFindings, sayEffect } from '../../presentation/findings.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { metricWords, otherMetrics, rateScore, ratingWords, scoredMetrics } from '../../presentation/metric-range.ts';
import { counted } from '../../presentation/numbers.ts';
import { sayAnalyser } from '../../presentation/side-names.ts';
import { sayVerdict } from '../../presentation/verdict.ts';
import { categoriesOf, toMetricCell, toScoreCell, toSpreadCell } from './cells.ts';
import type { Paint } from './paint.ts';
import { toTable } from './table.ts';

const maxFindings = 5;

const toHeading = (paint: Paint, result: Result): string => {
  const moved = result.final_url === result.url ? [] : [`  redirected to ${result.final_url}`];
  const { runs } = result;
  const medians = runs ? [`the median of ${counted(runs.completed, 'run')}`] : [];
  const facts = [result.strategy, sayAnalyser(result.analyser), `Lighthouse ${result.lighthouse_version}`, ...medians];
  return [paint('bold', result.url), ...moved, `  ${facts.join(' · ')}`].join('\n');
};

const wordOf = (value: number | null | undefined, toWord: (value: number) => string): string =>
  typeof value === 'number' ? toWord(value) : '';

function toRows(paint: Paint, result: Result): string[][] {
  const scores = categoriesOf([result]).map(name => [
    categoryWords[name],
    toScoreCell(paint, result, name),
    wordOf(result.scores[name], score => ratingWords[rateScore(score)]),
    toSpreadCell(result, name),
  ]);
  const metrics = [...scoredMetrics, ...otherMetrics]
    .filter(name => typeof result.metrics[name].value === 'number')
    .map(name => {
      const { rating } = result.metrics[name];
      const word = rating ? ratingWords[rating] : '';
      return [metricWords[name].label, toMetricCell(paint, result, name), word, toSpreadCell(result, name)];
    });
  return [...scores, ...metrics];
}

const toFindings = (result: Result): string[] => {
  const findings = groupFindings(result).flatMap(group => group.findings);
  const shown = findings.slice(0, maxFindings).map(finding => {
    const [title, effect] = [toPlainText(finding.title), sayEffect(finding, result)];
    return `  - ${effect ? `${title} (${effect})` : title}`;
  });
  const rest = findings.length - shown.length;
  return shown.length > 0
    ? ['To fix:', ...shown, ...(rest > 0 ? [`  and ${rest} more (--json, --html)`] : []), '']
    : [];
};

export function toResultText(paint: Paint, result: Result): string {
  const hasRuns = result.runs !== undefined;
  const head = ['', '  value', 'rating', ...(hasRuns ? ['all runs'] : [])];
  const rows = toRows(paint, result).map(row => row.slice(0, head.length));
  return [
    toHeading(paint, result),
    '',
    toTable(head, rows),
    ...toFindings(result),
    ...result.warnings.map(warning => `Warning: ${toPlainText(warning)}\n`),
    sayVerdict(result),
    '',
  ].join('\n');
}
