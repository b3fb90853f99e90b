/** Values of a page whose load was disturbed: those without the disturbance, or none. */
import type { Category, MetricName } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import type { Disturbance, DisturbanceKind } from '../contract/result/runs.ts';
import { type Rating, toLabRating } from '../contract/result/thresholds.ts';
import { rateScore } from './metric-range.ts';
import { joinWords } from './numbers.ts';
import { metricWords, scoredMetrics } from './words.ts';

type Marked = Pick<Result, 'disturbed' | 'disturbance'>;

/** Returns whether other work disturbed a load; false if that is unknown. */
export const isDisturbed = ({ disturbed }: { readonly disturbed?: boolean | null }): boolean => disturbed === true;

/** Returns the score of the page. For a disturbed load, it is the score without the disturbance, or null if unknown. */
export const pageScoreOf = (
  result: Pick<Result, 'scores' | 'disturbance'>,
  name: Category,
): number | null | undefined => {
  const { scores, disturbance } = result;
  const score = scores[name];
  return disturbance && name === 'performance' && typeof score === 'number' ? disturbance.performance : score;
};

const isDenied = ({ disturbance }: Marked, name: MetricName): boolean =>
  disturbance?.denied.some(denied => denied === name) ?? false;

/** Returns the value of the page. For a disturbed load, it is the value without the disturbance, or null if unknown. */
export function pageValueOf(result: Pick<Result, 'metrics' | 'disturbance'>, name: MetricName): number | null {
  const { value } = result.metrics[name];
  if (value === null || !isDenied(result, name)) return value;
  const { total_blocking_time: blockingMs = null, paints = {} } = result.disturbance ?? {};
  return name === 'total_blocking_time' ? blockingMs : (paints[name] ?? null);
}

export function pageRatingOf(result: Result, name: MetricName): Rating | null {
  const value = pageValueOf(result, name);
  if (value === null) return null;
  return isDenied(result, name) ? toLabRating(name, value, result.strategy) : result.metrics[name].rating;
}

export const isDeniedValue = (result: Result, name: Category | MetricName): boolean =>
  isDisturbed(result) && (name === 'performance' || isDenied(result, name as MetricName));

/** Returns the displayed value; for an unreliable score or metric, the value without the disturbance. */
export const pageValue = (result: Result, name: Category | MetricName): number | null =>
  (Object.hasOwn(result.metrics, name)
    ? pageValueOf(result, name as MetricName)
    : pageScoreOf(result, name as Category)) ?? null;

/**
 * Returns the value to display: of a disturbed load the one without the disturbance. If that is unknown, the value is
 * unreliable, and has no rating.
 */
export function toShown(result: Result, name: Category | MetricName) {
  const isMetric = Object.hasOwn(result.metrics, name);
  const measured = isMetric ? result.metrics[name as MetricName].value : (result.scores[name as Category] ?? null);
  const value = pageValue(result, name);
  if (value === null && measured !== null) return { value: measured, rating: null, isUnreliable: true };
  const rating = isMetric ? pageRatingOf(result, name as MetricName) : value === null ? null : rateScore(value);
  return { value, rating, isUnreliable: false };
}

export const toShownScores = (result: Result): Result['scores'] =>
  Object.fromEntries(
    Object.keys(result.scores).map(name => [name, toShown(result, name as Category).value]),
  ) as Result['scores'];

const kindWords: Readonly<Record<DisturbanceKind, string>> = {
  processor_wait: 'the page waited for a CPU',
  tasks_without_script: 'long tasks ran outside of the page',
  late_paint: 'the browser painted late',
  slow_machine: 'the machine was slower than usual',
};

const sayKinds = ({ kinds }: Disturbance): string => joinWords(kinds.map(kind => kindWords[kind]));

/** Returns the mark next to a score without the disturbance: `disturbed, measured 62`. */
export function sayMark(result: Marked & Pick<Result, 'scores'>): string | undefined {
  if (!isDisturbed(result)) return undefined;
  const { performance: measured } = result.scores;
  const without = result.disturbance?.performance;
  return typeof without === 'number' && without !== measured ? `disturbed, measured ${measured}` : 'disturbed';
}

/** Returns the warnings that `sayDisturbance` does not repeat. */
export const otherWarnings = (result: Result): string[] =>
  sayDisturbance(result) === undefined
    ? result.warnings
    : result.warnings.filter(warning => !/^This run (?:was|may have been) disturbed: /.test(warning));

/** Describes a disturbance; undefined for an undisturbed run, or one without a performance score. */
export function sayDisturbance(result: Pick<Result, 'scores' | 'disturbed' | 'disturbance'>): string | undefined {
  const { scores, disturbance } = result;
  const score = scores.performance;
  if (!isDisturbed(result) || typeof score !== 'number') return undefined;
  const because = disturbance ? ` (${sayKinds(disturbance)})` : '';
  const without = disturbance?.performance;
  const denied = scoredMetrics.filter(name => disturbance?.denied.some(other => other === name));
  if (without === score && denied.length > 0)
    return `This run was disturbed${because}: ${joinWords(denied.map(name => metricWords[name].label))} ${denied.length === 1 ? 'is' : 'are'} not reliable, but the score would also be ${score} without the disturbance.`;
  if (typeof without === 'number')
    return `This run was disturbed${because}: it scores ${score}, and ${without} without the disturbance.`;
  return `This run was disturbed${because}, so its score of ${score} is not reliable: measure the page again.`;
}
