import type { Cause, CauseName, Comparison } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import type { Lhr } from '../result/lhr.ts';
import { toShares } from './category-points.ts';
import { compareAudits, findAuditCauses } from './compare-audits.ts';
import { compareResults } from './compare-results.ts';
import { judgePage } from './judge-page.ts';
import { toFloor, toNoise } from './noise.ts';
import { ratioOf } from './numbers.ts';
import { findOtherCauses } from './other-causes.ts';
import { findPerformanceCauses } from './performance-causes.ts';
import { planReAudits, type Step } from './plan-re-audits.ts';
import { toSideFacts } from './side-facts.ts';
import { splitPerformance } from './split-performance.ts';
import type { ReAuditOutcome } from './step-points.ts';
import { toVerdict } from './verdict.ts';

/** A result without full data, and the Lighthouse result that it was made of. */
export type Side = { result: Result; lhr: Lhr };

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

/** One machine may give a service less than another. */
const limitRatio = 1.3;

const areLimitsApart = (psi: Result, lighthouse: Result): boolean =>
  (ratioOf(psi.environment.processors ?? null, lighthouse.environment.processors ?? null) ?? 1) >= limitRatio;

/** Then another benchmark index is other work, not another machine. */
const isSameMachine = ({ result }: Side, own: Side, isOwnAddress: boolean): boolean => {
  const { kind } = result.analyser;
  const [theirs, ours] = [result.environment.machine_id, own.result.environment.machine_id];
  if (kind === 'embedded') return true;
  if (kind === 'google' || areLimitsApart(result, own.result)) return false;
  return theirs && ours ? theirs === ours : isOwnAddress;
};

const factsOf = ({ result, lhr }: Side) => ({
  ...toSideFacts(lhr, result.strategy),
  processors: result.environment.processors ?? null,
  benchmarkUsual: result.environment.benchmark_usual ?? null,
});

/** The settings of the re-audits that a comparison needs. Empty when no setting differs. */
export const planFor = (psi: Side, lighthouse: Side, isOwnAddress = false): Step[] =>
  'performance' in psi.result.scores && 'performance' in lighthouse.result.scores
    ? planReAudits(factsOf(psi), factsOf(lighthouse), isSameMachine(psi, lighthouse, isOwnAddress))
    : [];

/** Below this a cause explains nothing. */
const leastPoints = 0.5;

/** What a re-audit would have computed. */
const settingNames: ReadonlySet<CauseName> = new Set(['throttling', 'cpu', 'server']);

/** Differences of the sides themselves, which may have moved the score. */
const openNames: ReadonlySet<CauseName> = new Set(['form_factor', 'lighthouse_version']);

const restNames: ReadonlySet<CauseName> = new Set(['run_noise', 'unexplained']);

/** Another page first, then what moves a score, what is possible, the rest, and mere differences. */
const rankOf = ({ cause, certainty, points }: Cause, isDisturbed: boolean): number => {
  if (cause === 'different_page' && certainty !== 'possible') return 0;
  if (restNames.has(cause)) return 3;
  if (certainty === 'possible' || (openNames.has(cause) && points === null)) return 2;
  if (settingNames.has(cause) && points === null) return isDisturbed ? 4 : 1;
  return points !== null && Math.abs(points) >= leastPoints ? 1 : 4;
};

function inOrder(causes: readonly Cause[]): Cause[] {
  const isDisturbed = causes.some(({ cause }) => cause === 'disturbed_run');
  const toRank = (cause: Cause) => rankOf(cause, isDisturbed);
  return causes.toSorted((a, b) => toRank(a) - toRank(b) || Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0));
}

/** Another version is one cause: by its weights of metrics, where they cost something. */
const withoutRepeated = (causes: readonly Cause[]): Cause[] => {
  const isPriced = causes.some(({ cause, points }) => cause === 'lighthouse_version' && points !== null);
  return causes.filter(({ cause, points }) => !isPriced || cause !== 'lighthouse_version' || points !== null);
};

/** A server is one cause: by what all its answers took, and by a single one. */
function joinServers(causes: readonly Cause[]): Cause[] {
  const [first, ...others] = causes.filter(({ cause }) => cause === 'server');
  if (!first) return [...causes];
  const evidence = [first, ...others].flatMap(cause => cause.evidence);
  return causes.flatMap(cause => {
    if (cause === first) return [{ ...first, evidence }];
    return cause.cause === 'server' ? [] : [cause];
  });
}

/** Two sides of one page and strategy, and why they differ. Pure: the results of re-audits come in as plain data. */
export function compareSides(
  psi: Side,
  lighthouse: Side,
  { outcome, askedAtMs, isOwnAddress = false, others = [] }: Circumstances,
): Comparison {
  const [psiFacts, ownFacts] = [factsOf(psi), factsOf(lighthouse)];
  const isOneMachine = isSameMachine(psi, lighthouse, isOwnAddress);
  const split = splitPerformance(psi.lhr, lighthouse.lhr);
  const noise = toNoise(psi.result, lighthouse.result);
  const toRun = ({ lhr, outcome }: Pick<OtherRun, 'lhr' | 'outcome'>) => ({
    shares: toShares(lhr, 'performance'),
    outcome,
  });
  const page = judgePage({
    psi: psiFacts,
    lighthouse: [ownFacts, ...others.map(factsOf)],
    isSameMachine: isOneMachine,
    isApart: Math.abs(split?.difference ?? 0) > toFloor(noise),
  });
  const { causes, reAudits } = findPerformanceCauses(
    {
      facts: [psiFacts, ownFacts],
      results: [psi.result, lighthouse.result],
      ...{ split, noise, isSameMachine: isOneMachine },
      psiShares: toShares(psi.lhr, 'performance'),
      runs: [toRun({ lhr: lighthouse.lhr, outcome }), ...others.map(toRun)],
    },
    page,
    planFor(psi, lighthouse, isOwnAddress),
  );
  const apart = findOtherCauses(
    { result: psi.result, facts: psiFacts },
    { result: lighthouse.result, facts: ownFacts },
    askedAtMs,
  );
  const comparison: Comparison = {
    verdict: '',
    ...compareResults(psi.result, lighthouse.result),
    performance: split,
    causes: inOrder(withoutRepeated(joinServers([...causes, ...findAuditCauses(psi.lhr, lighthouse.lhr), ...apart]))),
    re_audits: reAudits,
    noise,
    audits: compareAudits(psi.lhr, lighthouse.lhr),
  };
  return { ...comparison, verdict: toVerdict(comparison, psi.result.analyser, isOneMachine) };
}
