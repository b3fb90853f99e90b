/** Summarises the result in a sentence, for a reader who has ten seconds. */

import { categoryNames, type MetricName } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import type { Pairing } from './answer.ts';
import { countFindings, firstAdvice, groupFindings, sayFacts } from './findings/findings.ts';
import { toPlainText } from './markdown.ts';
import { rateScore } from './metric-range.ts';
import { counted, formatMs, formatValue, joinWords, sayScoreDifference } from './numbers.ts';
import type { SideNames } from './side-names.ts';
import { pageRatingOf, pageScoreOf, pageValueOf, sayDisturbance } from './undisturbed.ts';
import { categoryWords, metricWords, scoredMetrics } from './words.ts';

const poorMetrics = (result: Result): MetricName[] =>
  scoredMetrics.filter(name => pageRatingOf(result, name) === 'poor');

const sayMetric = (result: Result, name: MetricName): string =>
  `${metricWords[name].label} is ${formatValue(pageValueOf(result, name), result.metrics[name].unit)}`;

/** Returns `main content appeared at 2.6 s`, and Lighthouse's own value; undefined if it was not late. */
function sayLateContent({ late_content: late }: Result): string | undefined {
  if (!late) return undefined;
  const element = late.largest_paint === null ? '' : `: the largest paint was ${late.largest_paint}`;
  return `main content appeared at ${formatMs(late.appeared_ms)}${element}`;
}

/** Describes the page in one or two sentences. A good score does not hide a poor value, or late main content. */
function sayPage(result: Result, score: number, poor: readonly MetricName[]): string[] {
  const late = sayLateContent(result);
  const isGood = rateScore(score) === 'good';
  if (late && isGood && poor.length === 0) return [`The score is good, but the ${late}.`];
  return [sayTimed(result, score, poor), ...(late ? [`The ${late}.`] : [])];
}

function sayTimed(result: Result, score: number, poor: readonly MetricName[]): string {
  const { strategy } = result;
  const said = joinWords(poor.slice(0, 2).map(name => sayMetric(result, name)));
  switch (rateScore(score)) {
    case 'good':
      if (poor.length === 0 && pageRatingOf(result, 'largest_contentful_paint') === 'needs-improvement')
        return `The score is good, but ${sayMetric(result, 'largest_contentful_paint')}.`;
      return poor.length === 0
        ? `This page is fast on ${strategy}.`
        : `This page scores ${score} on ${strategy}, but ${said}, which is poor.`;
    case 'poor':
      return poor.length === 0 ? `This page is slow on ${strategy}.` : `This page is slow on ${strategy}: ${said}.`;
    default:
      if (poor.length === 0) return `This page could be faster on ${strategy}.`;
      return poor.includes('largest_contentful_paint')
        ? `The main content of this page appears late on ${strategy}: ${said}.`
        : `This page scores ${score} on ${strategy}: ${said}, which is poor.`;
  }
}

/** Describes the disturbance of the load first, then the page, in at most two sentences. */
function sayPerformance(result: Result): string[] {
  const { performance } = result.scores;
  if (performance === undefined) return [];
  if (performance === null) return ['Lighthouse could not score the performance.'];
  const disturbance = sayDisturbance(result);
  const score = pageScoreOf(result, 'performance');
  const poor = poorMetrics(result);
  const said = joinWords(poor.slice(0, 2).map(name => sayMetric(result, name)));
  const ofMetrics = said === '' ? [] : [`${said}, which is poor.`];
  const page = typeof score === 'number' ? sayPage(result, score, poor) : ofMetrics;
  return [...(disturbance ? [disturbance] : []), ...page].slice(0, 2);
}

const sayFirstFix = (result: Result): string | undefined => {
  const first = firstAdvice(result);
  if (!first) return undefined;
  const facts = sayFacts(first, result);
  return `First to fix: ${toPlainText(first.title)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}.`;
};

/** Names the requested categories without a score, which a good word about the page must not hide. */
const sayUnscored = ({ scores }: Result): string | undefined => {
  const unscored = categoryNames.filter(name => name !== 'performance' && scores[name] === null);
  return unscored.length > 0
    ? `${joinWords(unscored.map(name => categoryWords[name]))} could not be scored.`
    : undefined;
};

const sayOthers = ({ scores }: Result): string | undefined => {
  const weak = categoryNames.filter(name => name !== 'performance' && (scores[name] ?? 100) < 90);
  return weak.length > 0 ? `${joinWords(weak.map(name => categoryWords[name]))} can be improved.` : undefined;
};

const join = (sentences: readonly (string | undefined)[], most: number): string =>
  sentences
    .filter(sentence => sentence !== undefined)
    .slice(0, most)
    .join(' ');

/** Returns at most two sentences for a view that lists the fixes: the state of the page, and weak categories. */
export function sayHeadline(result: Result): string {
  const nothing = countFindings(groupFindings(result)) === 0 ? 'No audit found anything to fix.' : undefined;
  return (
    join([...sayPerformance(result), sayUnscored(result), sayOthers(result), nothing], 2) || 'These audits failed.'
  );
}

/** Returns at most three sentences: the state of the page, its first fix, and weak categories. */
export function sayVerdict(result: Result): string {
  const count = countFindings(groupFindings(result));
  const nothing = count === 0 ? 'No audit found anything to fix.' : undefined;
  const others = [sayUnscored(result), sayFirstFix(result), sayOthers(result)];
  const said = join([...sayPerformance(result), ...others, nothing], 3);
  return said || `${counted(count, 'thing')} to fix.`;
}

/** Returns the explanation of the service; without one, the differences of the scores. */
export function sayComparison({ comparison, psi, lighthouse }: Pairing, names: SideNames): string {
  if (!comparison)
    return `${psi.ok || lighthouse.ok ? 'One side' : 'Both sides'} failed, so the two cannot be compared.`;
  const { explanation, scores } = comparison;
  const late = [psi, lighthouse].flatMap(part => {
    const content = part.ok ? part.result.late_content : undefined;
    return part.ok && content
      ? [` ${names[part.result.source].short}: the main content appeared at ${formatMs(content.appeared_ms)}.`]
      : [];
  });
  if (explanation) return [explanation, ...late].join('');
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
