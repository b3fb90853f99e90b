import type { Cause, Comparison } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import type { Lhr } from '../result/lhr.ts';
import { toShares } from './category-points.ts';
import { compareAudits, findAuditCauses } from './compare-audits.ts';
import { compareResults } from './compare-results.ts';
import { judgePage } from './judge-page.ts';
import { toNoise } from './noise.ts';
import { findOtherCauses } from './other-causes.ts';
import { findPerformanceCauses, type ReAuditOutcome } from './performance-causes.ts';
import { planReAudits, type Step } from './plan-re-audits.ts';
import { toSideFacts } from './side-facts.ts';
import { splitPerformance } from './split-performance.ts';
import { toVerdict } from './verdict.ts';

/** A result without full data, and the Lighthouse result that it was made of. */
export type Side = { result: Result; lhr: Lhr };

/**
 * Whether a difference of the two benchmark indices is noise and not another processor: other work on a machine
 * changes its index by a factor of two and more.
 */
const isSameMachine = ({ result: { analyser } }: Side): boolean =>
  analyser.kind === 'embedded' || /^(127\.|localhost[:$]|\[::1\])/.test(`${analyser.host}$`);

const factsOf = ({ result, lhr }: Side) => toSideFacts(lhr, result.strategy);

/** The settings of the re-audits that a comparison needs. Empty when no setting differs. */
export const planFor = (psi: Side, lighthouse: Side): Step[] =>
  'performance' in psi.result.scores && 'performance' in lighthouse.result.scores
    ? planReAudits(factsOf(psi), factsOf(lighthouse), isSameMachine(psi))
    : [];

/** Below this a cause explains nothing. */
const leastPoints = 0.5;

/** Another page first, then what moves a score, then the rest, then mere differences. */
const rankOf = ({ cause, certainty, points }: Cause): number => {
  if (cause === 'different_page' && certainty === 'observed') return 0;
  const isMoving = points !== null && Math.abs(points) >= leastPoints;
  if (cause === 'run_noise' || cause === 'unexplained') return 2;
  if (isMoving) return 1;
  return 3 + ['computed', 'observed', 'possible'].indexOf(certainty);
};

const inOrder = (causes: readonly Cause[]): Cause[] =>
  causes.toSorted((a, b) => rankOf(a) - rankOf(b) || Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0));

/**
 * Two sides of one page and strategy, and why they differ. Pure: the results of re-audits come in as plain data.
 * @param outcome of the settings of `planFor`, with one under no change before them
 * @param askedAtMs when the comparison began, by this machine's clock
 */
export function compareSides(psi: Side, lighthouse: Side, outcome: ReAuditOutcome, askedAtMs: number): Comparison {
  const [psiFacts, ownFacts] = [factsOf(psi), factsOf(lighthouse)];
  const { causes, reAudits } = findPerformanceCauses(
    {
      facts: [psiFacts, ownFacts],
      shares: [toShares(psi.lhr, 'performance'), toShares(lighthouse.lhr, 'performance')],
      isSameMachine: isSameMachine(psi),
    },
    lighthouse.result,
    judgePage(psiFacts, ownFacts),
    { steps: planFor(psi, lighthouse), outcome },
  );
  const others = findOtherCauses(
    { result: psi.result, facts: psiFacts },
    { result: lighthouse.result, facts: ownFacts },
    askedAtMs,
  );
  const comparison: Comparison = {
    verdict: '',
    ...compareResults(psi.result, lighthouse.result),
    performance: splitPerformance(psi.lhr, lighthouse.lhr),
    causes: inOrder([...causes, ...findAuditCauses(psi.lhr, lighthouse.lhr), ...others]),
    re_audits: reAudits,
    noise: toNoise(psi.result, lighthouse.result),
    audits: compareAudits(psi.lhr, lighthouse.lhr),
  };
  return { ...comparison, verdict: toVerdict(comparison, psi.result.analyser) };
}
