/** What a comparison is made of, in its order; each folder beside this file is a step of it. */
import type { Comparison } from '../../contract/analysis/comparison.ts';
import { findAuditCauses } from './causes/audit-causes.ts';
import { findLayoutShifts, toShiftPoints } from './causes/layout-shifts.ts';
import { weakestPageDifference } from './causes/open-causes.ts';
import { orderCauses } from './causes/order-causes.ts';
import { findOtherCauses } from './causes/other-causes.ts';
import { findPerformanceCauses, type PerformanceSides } from './causes/performance-causes.ts';
import type { RestFacts } from './causes/rest-facts.ts';
import { settleRest } from './causes/settle-rest.ts';
import { splitPerformance, toShares } from './points/category-points.ts';
import { compareAudits, compareResults } from './points/compare-audits.ts';
import { toFloor, toNoise } from './points/noise.ts';
import { planReAudits, type Step } from './re-audits/plan-re-audits.ts';
import type { ReAuditOutcome } from './re-audits/step-points.ts';
import { judgePage } from './same-page/judge-page.ts';
import { factsOf, isSameMachine, type Side } from './sides/side.ts';
import type { SideFacts } from './sides/side-facts.ts';
import { toVerdict } from './verdict/verdict.ts';

/** Another local run than the one that is shown. */
export type OtherRun = Side & { outcome: ReAuditOutcome };

export type Circumstances = {
  /** Of the settings of `planFor`, with one under no change before them. */
  outcome: ReAuditOutcome;
  /** When the comparison began, by this machine's clock. */
  askedAtMs: number;
  /** Whether the remote analyser was reached under an address of this machine. */
  isOwnAddress?: boolean | undefined;
  others?: readonly OtherRun[] | undefined;
};

type BothFacts = { psi: SideFacts; lighthouse: SideFacts; isOneMachine: boolean };

const readSides = (psi: Side, lighthouse: Side, isOwnAddress: boolean): BothFacts => ({
  psi: factsOf(psi),
  lighthouse: factsOf(lighthouse),
  isOneMachine: isSameMachine(psi, lighthouse, isOwnAddress),
});

const hasPerformance = ({ result }: Side): boolean => 'performance' in result.scores;

const planWith = (psi: Side, lighthouse: Side, facts: BothFacts): Step[] =>
  hasPerformance(psi) && hasPerformance(lighthouse)
    ? planReAudits(facts.psi, facts.lighthouse, facts.isOneMachine)
    : [];

/** The settings of the re-audits that a comparison needs. Empty when no setting differs. */
export const planFor = (psi: Side, lighthouse: Side, isOwnAddress = false): Step[] =>
  planWith(psi, lighthouse, readSides(psi, lighthouse, isOwnAddress));

const toRun = ({ lhr, outcome }: Pick<OtherRun, 'lhr' | 'outcome'>) => ({
  shares: toShares(lhr, 'performance'),
  outcome,
});

/** Two sides of one page and strategy, and why they differ. Pure: the results of re-audits come in as plain data. */
export function compareSides(
  psi: Side,
  lighthouse: Side,
  { outcome, askedAtMs, isOwnAddress = false, others = [] }: Circumstances,
): Comparison {
  const facts = readSides(psi, lighthouse, isOwnAddress);
  const { isOneMachine } = facts;
  const split = splitPerformance(psi.lhr, lighthouse.lhr);
  const noise = toNoise(
    psi.result,
    lighthouse.result,
    others.map(({ result }) => result),
  );
  const steps = planWith(psi, lighthouse, facts);
  const otherFacts = others.map(factsOf);
  const given: RestFacts = {
    facts: [facts.psi, facts.lighthouse],
    results: [psi.result, lighthouse.result],
    split,
    noise,
    isSameMachine: isOneMachine,
  };
  const [psiShares, ownShares] = [psi, lighthouse].map(({ lhr }) => toShares(lhr, 'performance'));
  const shifts = findLayoutShifts(given, toShiftPoints(psiShares, ownShares), otherFacts);
  const sides: PerformanceSides = {
    ...given,
    psiShares,
    shifts,
    runs: [toRun({ lhr: lighthouse.lhr, outcome }), ...others.map(toRun)],
  };
  const apart = findOtherCauses(
    { result: psi.result, facts: facts.psi },
    { result: lighthouse.result, facts: facts.lighthouse },
    askedAtMs,
    otherFacts,
  );
  const loads = {
    psi: facts.psi,
    lighthouse: [facts.lighthouse, ...otherFacts],
    isSameMachine: isOneMachine,
    // What moved the page is to be seen in its last picture, too.
    isShifted: Math.abs(shifts?.points ?? 0) >= Math.abs(split?.difference ?? 0) / 2 && shifts !== undefined,
  };
  const found = findPerformanceCauses(sides, judgePage(loads), steps);
  // The least that differs of the page is no more than possible, and where nothing else is.
  const isApart = Math.abs(split?.difference ?? 0) > toFloor(noise);
  const least = isApart ? weakestPageDifference([...found.causes, ...apart]) : undefined;
  const { causes, reAudits } = least ? findPerformanceCauses(sides, judgePage({ ...loads, least }), steps) : found;
  const comparison: Comparison = {
    explanation: '',
    ...compareResults(psi.result, lighthouse.result),
    performance: split,
    causes: orderCauses(
      settleRest(
        [...causes, ...findAuditCauses(psi.lhr, lighthouse.lhr), ...apart],
        split?.difference ?? 0,
        toFloor(noise),
      ),
    ),
    re_audits: reAudits,
    noise,
    audits: compareAudits(psi.lhr, lighthouse.lhr),
    disturbed: [psi, lighthouse].flatMap(({ result }) => (result.disturbed === true ? [result.source] : [])),
  };
  return { ...comparison, explanation: toVerdict(comparison, psi.result.analyser, isOneMachine) };
}
