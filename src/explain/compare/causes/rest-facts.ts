import type { CauseName, Noise, PerformanceSplit } from '../../../contract/analysis/comparison.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { leastStatedPoints } from '../constants.ts';
import type { Fact, FoundCause } from '../evidence.ts';
import { toEquivalentMultiplier } from '../re-audits/plan-re-audits.ts';

/** What the rest of a difference is judged by. */
export type RestFacts = {
  facts: readonly [psi: SideFacts, lighthouse: SideFacts];
  results: readonly [psi: Result, lighthouse: Result];
  split: PerformanceSplit | null;
  noise: Noise | null;
  isSameMachine: boolean;
  /** Whether re-audits of every local run computed a cost of the same direction. */
  isOfEveryRun?: boolean;
  /** Whether a measured wait for a processor has its points already. */
  isWaitPaid?: boolean;
};

/**
 * Whether what was computed for every local run explains most of the difference, in its direction: then a remote score inside the local runs
 * is no noise, because these ran under other settings, or had another page.
 */
export const isPaid = ({ split, isOfEveryRun = false }: RestFacts, rest: number): boolean => {
  const difference = split?.difference ?? rest;
  const paid = difference - rest;
  return (
    isOfEveryRun && paid * difference > 0 && Math.abs(paid) >= Math.max(leastStatedPoints, Math.abs(difference) / 2)
  );
};

export type Told = { cause: CauseName; certainty: FoundCause['certainty']; explanation: string; evidence?: Fact[] };

/** The indices say that the machines differ, and a re-audit what that costs. */
export const isToldByIndex = ({ facts: [psi, lighthouse], isSameMachine }: RestFacts): boolean =>
  toEquivalentMultiplier(psi, lighthouse, isSameMachine) !== psi.throttling.cpuSlowdownMultiplier;

const pointsOf = (split: PerformanceSplit | null, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (split?.metrics[name]?.points ?? 0), 0);

/** Whether these metrics moved the score the same way as the rest, and by most of it. */
export const carries = (split: PerformanceSplit | null, names: readonly string[], rest: number): boolean => {
  const points = pointsOf(split, names);
  return points * rest > 0 && Math.abs(points) >= Math.abs(rest) / 2;
};
