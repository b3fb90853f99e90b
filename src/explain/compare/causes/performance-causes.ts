import type { ReAudits } from '../../../contract/analysis/comparison.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { counted } from '../../../presentation/numbers.ts';
import { tidy } from '../../../presentation/values.ts';
import { leastPoints, leastStatedPoints } from '../constants.ts';
import { cutTo, type FoundCause, maxNamed, withSign } from '../evidence.ts';
import { type Shares, sumOf } from '../points/category-points.ts';
import { toFloor } from '../points/noise.ts';
import type { ReAuditStep } from '../re-audits/plan-re-audits.ts';
import {
  type Costs,
  findCosts,
  type Range,
  type ReAuditedShares,
  type SettingCosts,
  type StepPoints,
} from '../re-audits/step-points.ts';
import type { ComparedFacts, Told } from './cause-rule.ts';
import { noiseRules, restRules, seenRules } from './cause-table.ts';
import { isLate } from './differences.ts';
import { isDoubtful, isWaitMeasured, toDoubted, toMeasuredWait } from './disturbed-run.ts';
import { isApart, seesNoise } from './rest-rules.ts';
import { findWeights, toSettingCause } from './setting-causes.ts';

/** Explains the rest of the difference, after settings, the page and layout shifts. */
function judge(given: ComparedFacts, rest: number, page: FoundCause | undefined): Told | undefined {
  const apply = (rules: typeof restRules) => {
    for (const rule of rules) {
      const told = rule(given, rest);
      if (told) return told;
    }
    return undefined;
  };
  const noise = apply(noiseRules);
  if (noise) return noise;
  const seen = apply(seenRules);
  // A different page may also explain what was seen.
  if (seen && page && seen.cause !== 'disturbed_run') return { ...seen, certainty: 'possible' };
  return seen ?? apply(restRules);
}

const toCause = ({ evidence = [], ...told }: Told, points: number): FoundCause => ({
  category: 'performance',
  points: tidy(points, 1),
  evidence,
  ...told,
});

/** Describes the rest after a different page: it is not called noise, because its cause is unknown. */
const toRestOfPage = (page: FoundCause): Told => ({
  cause: 'unexplained',
  certainty: 'possible',
  explanation:
    page.certainty === 'computed'
      ? 'The remaining points. The page may differ in more than could be simulated.'
      : 'The remaining points. The effect of the different page was not computed.',
});

/** Explains points that settings do not: by the measured wait, then noise, then observations about the rest. */
function toRestCauses(given: ComparedFacts, rest: number, page: FoundCause | undefined): FoundCause[] {
  if (Math.abs(rest) < leastPoints) return [];
  const isPage = page !== undefined && page.certainty !== 'possible';
  const explain = (points: number): FoundCause[] => {
    const told = isPage ? toRestOfPage(page) : judge(given, points, page);
    return told && Math.abs(points) >= leastPoints ? [toCause(told, points)] : [];
  };
  const isWaitOpen = isApart(given, rest) && !given.isWaitPaid && (isPage || !seesNoise(given, rest));
  const wait = isWaitOpen ? toMeasuredWait(given, rest) : undefined;
  if (!wait) return explain(rest);
  const { points, ...told } = wait;
  return [toCause(told, points), ...explain(rest - points)];
}

/* Determines the cost of different machines by their benchmark indices, and the plausible part of it. */

type Fitted = { cost: StepPoints | undefined; rest: number | null };

/** Limits the computed cost of a machine to what the scores show, because the index is a rough measure. */
function fitMachine(cost: StepPoints | undefined, rest: number | null): Fitted {
  if (!cost || rest === null || cost.points * rest >= 0) return { cost, rest };
  const shown = cost.points + rest;
  return shown * cost.points > 0
    ? { cost: { points: shown, range: undefined }, rest: 0 }
    : { cost: { points: 0, range: undefined }, rest: shown };
}

/** Adds a note if the limited cost differs from the computed one. */
const withComputed = (causes: readonly FoundCause[], computed: StepPoints | undefined): FoundCause[] =>
  causes.map(cause =>
    computed && cause.points !== null && tidy(computed.points, 1) !== cause.points
      ? {
          ...cause,
          explanation: `${cause.explanation} The computed effect on the local load is ${withSign(tidy(computed.points, 1))} points; the scores show no more than this.`,
        }
      : cause,
  );

export type PerformanceSides = ComparedFacts & {
  psiShares: Shares | undefined;
  /** The displayed local run, then the others. */
  runs: readonly [ReAuditedShares, ...ReAuditedShares[]];
  shifts: FoundCause | undefined;
};

