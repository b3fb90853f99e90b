/** What each step of the re-audits moved the local score by, over all runs that were audited again. */
import type { Cause } from '../../contract/analysis/comparison.ts';
import { toSpread } from '../../result/runs.ts';
import { tidy } from '../numbers.ts';
import { type Shares, sumOf } from '../points/category-points.ts';
import type { Step } from './plan-re-audits.ts';

/** By audit id, as the local analyser gives it. */
export type ReAuditResult = Readonly<Record<string, { score: number | null }>>;

/** The results of the re-audits: one under unchanged settings, then one for each step; or why there are none. */
export type ReAuditOutcome = { results: readonly ReAuditResult[] } | { reason: string };

/** A local run, and what its load scored when it was audited again. */
export type AuditedAgain = { shares: Shares | undefined; outcome: ReAuditOutcome };

/** A re-audit of unchanged settings gives the same scores; Lighthouse rounds each to a hundredth. */
const sameScorePoints = 1;

/** The score that a re-audit makes of the local weights, in points; null when a metric is missing. */
const scoreOf = (result: ReAuditResult, shares: Shares): number | null => {
  let sum = 0;
  for (const [id, { weight }] of shares) {
    const score = result[id]?.score;
    if (typeof score !== 'number') return null;
    sum += weight * score;
  }
  return sum;
};

/** Of the page it is null where the experiment was not possible. */
type Computed = { points: (number | null)[] } | { reason: string };

/** What each step costs: the score before it less the score after it. */
function toStepPoints(outcome: ReAuditOutcome, shares: Shares, steps: readonly Step[]): Computed {
  if ('reason' in outcome) return outcome;
  const scores = outcome.results.map(result => scoreOf(result, shares));
  const [unchanged = null] = scores;
  const isMissing = (step: Step, at: number) => step.cause !== 'page' && (scores[at + 1] ?? null) === null;
  if (unchanged === null || scores.length !== steps.length + 1 || steps.some(isMissing))
    return { reason: 'a re-audit gave no score' };
  const measured = sumOf(shares);
  if (measured === null || Math.abs(measured - unchanged) > sameScorePoints)
    return { reason: 'a re-audit under unchanged settings did not give the score that was measured' };
  return { points: scores.slice(1).map((score, at) => (score === null ? null : (scores[at] ?? score) - score)) };
}

export type Range = NonNullable<Cause['points_range']>;
export type StepPoints = { points: number; range: Range | undefined };

/** Over all runs that could be audited again: what a step costs there, and how far that varies. */
function toPoints(all: readonly (readonly (number | null)[])[], step: number): StepPoints {
  const values = all.flatMap(points => points[step] ?? []);
  const spread = toSpread(values);
  if (!spread) return { points: values[0] ?? 0, range: undefined };
  const { median, min, max } = spread;
  return { points: median, range: { min: tidy(min, 1), max: tidy(max, 1), runs: values.length } };
}

/** What each step costs, over all runs that could be audited again; undefined where none of them shows it. */
function toCosts(
  steps: readonly Step[],
  own: readonly (number | null)[],
  others: readonly AuditedAgain[],
): (StepPoints | undefined)[] {
  const all = [
    own,
    ...others.flatMap(({ shares, outcome }) => {
      const points = shares && steps.length > 0 ? toStepPoints(outcome, shares, steps) : undefined;
      return points && 'points' in points ? [points.points] : [];
    }),
  ];
  return steps.map((_, at) => (typeof own[at] === 'number' ? toPoints(all, at) : undefined));
}

const isSetting = ({ cause }: Step): boolean => cause !== 'page';

export type Costs = {
  /** Why nothing was computed. */
  reason: string | undefined;
  /** Of each step; undefined where nothing shows it. */
  of: readonly (StepPoints | undefined)[];
  /** Of all settings together; null where they could not be computed. */
  settings: number | null;
};

/** @param runs the local run that is shown, then the others */
export function findCosts(
  steps: readonly Step[],
  [{ shares, outcome }, ...others]: readonly [AuditedAgain, ...AuditedAgain[]],
): Costs {
  if (steps.length === 0 || !shares) return { reason: undefined, of: [], settings: 0 };
  const computed = toStepPoints(outcome, shares, steps);
  if ('reason' in computed) return { reason: computed.reason, of: [], settings: steps.some(isSetting) ? null : 0 };
  const of = toCosts(steps, computed.points, others);
  const settings = steps.reduce((sum, step, at) => sum + (isSetting(step) ? (of[at]?.points ?? 0) : 0), 0);
  return { reason: undefined, of, settings };
}
