/** The result in a sentence, for who has ten seconds. */
import type { MetricName, Report } from '../report/report.ts';
import type { Pairing } from './answer.ts';
import { categoryWords, countFindings, type FindingGroup, groupFindings, saySavings } from './findings.ts';
import { toPlainText } from './markdown.ts';
import { bordersOf, metricWords, rate, rateScore, scoredMetrics } from './metric-range.ts';
import { counted, formatValue, joinWords, sayScoreDifference } from './numbers.ts';
import { categoryNames } from './page-request.ts';

const overall = { good: 'fast', 'needs-improvement': 'neither fast nor slow', poor: 'slow' } as const;

const poorMetrics = ({ metrics, strategy }: Report): MetricName[] =>
  scoredMetrics.filter(name => {
    const [value, borders] = [metrics[name].value, bordersOf(name, strategy)];
    return value !== null && borders !== undefined && rate(value, borders) === 'poor';
  });

const sayMetric = ({ metrics }: Report, name: MetricName): string =>
  `${metricWords[name].label} is ${formatValue(metrics[name].value, metrics[name].unit)}`;

const sayPerformance = (report: Report): string | undefined => {
  const score = report.scores.performance;
  if (score === undefined) return undefined;
  if (score === null) return 'Lighthouse could not score the performance.';
  const poor = poorMetrics(report).slice(0, 2);
  const word = overall[rateScore(score)];
  return poor.length > 0
    ? `This page is ${word} on ${report.strategy}: ${joinWords(poor.map(name => sayMetric(report, name)))}.`
    : `This page is ${word} on ${report.strategy}.`;
};

const sayFirstFix = (groups: readonly FindingGroup[]): string | undefined => {
  const first = groups.find(({ category }) => category === 'performance')?.findings[0];
  const [saving] = first ? saySavings(first) : [];
  return first && saving ? `First to fix: ${toPlainText(first.title)} (may save ${saving}).` : undefined;
};

const sayOthers = ({ scores }: Report): string | undefined => {
  const weak = categoryNames.filter(name => name !== 'performance' && (scores[name] ?? 100) < 90);
  return weak.length > 0 ? `${joinWords(weak.map(name => categoryWords[name]))} could do better.` : undefined;
};

/** One side's Report in two or three short sentences. */
export function sayVerdict(report: Report): string {
  const groups = groupFindings(report);
  const count = countFindings(groups);
  const parts = [sayPerformance(report), sayFirstFix(groups), sayOthers(report)].filter(part => part !== undefined);
  if (count === 0) return [...parts, 'Nothing to fix.'].join(' ');
  return parts.length > 0 ? parts.join(' ') : `${counted(count, 'thing')} to fix.`;
}

/** What the service says of a comparison; else the plain difference of the scores. */
export function sayComparison({ comparison }: Pairing): string {
  if (!comparison) return 'One side failed, so there is nothing to compare.';
  const { verdict, scores } = comparison as typeof comparison & { verdict?: string };
  if (verdict) return verdict;
  const differences = categoryNames.flatMap(name => {
    const difference = scores[name]?.difference;
    return typeof difference === 'number' && difference !== 0
      ? [`${categoryWords[name]} ${sayScoreDifference(difference)}`]
      : [];
  });
  return differences.length > 0
    ? `Local against remote: ${joinWords(differences)}.`
    : 'Both sides give the same scores.';
}