const signed = (points: number): string => (points === 0 ? '0' : withSign(points));

/** Adds a range to the explanation too, because the page, the report and the command line display it. */
const withRange = (cause: FoundCause, range: Range): FoundCause => ({
  ...cause,
  points_range: range,
  explanation: `${cause.explanation} Over ${range.runs} runs, the effect was ${signed(range.min)} to ${signed(range.max)} points.`,
});

function toStepCauses(given: ComparedFacts, { cause }: ReAuditStep, cost: StepPoints | undefined): FoundCause[] {
  if (cause === 'page') return [];
  // Server latency is not a setting: it varies by itself, and explains nothing if it costs nothing.
  const isFree = cost !== undefined && Math.abs(cost.points) < leastPoints;
  if (isFree && (cause === 'machine' || (cause === 'server' && !isLate(given.facts)))) return [];
  // The simulation uses the median latency of an origin, which does not show the cost of one late document.
  const points = cost && !(isFree && cause === 'server') ? tidy(cost.points, 1) : null;
  const setting = toSettingCause(cause, points, given.facts);
  const isOfWait = cost !== undefined && (isDoubtful(given) || isWaitMeasured(given, cost.points));
  const causes = cause === 'cpu' && !isFree && isOfWait ? toDoubted(given, setting) : [setting];
  // The costs of the other runs include their waits, so the remainder without the wait has no range.
  return causes.length === 1 && cost?.range ? [withRange(setting, cost.range)] : causes;
}

const isContradicted = (settings: number, rest: number, floor: number): boolean =>
  settings * rest < 0 && Math.min(Math.abs(settings), Math.abs(rest)) > floor;

const doubt = (cause: FoundCause): FoundCause =>
  cause.certainty === 'computed' && Math.abs(cause.points ?? 0) >= leastPoints
    ? {
        ...cause,
        certainty: 'possible',
        explanation: `${cause.explanation} This effect was computed for the local load. The PSI score does not show it.`,
      }
    : cause;

const describe = (status: ReAudits['status'], steps: readonly ReAuditStep[], detail: string): ReAudits => ({
  status,
  order: steps.map(({ cause }) => cause),
  detail,
});

/** Cost of the page of the PSI load, and whether the costs of settings were computed with that page. */
type PageFound = { page: FoundCause | undefined; points: number; isSimulated: boolean };

/** Returns the cause of a different page with its cost, if that was simulated and the two scores agree with it. */
function toPageCause(
  page: FoundCause | undefined,
  { step, costs, facts }: { step: ReAuditStep | undefined; costs: Costs['page']; facts: ComparedFacts['facts'] },
  { left, floor }: { left: number | null; floor: number },
): PageFound {
  if (page?.certainty !== 'observed' || step?.cause !== 'page' || !costs)
    return { page, points: 0, isSimulated: false };
  const { here, there } = costs;
  const cost = tellPageCost(step.names, { here: here.points, there: there.points }, facts);
  const told = { ...page, explanation: `${page.explanation}${cost}` };
  const { points, range } = here;
  const isShown = left === null || !isContradicted(points, left - points, floor);
  if (Math.abs(points) < leastPoints || !isShown) return { page: told, points: 0, isSimulated: isShown };
  const priced: FoundCause = { ...told, category: 'performance', points: tidy(points, 1), certainty: 'computed' };
  return { page: range ? withRange(priced, range) : priced, points, isSimulated: true };
}

const notChanged = describe(
  'not_needed',
  [],
  'Both sides have the same settings, as far as a re-audit can change them.',
);

/** Lists the re-audits. The change of the page counts if its cause is reported. */
function toReAudits(steps: readonly ReAuditStep[], reason: string | undefined, isPagePriced: boolean): ReAudits {
  const settings = steps.filter(({ cause }) => cause !== 'page');
  const told = [...(isPagePriced ? steps.filter(({ cause }) => cause === 'page').slice(0, 1) : []), ...settings];
  if (told.length === 0) return notChanged;
  return reason !== undefined
    ? describe('not_possible', told, `The local load could not be audited again: ${reason}.`)
    : describe('done', told, 'The local load was audited again with the PSI settings, one change on top of the other.');
}

const differenceOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : other - one;

const holdsInEveryRun = (paid: SettingCosts | undefined): boolean =>
  paid?.of.some(({ range }) => range !== undefined && range.min * range.max > 0) ?? false;

type PageToPay = { costs: Costs; floor: number; page: FoundCause | undefined; steps: readonly ReAuditStep[] };

