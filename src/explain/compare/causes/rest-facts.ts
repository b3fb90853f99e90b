import type { CauseName, Noise, PerformanceSplit } from '../../../contract/analysis/comparison.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { leastStatedPoints } from '../constants.ts';
import type { Fact, FoundCause } from '../evidence.ts';
import { toEquivalentMultiplier } from '../re-audits/plan-re-audits.ts';

/** Facts for explaining the rest of a difference. */
export type RestFacts = {
  facts: readonly [psi: SideFacts, lighthouse: SideFacts];
  results: readonly [psi: Result, lighthouse: Result];
  split: PerformanceSplit | null;
  noise: Noise | null;
  isSameMachine: boolean;
  /** Whether the re-audits of all local runs computed the cost of a setting in the same direction. */
  isOfEveryRun?: boolean;
  /** Whether a measured wait for a processor already has points. */
  isWaitPaid?: boolean;
};

/**
 * Returns whether the costs computed for every local run explain at least half of the difference, in its direction. If
 * they do, a PSI score within the range of the local runs is not noise, because these had different settings or a
 * different page.
 */
export const isPaid = ({ split, isOfEveryRun = false }: RestFacts, rest: number): boolean => {
  const difference = split?.difference ?? rest;
  const paid = difference - rest;
  return (
    isOfEveryRun && paid * difference > 0 && Math.abs(paid) >= Math.max(leastStatedPoints, Math.abs(difference) / 2)
  );
};

export type Told = { cause: CauseName; certainty: FoundCause['certainty']; explanation: string; evidence?: Fact[] };

/** Returns whether the benchmark indices show different machines. Their effect is then a cause of its own. */
export const isToldByIndex = ({ facts: [psi, lighthouse], isSameMachine }: RestFacts): boolean =>
  toEquivalentMultiplier(psi, lighthouse, isSameMachine) !== psi.throttling.cpuSlowdownMultiplier;

const pointsOf = (split: PerformanceSplit | null, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (split?.metrics[name]?.points ?? 0), 0);

/** Returns whether these metrics changed the score in the direction of the rest, and by at least half of it. */
export const carries = (split: PerformanceSplit | null, names: readonly string[], rest: number): boolean => {
  const points = pointsOf(split, names);
  return points * rest > 0 && Math.abs(points) >= Math.abs(rest) / 2;
};
