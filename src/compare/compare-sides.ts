import type { Lhr } from '../report/lhr.ts';
import type { Report } from '../report/report.ts';
import { toShares } from './category-points.ts';
import { compareAudits, findAuditCauses } from './compare-audits.ts';
import { compareReports } from './compare-reports.ts';
import type { Cause, Comparison } from './comparison.ts';
import { judgePage } from './judge-page.ts';
import { toNoise } from './noise.ts';
import { findOtherCauses } from './other-causes.ts';
import { findPerformanceCauses, type ReAuditOutcome } from './performance-causes.ts';
import { planReAudits, type Step } from './plan-re-audits.ts';
import { toSideFacts } from './side-facts.ts';
import { splitPerformance } from './split-performance.ts';
import { toVerdict } from './verdict.ts';

/** A Report without full data, and the Lighthouse result it was made of. */
export type Side = { report: Report; lhr: Lhr };

/**
 * Whether a gap between the two benchmark indices is noise, not another processor: what else runs on a machine moves
 * its index by a factor of two and more.
 */
const isSameMachine = ({ report: { analyser } }: Side): boolean =>
  analyser.kind === 'embedded' || /^(127\.|localhost[:$]|\[::1\])/.test(`${analyser.host}$`);

const factsOf = ({ report, lhr }: Side) => toSideFacts(lhr, report.strategy);

/** What to audit the local load again under, before the sides are compared. Empty when no setting differs. */
export const planFor = (psi: Side, lighthouse: Side): Step[] =>
  'performance' in psi.report.scores && 'performance' in lighthouse.report.scores
    ? planReAudits(factsOf(psi), factsOf(lighthouse), isSameMachine(psi))
    : [];

/** Below this a cause explains nothing. */
const leastPoints = 0.5;

/** Another page first, then what moves a score, then what is left over, then what the sides merely differ in. */
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
 * Two sides of one page and strategy, and why they are apart. Pure: what re-audits gave comes in as plain data.
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
    lighthouse.report,
    judgePage(psiFacts, ownFacts),
    { steps: planFor(psi, lighthouse), outcome },
  );
  const others = findOtherCauses(
    { report: psi.report, facts: psiFacts },
    { report: lighthouse.report, facts: ownFacts },
    askedAtMs,
  );
  const comparison: Comparison = {
    verdict: '',
    ...compareReports(psi.report, lighthouse.report),
    performance: splitPerformance(psi.lhr, lighthouse.lhr),
    causes: inOrder([...causes, ...findAuditCauses(psi.lhr, lighthouse.lhr), ...others]),
    re_audits: reAudits,
    noise: toNoise(psi.report, lighthouse.report),
    audits: compareAudits(psi.lhr, lighthouse.lhr),
  };
  return { ...comparison, verdict: toVerdict(comparison, psi.report.analyser) };
}
