/** The result in a sentence, for a reader with ten seconds. */

import { categoryNames, type MetricName } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import type { Rating } from '../contract/result/thresholds.ts';
import type { Pairing } from './answer.ts';
import { categoryWords, countFindings, firstAdvice, groupFindings, sayEffect } from './findings/findings.ts';
import { toPlainText } from './markdown.ts';
import { metricWords, rateScore, scoredMetrics } from './metric-range.ts';
import { counted, formatValue, joinWords, sayScoreDifference } from './numbers.ts';
import type { SideNames } from './side-names.ts';

const overall = { good: 'fast', 'needs-improvement': 'neither fast nor slow', poor: 'slow' } as const;

const poorMetrics = ({ metrics }: Result): MetricName[] =>
  scoredMetrics.filter(name => metrics[name].rating === 'poor');

const sayMetric = ({ metrics }: Result, name: MetricName): string =>
  `${metricWords[name].label} is ${formatValue(metrics[name].value, metrics[name].unit)}`;

/** Above all of a page whose main content is late, no middling score is said to make up for it. */
function sayOverall({ metrics, strategy }: Result, rating: Rating): string {
  if (rating === 'needs-improvement' && metrics.largest_contentful_paint.rating === 'poor')
    return `The main content of this page shows late on ${strategy}`;
  return `This page is ${overall[rating]} on ${strategy}`;
}

const sayPerformance = (result: Result): string | undefined => {
  const score = result.scores.performance;
  if (score === undefined) return undefined;
  if (score === null) return 'Lighthouse could not score the performance.';
  const rating = rateScore(score);
  const poor = poorMetrics(result).slice(0, 2);
  const said = joinWords(poor.map(name => sayMetric(result, name)));
  if (poor.length === 0) return `${sayOverall(result, rating)}.`;
  return rating === 'good'
    ? `${sayOverall(result, rating)}, but ${said}, which is poor.`
    : `${sayOverall(result, rating)}: ${said}.`;
};

const sayFirstFix = (result: Result): string | undefined => {
  const first = firstAdvice(result);
  if (!first) return undefined;
  const effect = sayEffect(first, result);
  return `First to fix: ${toPlainText(first.title)}${effect ? ` (${effect})` : ''}.`;
};

const sayOthers = ({ scores }: Result): string | undefined => {
  const weak = categoryNames.filter(name => name !== 'performance' && (scores[name] ?? 100) < 90);
  return weak.length > 0 ? `${joinWords(weak.map(name => categoryWords[name]))} could do better.` : undefined;
};

/** One side's result in two or three short sentences. */
export function sayVerdict(result: Result): string {
  const groups = groupFindings(result);
  const count = countFindings(groups);
  const parts = [sayPerformance(result), sayFirstFix(result), sayOthers(result)].filter(part => part !== undefined);
  if (count === 0) return [...parts, 'Nothing to fix.'].join(' ');
  return parts.length > 0 ? parts.join(' ') : `${counted(count, 'thing')} to fix.`;
}

/** What the service says of a comparison; else the plain difference of the scores. */
export function sayComparison({ comparison }: Pairing, names: SideNames): string {
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
    ? `${names.lighthouse.full} against ${names.psi.full}: ${joinWords(differences)}.`
    : 'Both sides give the same scores.';
}
