import type { Cause, CauseName, ReAudits } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import { type Shares, sumOf } from './category-points.ts';
import { countPoints, tidy } from './numbers.ts';
import type { Step } from './plan-re-audits.ts';
import { toSettingCause } from './setting-causes.ts';
import type { SideFacts } from './side-facts.ts';

/** By audit id, as the local analyser gives it. */
export type ReAuditResult = Readonly<Record<string, { score: number | null }>>;

/** The results of the re-audits: one under unchanged settings, then one for each step; or why there are none. */
export type ReAuditOutcome = { results: readonly ReAuditResult[] } | { reason: string };

export type PerformanceSides = {
  facts: readonly [psi: SideFacts, lighthouse: SideFacts];
  shares: readonly [psi: Shares | undefined, lighthouse: Shares | undefined];
  isSameMachine: boolean;
};

/** A re-audit of unchanged settings gives the same scores; Lighthouse rounds each to a hundredth. */
const sameScorePoints = 1;
/** Less is rounding. */
const leastPoints = 0.5;
/** Single runs of one page usually differ by that much with nothing changed. */
const usualNoisePoints = 5;

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

type Computed = { points: number[] } | { reason: string };

/** What each step costs: the score before it less the score after it. */
function toStepPoints(outcome: ReAuditOutcome, shares: Shares, steps: number): Computed {
  if ('reason' in outcome) return outcome;
  const scores = outcome.results.map(result => scoreOf(result, shares));
  const known = scores.filter(score => score !== null);
  const [unchanged] = known;
  if (unchanged === undefined || scores.length !== steps + 1 || known.length !== scores.length)
    return { reason: 'a re-audit gave no score' };
  const measured = sumOf(shares);
  if (measured === null || Math.abs(measured - unchanged) > sameScorePoints)
    return { reason: 'a re-audit under unchanged settings did not give the score that was measured' };
  return { points: known.slice(1).map((score, index) => (known[index] ?? score) - score) };
}

const restCause = (cause: CauseName, points: number, certainty: Cause['certainty'], explanation: string): Cause => ({
  cause,
  category: 'performance',
  points: tidy(points, 1),
  certainty,
  evidence: [],
  explanation,
});

/** What no setting explains: noise as far as noise goes. */
function toRestCause(rest: number, lighthouse: Result): Cause | undefined {
  if (Math.abs(rest) < leastPoints) return undefined;
  const { runs } = lighthouse;
  const own = runs?.scores.performance;
  // No advice for a client that already asked for several runs and got one.
  const advice = runs ? '' : ': with runs=5 that is measured';
  if (own && Math.abs(rest) <= own.spread)
    return restCause('run_noise', rest, 'observed', `The local runs themselves lie ${countPoints(own.spread)} apart.`);
  if (own)
    return restCause(
      'unexplained',
      rest,
      'observed',
      `No setting explains it, and the local runs lie only ${countPoints(own.spread)} apart.`,
    );
  if (Math.abs(rest) <= usualNoisePoints)
    return restCause(
      'run_noise',
      rest,
      'possible',
      `Single runs of one page often differ by up to ${usualNoisePoints} points${advice}.`,
    );
  return restCause(
    'unexplained',
    rest,
    'observed',
    `No setting explains it. The page may vary from load to load${advice}.`,
  );
}

const describe = (status: ReAudits['status'], steps: readonly Step[], detail: string): ReAudits => ({
  status,
  order: steps.map(({ cause }) => cause),
  detail,
});

/**
 * Splits the difference of the performance scores into the cost of settings, as re-audits computed it, and the rest:
 * another page, else noise, else unexplained.
 * @param page the cause that says so, if the page was another one
 */
export function findPerformanceCauses(
  { facts, shares: [psiShares, ownShares], isSameMachine }: PerformanceSides,
  lighthouse: Result,
  page: Cause | undefined,
  { steps, outcome }: { steps: readonly Step[]; outcome: ReAuditOutcome },
): { causes: Cause[]; reAudits: ReAudits } {
  const pages = page ? [page] : [];
  if (!psiShares || !ownShares)
    return { causes: pages, reAudits: describe('not_needed', [], 'Performance was not compared.') };
  const [theirs, ours] = [sumOf(psiShares), sumOf(ownShares)];
  const difference = theirs === null || ours === null ? null : ours - theirs;
  const computed: Computed = steps.length === 0 ? { points: [] } : toStepPoints(outcome, ownShares, steps.length);
  const points = 'points' in computed ? computed.points : undefined;
  const settings = steps.flatMap(({ cause }, index) => {
    const own = points?.[index];
    // The time of a server is no setting: it varies by itself, and explains nothing where it costs nothing.
    if (cause === 'server' && own !== undefined && Math.abs(own) < leastPoints) return [];
    return [toSettingCause(cause, own === undefined ? null : tidy(own, 1), facts, isSameMachine)];
  });
  const withRest = (): Cause[] => {
    if (difference === null || !points) return pages;
    const rest = difference - points.reduce((sum, own) => sum + own, 0);
    if (page?.certainty === 'observed') return [{ ...page, category: 'performance', points: tidy(rest, 1) }];
    const left = toRestCause(rest, lighthouse);
    return left ? [...pages, left] : pages;
  };
  const reAudits =
    'reason' in computed
      ? describe('not_possible', steps, `The local load could not be audited again: ${computed.reason}.`)
      : steps.length === 0
        ? describe('not_needed', [], 'No setting that a re-audit can change sets the two sides apart.')
        : describe(
            'done',
            steps,
            "The local load was audited again under the remote side's settings, one change on top of the other.",
          );
  return { causes: [...settings, ...withRest()], reAudits };
}