/**
 * Returns the cost of the page, then of the settings. If the page of the PSI load could be simulated, it comes first:
 * the cost of a setting is then computed with the same page on both sides, without the page's additional work.
 * @param difference difference of the scores, without the share of metric weights and layout shifts
 */
function payPage({ costs, floor, page, steps }: PageToPay, { facts }: ComparedFacts, difference: number | null) {
  const toLeft = (settings: SettingCosts | undefined) => differenceOf(settings?.sum ?? null, difference);
  const step = steps.find(({ cause }) => cause === 'page');
  const found = toPageCause(page, { step, costs: costs.page, facts }, { left: toLeft(costs.page?.settings), floor });
  const paid = found.isSimulated && costs.page ? costs.page.settings : costs.settings;
  const isTold = found.page?.certainty === 'computed' || (found.isSimulated && (paid?.of.length ?? 0) > 0);
  return { paid, found, isTold, left: toLeft(paid) };
}

/**
 * Splits the difference of the performance scores into the costs of settings and of page differences that re-audits
 * computed, and a rest.
 * @param page cause of a different page, if the page was or may have been different
 */
export function findPerformanceCauses(
  given: PerformanceSides,
  page: FoundCause | undefined,
  steps: readonly ReAuditStep[],
): { causes: FoundCause[]; reAudits: ReAudits } {
  const { psiShares, runs, noise, shifts } = given;
  const [{ shares: ownShares }] = runs;
  if (!psiShares || !ownShares)
    return { causes: page ? [page] : [], reAudits: describe('not_needed', [], 'Performance was not compared.') };
  const difference = differenceOf(sumOf(psiShares), sumOf(ownShares));
  const floor = toFloor(noise);
  const costs = findCosts(steps, runs);
  const versions = given.facts.map(({ lighthouseVersion }) => lighthouseVersion) as [string, string];
  const weights = findWeights(psiShares, ownShares, versions);
  const known = (weights?.points ?? 0) + (shifts?.points ?? 0);
  const { paid, found, isTold, left } = payPage({ costs, floor, page, steps }, given, differenceOf(known, difference));
  const settingSteps = steps.filter(({ cause }) => cause !== 'page');
  const machineAt = settingSteps.findIndex(({ cause }) => cause === 'machine');
  const computed = paid?.of[machineAt];
  const { cost: machine, rest } = fitMachine(computed, differenceOf(found.points, left));
  const settings = settingSteps.flatMap((step, at) =>
    at === machineAt
      ? withComputed(toStepCauses(given, step, machine), computed)
      : toStepCauses(given, step, paid?.of[at]),
  );
  const cost = (paid?.sum ?? 0) - (computed?.points ?? 0) + (machine?.points ?? 0);
  const isWaitPaid = settings.some(({ cause }) => cause === 'disturbed_run');
  const isOpposed = rest !== null && isContradicted(cost, rest, floor);
  const restCauses =
    rest === null ? [] : toRestCauses({ ...given, isOfEveryRun: holdsInEveryRun(paid), isWaitPaid }, rest, found.page);
  return {
    causes: [
      ...(isOpposed ? settings.map(doubt) : settings),
      ...(weights ? [weights] : []),
      ...(found.page ? [found.page] : []),
      ...(shifts ? [shifts] : []),
      ...restCauses,
    ],
    reAudits: toReAudits(steps, costs.reason, isTold),
  };
}

/** Describes the effect of a different page on the score. */

const sayPoints = (points: number): string =>
  Math.abs(points) < leastPoints
    ? 'the same'
    : `${counted(tidy(Math.abs(points), 1), 'point')} ${points < 0 ? 'more' : 'less'}`;

/** Points by which the difference changed the local score, with the settings of either side. */
export type PageCost = { here: number; there: number };

/**
 * @returns a sentence after the one that names the difference; the same work costs more points with more CPU throttling
 */
export function tellPageCost(
  names: readonly string[],
  { here, there }: PageCost,
  [psi, lighthouse]: readonly [SideFacts, SideFacts],
): string {
  const [theirs, ours] = [psi.throttling.cpuSlowdownMultiplier, lighthouse.throttling.cpuSlowdownMultiplier];
  const said = ` Simulated with ${cutTo(names, maxNamed)} as ${psi.where}, the local load scores ${sayPoints(here)}`;
  if (Math.abs(here - there) < leastStatedPoints) return `${said}.`;
  return theirs === ours
    ? `${said}, and ${sayPoints(there)} with the PSI settings.`
    : `${said} at ${ours}× CPU throttling, and ${sayPoints(there)} at ${theirs}×.`;
}
