import type { Cause, ReAudits } from '../contract/comparison.ts';
import { isStrange } from '../result/blocking.ts';
import { wasSlow } from '../result/disturbances.ts';
import { toSpread } from '../result/runs.ts';
import { type Shares, sumOf } from './category-points.ts';
import { toFloor } from './noise.ts';
import { tidy } from './numbers.ts';
import type { Step } from './plan-re-audits.ts';
import { isLate, type RestFacts, toRestCause, toWithoutScript } from './rest-cause.ts';
import { toSettingCause } from './setting-causes.ts';

/** By audit id, as the local analyser gives it. */
export type ReAuditResult = Readonly<Record<string, { score: number | null }>>;

/** The results of the re-audits: one under unchanged settings, then one for each step; or why there are none. */
export type ReAuditOutcome = { results: readonly ReAuditResult[] } | { reason: string };

/** A local run, and what its load scored when it was audited again. */
export type AuditedAgain = { shares: Shares | undefined; outcome: ReAuditOutcome };

export type PerformanceSides = RestFacts & {
  psiShares: Shares | undefined;
  /** The local run that is shown, then the others. */
  runs: readonly [AuditedAgain, ...AuditedAgain[]];
};

/** A re-audit of unchanged settings gives the same scores; Lighthouse rounds each to a hundredth. */
const sameScorePoints = 1;
/** Less is rounding. */
const leastPoints = 0.5;

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

type Range = NonNullable<Cause['points_range']>;
type StepPoints = { points: number; range: Range | undefined };

/** Over all runs that could be audited again: what a step costs there, and how far that varies. */
function toPoints(all: readonly (readonly number[])[], step: number): StepPoints {
  const values = all.flatMap(points => points[step] ?? []);
  const spread = toSpread(values);
  if (!spread) return { points: values[0] ?? 0, range: undefined };
  const { median, min, max } = spread;
  return { points: median, range: { min: tidy(min, 1), max: tidy(max, 1), runs: values.length } };
}

/** The cost of a processor is not believed where the blocking time is not the page's own work. */
const isDoubtful = ({ facts: [, lighthouse], results: [, own] }: RestFacts): boolean =>
  isStrange(lighthouse.load.blocking) && (!lighthouse.load.blocking.isOfPage || wasSlow(own.environment));

const toDoubted = (given: RestFacts, cpu: Cause): Cause[] => [
  {
    cause: 'disturbed_run',
    category: 'performance',
    points: cpu.points,
    certainty: 'possible',
    evidence: [
      {
        fact: 'blocking_without_script_ms',
        psi: toWithoutScript(given.facts[0]),
        lighthouse: toWithoutScript(given.facts[1]),
      },
    ],
    explanation:
      'Under the remote multiplier the local load scores so much differently, but its long tasks are not the work of the page: they may be of other work on the machine.',
  },
  {
    ...cpu,
    points: null,
    certainty: 'observed',
    explanation: `${cpu.explanation} What that costs this page is not known.`,
  },
];

/** In words, too: the page, the report and the command line show the explanation. */
const withRange = (cause: Cause, range: Range): Cause => ({
  ...cause,
  points_range: range,
  explanation: `${cause.explanation} Over ${range.runs} runs it was ${range.min} to ${range.max} points.`.replaceAll(
    / -(?=\d)/g,
    ' −',
  ),
});

function toStepCauses(given: RestFacts, { cause }: Step, cost: StepPoints | undefined): Cause[] {
  // A server's time is no setting: it varies by itself, and explains nothing where it costs nothing.
  const isFree = cost !== undefined && Math.abs(cost.points) < leastPoints;
  if (isFree && (cause === 'machine' || (cause === 'server' && !isLate(given.facts)))) return [];
  // Of an origin the simulation knows the median: what one late document costs it cannot say.
  const points = cost && !(isFree && cause === 'server') ? tidy(cost.points, 1) : null;
  const setting = toSettingCause(cause, points, given.facts);
  const found = cost?.range ? withRange(setting, cost.range) : setting;
  return cause === 'cpu' && cost && !isFree && isDoubtful(given) ? toDoubted(given, found) : [found];
}

/** Where the remote score shows nothing of what the settings cost, that cost is no statement. */
const isContradicted = (settings: number, rest: number, floor: number): boolean =>
  settings * rest < 0 && Math.min(Math.abs(settings), Math.abs(rest)) > floor;

const doubt = (cause: Cause): Cause =>
  cause.certainty === 'computed' && Math.abs(cause.points ?? 0) >= leastPoints
    ? {
        ...cause,
        certainty: 'possible',
        explanation: `${cause.explanation} So it was computed for the local load; the remote score does not show it.`,
      }
    : cause;

const describe = (status: ReAudits['status'], steps: readonly Step[], detail: string): ReAudits => ({
  status,
  order: steps.map(({ cause }) => cause),
  detail,
});

/** @returns the steps as causes, and what is left of the difference */
function findSettings(given: PerformanceSides, steps: readonly Step[], difference: number | null, computed: Computed) {
  if ('reason' in computed)
    return { settings: steps.flatMap(step => toStepCauses(given, step, undefined)), rest: null };
  const [, ...others] = given.runs;
  const all = [
    computed.points,
    ...others.flatMap(({ shares, outcome }) => {
      const points = shares && steps.length > 0 ? toStepPoints(outcome, shares, steps.length) : undefined;
      return points && 'points' in points ? [points.points] : [];
    }),
  ];
  const costs = steps.map((_, step) => toPoints(all, step));
  const sum = costs.reduce((total, { points }) => total + points, 0);
  return {
    settings: steps.flatMap((step, at) => toStepCauses(given, step, costs[at])),
    rest: difference === null ? null : difference - sum,
  };
}

/**
 * Splits the difference of the performance scores into the cost of settings, as re-audits computed it, and the rest.
 * @param page the cause that says that the page was another one, if it was or may have been
 */
export function findPerformanceCauses(
  given: PerformanceSides,
  page: Cause | undefined,
  steps: readonly Step[],
): { causes: Cause[]; reAudits: ReAudits } {
  const { psiShares, runs, noise } = given;
  const [{ shares: ownShares, outcome }] = runs;
  const pages = page ? [page] : [];
  if (!psiShares || !ownShares)
    return { causes: pages, reAudits: describe('not_needed', [], 'Performance was not compared.') };
  const [theirs, ours] = [sumOf(psiShares), sumOf(ownShares)];
  const difference = theirs === null || ours === null ? null : ours - theirs;
  const computed: Computed = steps.length === 0 ? { points: [] } : toStepPoints(outcome, ownShares, steps.length);
  const { settings, rest } = findSettings(given, steps, difference, computed);
  const left = rest === null ? undefined : toRestCause(given, rest, page);
  const isOpposed = rest !== null && difference !== null && isContradicted(difference - rest, rest, toFloor(noise));
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
  return { causes: [...(isOpposed ? settings.map(doubt) : settings), ...pages, ...(left ? [left] : [])], reAudits };
}
