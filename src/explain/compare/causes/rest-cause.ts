/** Explains the rest of the difference, after settings, the page and layout shifts. */
import { leastPoints, usualNoisePoints } from '../constants.ts';
import { type FoundCause, fact } from '../evidence.ts';
import { countPoints, tidy } from '../phrases.ts';
import { isOfOneRun, toFloor } from '../points/noise.ts';
import { isWaitMeasured, toDisturbance, toLatePaints, toMeasuredWait } from './disturbed-run.ts';
import { toLimitedMachine, toSlowerScripts } from './machine.ts';
import { hasOtherVersions } from './other-causes.ts';
import type { RestFacts, Told } from './rest-facts.ts';
import { seesNoise, toSameWork } from './run-noise.ts';
import { toSimulation } from './simulation.ts';

const advise = ({ results: [, lighthouse] }: RestFacts): string =>
  // A client that requested several runs and got one needs no such advice.
  (lighthouse.runs?.requested ?? 1) > 1 ? '' : ': use runs=5 to measure the variation';

/** Returns whether a different page may also explain the observation. */
const mayBeOther = (seen: Told, page: FoundCause | undefined): boolean =>
  page !== undefined && seen.cause !== 'disturbed_run';

/**
 * Explains a slower side. A CPU limit pauses a load even without other work on the machine. If the wait for a CPU was
 * measured, no other observation is called a disturbed run.
 */
const toSlower = (given: RestFacts, rest: number): Told | undefined => {
  const limited = toLimitedMachine(given, rest);
  if (limited) return toVersion(given, rest) ?? toSimulation(given, rest) ?? limited;
  const isMeasured = isWaitMeasured(given, rest);
  return (
    (isMeasured ? undefined : toDisturbance(given, rest)) ??
    toSlowerScripts(given, rest) ??
    toVersion(given, rest) ??
    toSimulation(given, rest) ??
    (isMeasured ? undefined : toLatePaints(given, rest))
  );
};

/** Explains different values of similar loads: two versions simulate them differently. */
function toVersion(given: RestFacts, rest: number): Told | undefined {
  const { facts, results } = given;
  if (!hasOtherVersions(facts)) return undefined;
  const simulated = toSimulation(given, rest);
  if (!simulated) return undefined;
  const [psi, lighthouse] = facts;
  const metrics = (['first_contentful_paint', 'largest_contentful_paint'] as const).map(name =>
    fact(name, results[0].metrics[name].value, results[1].metrics[name].value),
  );
  return {
    cause: 'lighthouse_version',
    certainty: 'possible',
    evidence: [
      fact('lighthouse_version', psi.lighthouseVersion, lighthouse.lighthouseVersion),
      ...metrics,
      ...(simulated.evidence ?? []),
    ],
    explanation: `Lighthouse ${psi.lighthouseVersion} ran ${psi.where}, and ${lighthouse.lighthouseVersion} locally. The two may simulate the same load differently. ${simulated.explanation}`,
  };
}

/** Names the spread that the rest was compared with: without the nearest run, if there are enough runs. */
function sayOwnSpread(own: NonNullable<NonNullable<RestFacts['noise']>['scores']['performance']>): string {
  const { without_nearest: others } = own;
  return others
    ? `all local runs but one differ by only ${countPoints(others.max - others.min)}`
    : `the local runs differ by only ${countPoints(own.spread)}`;
}

function toUnexplained(given: RestFacts): Told {
  const own = given.noise?.scores.performance;
  if (isOfOneRun(given.noise))
    return {
      cause: 'run_noise',
      certainty: 'possible',
      explanation: `Only one of the ${given.noise?.runs} local runs scores as ${(own?.without_nearest?.min ?? 0) > (own?.psi ?? 0) ? 'low' : 'high'} as the run ${given.facts[0].where}.`,
    };
  return {
    cause: 'unexplained',
    certainty: 'observed',
    explanation: own
      ? `No setting explains this part, and ${sayOwnSpread(own)}.`
      : `No setting explains this part. The page may vary from load to load${advise(given)}.`,
  };
}

function judge(given: RestFacts, rest: number, page: FoundCause | undefined): Told {
  const measured = seesNoise(given, rest);
  if (measured) return measured;
  const own = given.noise?.scores.performance;
  const difference = given.split?.difference ?? rest;
  const isApart = Math.abs(difference) > toFloor(given.noise);
  // With one local run, a small rest is noise, unless the scores differ meaningfully and a CPU limit may explain that.
  if (!own && Math.abs(rest) <= usualNoisePoints && !(isApart && toLimitedMachine(given, rest)))
    return {
      cause: 'run_noise',
      certainty: 'possible',
      explanation: `Single runs of one page often differ by up to ${usualNoisePoints} points${advise(given)}.`,
    };
  if (!isApart)
    return {
      cause: 'run_noise',
      certainty: 'possible',
      explanation: `${Math.abs(difference - rest) < leastPoints ? 'This part is within noise' : 'This part cancels out the computed effect of the settings'}: the scores ${difference === 0 ? 'are the same' : `differ by only ${countPoints(Math.abs(difference))}`}.`,
    };
  const seen = toSameWork(given, rest) ?? toSlower(given, rest);
  if (seen) return mayBeOther(seen, page) ? { ...seen, certainty: 'possible' } : seen;
  return toUnexplained(given);
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
export function toRestCauses(given: RestFacts, rest: number, page: FoundCause | undefined): FoundCause[] {
  if (Math.abs(rest) < leastPoints) return [];
  const isPage = page !== undefined && page.certainty !== 'possible';
  const judgeRest = (left: number): Told => (isPage ? toRestOfPage(page) : judge(given, left, page));
  const isApart = Math.abs(given.split?.difference ?? rest) > toFloor(given.noise);
  const wait =
    isApart && !given.isWaitPaid && (isPage || !seesNoise(given, rest)) ? toMeasuredWait(given, rest) : undefined;
  if (!wait) return [toCause(judgeRest(rest), rest)];
  const { points, ...told } = wait;
  const left = rest - points;
  return [toCause(told, points), ...(Math.abs(left) < leastPoints ? [] : [toCause(judgeRest(left), left)])];
}
