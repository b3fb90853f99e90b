/** Compares two sides step by step; each folder next to this file is one step. */

import type { Comparison } from '../../contract/analysis/comparison.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { findAuditCauses } from './causes/audit-causes.ts';
import type { ComparedFacts } from './causes/cause-rule.ts';
import { differenceRules } from './causes/cause-table.ts';
import { findLayoutShifts, toShiftPoints } from './causes/layout-shifts.ts';
import { orderCauses, settleRest, weakestPageDifference } from './causes/order-causes.ts';
import { findPerformanceCauses, type PerformanceSides } from './causes/performance-causes.ts';
import { describeVerdict } from './describe-verdict.ts';
import { type FoundCause, type FoundComparison, toCause } from './evidence.ts';
import { splitPerformance, toShares } from './points/category-points.ts';
import { compareAudits, compareResults } from './points/compare-audits.ts';
import { toFloor, toNoise } from './points/noise.ts';
import { planReAudits, type ReAuditStep } from './re-audits/plan-re-audits.ts';
import type { ReAuditOutcome } from './re-audits/step-points.ts';
import { judgePage } from './same-page/same-page.ts';
import { isSameMachine, type ReadSide } from './side.ts';

export type ReadRun = ReadSide & { outcome: ReAuditOutcome };

export type Circumstances = {
  /** Outcome of the re-audits: one without changes, then those of `planFor`. */
  outcome: ReAuditOutcome;
  /** Start of the comparison, by this machine's clock. */
  askedAtMs: number;
  /** Whether the PSI analyser was reached by an address of this machine. */
  isOwnAddress?: boolean | undefined;
  others?: readonly ReadRun[] | undefined;
};

const hasPerformance = ({ result }: ReadSide): boolean => 'performance' in result.scores;

/** Returns the settings of the re-audits for a comparison; empty if no setting differs. */
export const planFor = (psi: ReadSide, lighthouse: ReadSide, isOwnAddress = false): ReAuditStep[] =>
  hasPerformance(psi) && hasPerformance(lighthouse)
    ? planReAudits(psi.facts, lighthouse.facts, isSameMachine(psi, lighthouse, isOwnAddress))
    : [];

const toRun = ({ scored, outcome }: Pick<ReadRun, 'scored' | 'outcome'>) => ({
  shares: toShares(scored, 'performance'),
  outcome,
});

const findDifferences = (given: ComparedFacts): FoundCause[] =>
  differenceRules.flatMap(rule => {
    const told = rule(given, 0);
    if (!told) return [];
    const category = told.cause === 'server' ? 'performance' : null;
    return [{ category, points: null, evidence: [], ...told }];
  });

/** Compares two sides of one page and strategy. Pure: re-audits are passed as plain data. */
export function compareSides(
  psi: ReadSide,
  lighthouse: ReadSide,
  { outcome, askedAtMs, isOwnAddress = false, others = [] }: Circumstances,
): Comparison {
  const isOneMachine = isSameMachine(psi, lighthouse, isOwnAddress);
  const split = splitPerformance(psi.scored, lighthouse.scored);
  const noise = toNoise(
    psi.result,
    lighthouse.result,
    others.map(({ result }) => result),
  );
  const steps = planFor(psi, lighthouse, isOwnAddress);
  const otherFacts = others.map(({ facts }) => facts);
  const given: ComparedFacts = {
    facts: [psi.facts, lighthouse.facts],
    results: [psi.result, lighthouse.result],
    others: otherFacts,
    askedAtMs,
    split,
    noise,
    isSameMachine: isOneMachine,
  };
  const [psiShares, ownShares] = [psi, lighthouse].map(({ scored }) => toShares(scored, 'performance'));
  const shifts = findLayoutShifts(given, toShiftPoints(psiShares, ownShares));
  const sides: PerformanceSides = {
    ...given,
    psiShares,
    shifts,
    runs: [toRun({ scored: lighthouse.scored, outcome }), ...others.map(toRun)],
  };
  const apart = findDifferences(given);
  const loads = {
    psi: psi.facts,
    lighthouse: [lighthouse.facts, ...otherFacts],
    isSameMachine: isOneMachine,
    // A layout shift also changes the final screenshot.
    isShifted: Math.abs(shifts?.points ?? 0) >= Math.abs(split?.difference ?? 0) / 2 && shifts !== undefined,
  };
  const clearPage = judgePage(loads);
  const found = findPerformanceCauses(sides, clearPage, steps);
  // A weak page difference is only a possible cause, and only if there is no other.
  const isApart = Math.abs(split?.difference ?? 0) > toFloor(noise);
  const least = isApart ? weakestPageDifference([...found.causes, ...apart]) : undefined;
  const page = least ? judgePage({ ...loads, least }) : clearPage;
  const { causes, reAudits } = least ? findPerformanceCauses(sides, page, steps) : found;
  const comparison: FoundComparison = {
    ...compareResults(psi.result, lighthouse.result),
    performance: split,
    causes: orderCauses(
      settleRest(
        [...causes, ...findAuditCauses(psi.scored, lighthouse.scored), ...apart],
        split?.difference ?? 0,
        toFloor(noise),
      ),
    ),
    re_audits: reAudits,
    noise,
    audits: compareAudits(psi.scored, lighthouse.scored),
    disturbed: [psi, lighthouse].flatMap(({ result }) => (isDisturbed(result) ? [result.source] : [])),
  };
  const circumstances = {
    analyser: psi.result.analyser,
    isSameMachine: isOneMachine,
    page: page?.explanation,
  };
  return {
    explanation: describeVerdict(comparison, circumstances),
    ...comparison,
    causes: comparison.causes.map(toCause),
  };
}
