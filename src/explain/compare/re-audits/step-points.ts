/** Computes the effect of each step of the re-audits on the local score, over all runs that were audited again. */

import type { Cause } from '../../../contract/analysis/comparison.ts';
import { toWeightedPoints } from '../../../measure/lhr/metrics.ts';
import { toSpread } from '../../../measure/lhr/runs.ts';
import { tidy } from '../../../presentation/values.ts';
import { sameScorePoints } from '../constants.ts';
import { type Shares, sumOf } from '../points/category-points.ts';
import type { ReAuditStep } from './plan-re-audits.ts';

/** Metrics by audit id, as the local analyser returns them. */
export type ReAuditScores = Readonly<Record<string, { score: number | null }>>;

/** Results of the re-audits: one without changes, then one for each step; or the reason why there are none. */
export type ReAuditOutcome = { results: readonly ReAuditScores[] } | { reason: string };

/** A local run, and the scores of its re-audits. */
export type ReAuditedShares = { shares: Shares | undefined; outcome: ReAuditOutcome };

/** Changes of the score by each step; for the page null if the experiment was impossible. */
type Points = {
  settings: number[];
  /** Cost of the page with the settings of the local side, and with those of the PSI side. */
  page: { here: number; there: number; settings: number[] } | null;
};
type Computed = Points | { reason: string };

/** Returns the cost of the page with the settings before each step, and after the last one; null if one is missing. */
function toPagePoints(scores: readonly (number | null)[], steps: readonly ReAuditStep[], plain: readonly number[]) {
  const all = steps.flatMap((step, at) => (step.cause === 'page' ? [scores[at + 1] ?? null] : []));
  const changed = all.flatMap(score => score ?? []);
  const [first, last, own, remote] = [changed[0], changed.at(-1), plain[0], plain.at(-1)];
  if (changed.length !== plain.length || changed.length !== all.length) return null;
  if (first === undefined || last === undefined || own === undefined || remote === undefined) return null;
  return {
    here: own - first,
    there: remote - last,
    settings: changed.slice(1).map((score, at) => (changed[at] ?? score) - score),
  };
}

/** Returns the cost of each step: the score before it minus the score after it. */
function toStepPoints(outcome: ReAuditOutcome, shares: Shares, steps: readonly ReAuditStep[]): Computed {
  if ('reason' in outcome) return outcome;
  const scores = outcome.results.map(result => toWeightedPoints(shares, id => result[id]?.score));
  const [unchanged = null] = scores;
  const isMissing = (step: ReAuditStep, at: number) => step.cause !== 'page' && (scores[at + 1] ?? null) === null;
  if (unchanged === null || scores.length !== steps.length + 1 || steps.some(isMissing))
    return { reason: 'a re-audit returned no score' };
  const measured = sumOf(shares);
  if (measured === null || Math.abs(measured - unchanged) > sameScorePoints)
    return { reason: 'a re-audit with unchanged settings did not reproduce the measured score' };
  const plain = [unchanged, ...steps.flatMap((step, at) => (isSetting(step) ? [scores[at + 1] ?? unchanged] : []))];
  return {
    settings: plain.slice(1).map((score, at) => (plain[at] ?? score) - score),
    page: toPagePoints(scores, steps, plain),
  };
}

export type Range = NonNullable<Cause['points_range']>;
export type StepPoints = { points: number; range: Range | undefined };

/** Returns the median cost of a step over all runs that could be audited again, and its range. */
function toPoints(values: readonly number[]): StepPoints {
  const spread = toSpread(values);
  if (!spread) return { points: values[0] ?? 0, range: undefined };
  const { median, min, max } = spread;
  return { points: median, range: { min: tidy(min, 1), max: tidy(max, 1), runs: values.length } };
}

const isSetting = ({ cause }: ReAuditStep): boolean => cause !== 'page';

/** Costs of settings with the same page on both sides, and their sum. */
export type SettingCosts = { of: readonly StepPoints[]; sum: number };

/** Costs of the page of the PSI load instead of the local one: with the settings of either side, and of settings. */
type PageCosts = { here: StepPoints; there: StepPoints; settings: SettingCosts };
/** A reason, if nothing was computed; costs are undefined if they could not be computed. */
export type Costs = { reason?: string; settings: SettingCosts | undefined; page: PageCosts | undefined };

const toSettingCosts = (all: readonly (readonly number[])[], count: number): SettingCosts => {
  const of = Array.from({ length: count }, (_, at) => toPoints(all.flatMap(points => points[at] ?? [])));
  return { of, sum: of.reduce((sum, { points }) => sum + points, 0) };
};

/** @param runs the displayed local run, then the others */
export function findCosts(
  steps: readonly ReAuditStep[],
  [{ shares, outcome }, ...others]: readonly [ReAuditedShares, ...ReAuditedShares[]],
): Costs {
  const count = steps.filter(isSetting).length;
  const none: Costs = { settings: count === 0 ? { of: [], sum: 0 } : undefined, page: undefined };
  if (steps.length === 0 || !shares) return { ...none, settings: { of: [], sum: 0 } };
  const computed = toStepPoints(outcome, shares, steps);
  if ('reason' in computed) return { ...none, reason: computed.reason };
  const all = [
    computed,
    ...others.flatMap(run => {
      const points = run.shares ? toStepPoints(run.outcome, run.shares, steps) : undefined;
      return points && 'settings' in points ? [points] : [];
    }),
  ];
  const pages = computed.page ? all.flatMap(({ page }) => page ?? []) : [];
  return {
    settings: toSettingCosts(
      all.map(({ settings }) => settings),
      count,
    ),
    page:
      pages.length === 0
        ? undefined
        : {
            here: toPoints(pages.map(({ here }) => here)),
            there: toPoints(pages.map(({ there }) => there)),
            settings: toSettingCosts(
              pages.map(({ settings }) => settings),
              count,
            ),
          },
  };
}
