/** The result in a sentence, for a reader with ten seconds. */

import { categoryNames, type MetricName } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import type { Pairing } from './answer.ts';
import { categoryWords, countFindings, firstAdvice, groupFindings, sayEffect, sayPoints } from './findings/findings.ts';
import { toPlainText } from './markdown.ts';
import { metricWords, rateScore, scoredMetrics } from './metric-range.ts';
import { counted, formatMs, formatValue, joinWords, sayScoreDifference } from './numbers.ts';
import type { SideNames } from './side-names.ts';
import { pageRatingOf, pageScoreOf, pageValueOf, sayDisturbance } from './undisturbed.ts';

const poorMetrics = (result: Result): MetricName[] =>
  scoredMetrics.filter(name => pageRatingOf(result, name) === 'poor');

const sayMetric = (result: Result, name: MetricName): string =>
  `${metricWords[name].label} is ${formatValue(pageValueOf(result, name), result.metrics[name].unit)}`;

/** `main content appeared at 2.6 s`, with what Lighthouse took for it; undefined if it was there in time. */
function sayLateContent({ late_content: late }: Result): string | undefined {
  if (!late) return undefined;
  const element = late.largest_paint === null ? '' : `: the largest paint was ${late.largest_paint}`;
  return `main content appeared at ${formatMs(late.appeared_ms)}${element}`;
}

/** A middling or good score makes up for no poor value, above all not for a main content that is late. */
function sayPage(result: Result, score: number, poor: readonly MetricName[]): string {
  const late = sayLateContent(result);
  const isGood = rateScore(score) === 'good';
  if (late && isGood && poor.length === 0) return `The score is good, but the ${late}.`;
  if (late) return `${sayTimed(result, score, poor)} The ${late}.`;
  return sayTimed(result, score, poor);
}

/** The page by what Lighthouse timed. */
function sayTimed(result: Result, score: number, poor: readonly MetricName[]): string {
  const { strategy } = result;
  const said = joinWords(poor.slice(0, 2).map(name => sayMetric(result, name)));
  switch (rateScore(score)) {
    case 'good':
      return poor.length === 0
        ? `This page is fast on ${strategy}.`
        : `This page scores ${score} on ${strategy}, but ${said}, which is poor.`;
    case 'poor':
      return poor.length === 0 ? `This page is slow on ${strategy}.` : `This page is slow on ${strategy}: ${said}.`;
    default:
      if (poor.length === 0) return `This page could be faster on ${strategy}.`;
      return poor.includes('largest_contentful_paint')
        ? `The main content of this page shows late on ${strategy}: ${said}.`
        : `This page scores ${score} on ${strategy}: ${said}, which is poor.`;
  }
}

const sayPerformance = (result: Result): string | undefined => {
  if (result.scores.performance === undefined) return undefined;
  if (result.scores.performance === null) return 'Lighthouse could not score the performance.';
  const disturbance = sayDisturbance(result);
  const score = pageScoreOf(result, 'performance');
  const poor = poorMetrics(result);
  if (typeof score === 'number') return [disturbance, sayPage(result, score, poor)].filter(Boolean).join(' ');
  const said = joinWords(poor.slice(0, 2).map(name => sayMetric(result, name)));
  return [disturbance, said === '' ? undefined : `${said}, which is poor.`].filter(Boolean).join(' ');
};

const sayFirstFix = (result: Result): string | undefined => {
  const first = firstAdvice(result);
  if (!first) return undefined;
  const facts = [sayEffect(first, result), sayPoints(first)].filter(fact => fact !== undefined);
  return `First to fix: ${toPlainText(first.title)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}.`;
};

const sayOthers = ({ scores }: Result): string | undefined => {
  const weak = categoryNames.filter(name => name !== 'performance' && (scores[name] ?? 100) < 90);
  return weak.length > 0 ? `${joinWords(weak.map(name => categoryWords[name]))} could do better.` : undefined;
};

/** The result where its best fixes stand beside it: what the page is like, and what else is weak. */
export function sayHeadline(result: Result): string {
  const parts = [sayPerformance(result), sayOthers(result)].filter(part => part !== undefined);
  if (countFindings(groupFindings(result)) === 0) return [...parts, 'Nothing to fix.'].join(' ');
  return parts.length > 0 ? parts.join(' ') : 'These audits failed.';
}

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
  const { explanation, scores } = comparison;
  if (explanation) return explanation;
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
