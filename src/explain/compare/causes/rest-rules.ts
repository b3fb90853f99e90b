/** Rules for points that neither settings nor the page explain: noise, slower machines, simulation. */

import { type MetricName, paintMetrics } from '../../../contract/names.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { counted } from '../../../presentation/numbers.ts';
import { tidy } from '../../../presentation/values.ts';
import {
  alikePaints,
  leastPace,
  leastPoints,
  leastStatedPoints,
  leastWorkMs,
  sameWorkRatio,
  usualNoisePoints,
} from '../constants.ts';
import { type Fact, fact, ratioOf, sayProcessors } from '../evidence.ts';
import { isOfOneRun, missesRunsBy, toFloor } from '../points/noise.ts';
import { toEquivalentMultiplier } from '../re-audits/plan-re-audits.ts';
import { isOtherWork, toScriptPace } from '../same-page/load-pair.ts';
import { findLimited } from '../side.ts';
import { type CauseRule, type ComparedFacts, carries, toRule } from './cause-rule.ts';
import { findOtherProtocol, findOtherVersions, isLate } from './differences.ts';
import { isWaitMeasured } from './disturbed-run.ts';

const spreadOf = ({ noise }: ComparedFacts) => noise?.scores.performance ?? undefined;
const differenceOf = ({ split }: ComparedFacts, rest: number): number => split?.difference ?? rest;

export const isApart = (given: ComparedFacts, rest: number): boolean =>
  Math.abs(differenceOf(given, rest)) > toFloor(given.noise);

/**
 * Returns whether the costs computed for every local run explain at least half of the difference, in its direction. If
 * they do, a PSI score within the range of the local runs is not noise, because these had different settings or a
 * different page.
 */
function isPaid(given: ComparedFacts, rest: number): boolean {
  const difference = differenceOf(given, rest);
  const paid = difference - rest;
  const least = Math.max(leastStatedPoints, Math.abs(difference) / 2);
  return given.isOfEveryRun === true && paid * difference > 0 && Math.abs(paid) >= least;
}

/** The PSI score is in the range of the local runs, or only just beyond it. */
const inRangeOfRuns = toRule({
  cause: 'run_noise',
  needs: (given, rest) => {
    const [own, beyond] = [spreadOf(given), missesRunsBy(given.noise)];
    return own && beyond !== undefined && !isPaid(given, rest) ? { ...own, beyond } : undefined;
  },
  weigh: 'observed',
  say: ({ psi, min, max, beyond }, { facts: [{ where }] }) => ({
    explanation:
      min === max
        ? `The score ${where}, ${psi}, is ${beyond > 0 ? `only ${counted(beyond, 'point')} from ` : ''}that of all local runs, ${min}.`
        : `The score ${where}, ${psi}, is ${beyond > 0 ? `only ${counted(beyond, 'point')} beyond` : 'inside'} the range of the local runs: ${min} to ${max}.`,
  }),
});

const withinSpread = toRule({
  cause: 'run_noise',
  needs: (given, rest) => (Math.abs(rest) <= toFloor(given.noise) ? spreadOf(given) : undefined),
  weigh: 'observed',
  say: ({ spread }) => ({
    explanation:
      spread === 0
        ? 'Single runs of one page often differ this much.'
        : `The local runs themselves differ by ${counted(spread, 'point')}.`,
  }),
});

export const seesNoise: CauseRule = (given, rest) => inRangeOfRuns(given, rest) ?? withinSpread(given, rest);

const advise = ({ results: [, lighthouse] }: ComparedFacts): string =>
  // A client that requested several runs and got one needs no such advice.
  (lighthouse.runs?.requested ?? 1) > 1 ? '' : ': use runs=5 to measure the variation';

/** A small rest with one local run, unless the scores differ meaningfully and a CPU limit may explain that. */
export const usualNoise = toRule({
  cause: 'run_noise',
  needs: (given, rest) =>
    !spreadOf(given) &&
    Math.abs(rest) <= usualNoisePoints &&
    !(isApart(given, rest) && findLowerLimit(given, rest) !== undefined)
      ? rest
      : undefined,
  weigh: 'possible',
  say: (_rest, given) => ({
    explanation: `Single runs of one page often differ by up to ${usualNoisePoints} points${advise(given)}.`,
  }),
});

export const similarScores = toRule({
  cause: 'run_noise',
  needs: (given, rest) => (isApart(given, rest) ? undefined : differenceOf(given, rest)),
  weigh: 'possible',
  say: (difference, _given, rest) => ({
    explanation: `${Math.abs(difference - rest) < leastPoints ? 'This part is within noise' : 'This part cancels out the other causes'}: the scores ${difference === 0 ? 'are the same' : `differ by only ${counted(Math.abs(difference), 'point')}`}.`,
  }),
});

const workOf = ({ load }: SideFacts): number | null =>
  load.files &&
  [...load.files.values()].reduce(
    (sum, { scriptMs }) => sum + scriptMs,
    load.documentScriptMs + (load.namelessScriptMs ?? 0),
  );

const oneSpeed = { speedRatio: 1, limited: undefined, waitedMs: { psi: 0, lighthouse: 0 } };

const isDrawnOtherwise = ([{ load: theirs }, { load: ours }]: ComparedFacts['facts']): boolean =>
  theirs.drawingMs !== null && ours.drawingMs !== null && isOtherWork(theirs.drawingMs, ours.drawingMs, oneSpeed);

/** Noise in blocking time: the same scripts ran for a similar time, but only work after the first paint counts. */
export const sameWork = toRule({
  cause: 'run_noise',
  needs: ({ facts, split }, rest) => {
    const [theirs, ours] = [workOf(facts[0]), workOf(facts[1])];
    if (theirs === null || ours === null || Math.min(theirs, ours) < leastWorkMs) return undefined;
    if (isDrawnOtherwise(facts) || (ratioOf(theirs, ours) ?? 1) > sameWorkRatio) return undefined;
    return carries(split, ['total_blocking_time'], rest) ? [Math.round(theirs), Math.round(ours)] : undefined;
  },
  weigh: 'observed',
  say: ([theirs = 0, ours = 0], { facts: [psi, lighthouse] }) => ({
    evidence: [fact('all_script_ms', theirs, ours)],
    explanation: `The scripts did the same work, ${theirs} ms ${psi.where} and ${ours} ms ${lighthouse.where}, but at other moments: only the part after the first paint counts as blocking time.`,
  }),
});

/** Returns whether the benchmark indices show different machines. Their effect is then a cause of its own. */
const isToldByIndex = ({ facts: [psi, lighthouse], isSameMachine }: ComparedFacts): boolean =>
  toEquivalentMultiplier(psi, lighthouse, isSameMachine) !== psi.throttling.cpuSlowdownMultiplier;

/** Returns the CPU limits of both sides if the side with fewer points has the lower one. */
export function findLowerLimit({ facts: [psi, lighthouse] }: ComparedFacts, rest: number): Fact | undefined {
  const limited = findLimited(psi.processors, lighthouse.processors);
  if (limited !== (rest < 0 ? 'lighthouse' : 'psi')) return undefined;
  return fact('processors', psi.processors, lighthouse.processors);
}

/** CPU limits pause work even on an idle machine. Neither the benchmark index nor the multiplier shows them. */
export const limitedMachine = toRule({
  cause: 'machine',
  needs: findLowerLimit,
  weigh: 'possible',
  say: (limits, given) => ({
    evidence: [limits],
    // The cause of the benchmark index already contains these numbers.
    explanation: isToldByIndex(given)
      ? 'CPU limits also pause work during a load, which may cost more points.'
      : `CPU limits pause work during a load, which may have made it slower: ${sayProcessors(...given.facts)}.`,
  }),
});

/** A slower side, independent of its benchmark index: all its scripts took longer by the same factor. */
export const slowerScripts = toRule({
  needs: (given, rest) => {
    const [psi, lighthouse] = given.facts;
    const pace = toScriptPace(psi.load, lighthouse.load) ?? 1;
    // The slower side has fewer points.
    const slower = rest < 0 ? pace : 1 / pace;
    if (slower < leastPace || isToldByIndex(given) || !carries(given.split, ['total_blocking_time'], rest))
      return undefined;
    // A measured wait has its own points, so the remaining work ran without waiting, but slower.
    return { pace, slower, isDisturbed: given.isSameMachine && !isWaitMeasured(given, rest) };
  },
  cause: ({ isDisturbed }) => (isDisturbed ? 'disturbed_run' : 'machine'),
  weigh: 'possible',
  say: ({ pace, slower, isDisturbed }, { facts: [psi, lighthouse], isSameMachine }, rest) => {
    const reason = isDisturbed
      ? 'other work on the machine used the CPU'
      : isSameMachine
        ? 'the CPU was slower at that time'
        : 'that machine is slower, or other work used its CPU';
    return {
      evidence: [fact('script_pace', 1, tidy(pace, 2))],
      explanation: `Most scripts took about ${tidy(slower, 1)} times as long ${(rest < 0 ? lighthouse : psi).where}: ${reason}.`,
    };
  },
});

const isAlike = (one: number, other: number, simulated: number): boolean =>
  Math.abs(one - other) <= Math.max(alikePaints.ms, alikePaints.share * simulated) ||
  (ratioOf(one, other) ?? Number.POSITIVE_INFINITY) <= alikePaints.ratio;

/** Returns the observed paints if the simulated ones differ, and these are similar, or differ the other way. */
function findAmplified({ facts, results: [psi, lighthouse], split }: ComparedFacts, rest: number) {
  if (isLate(facts) || findOtherProtocol(facts[0].load, facts[1].load)) return undefined;
  const [theirs, ours] = facts.map(({ load }) => load.observed);
  if (!theirs || !ours || facts.some(({ throttling }) => throttling.method !== 'simulate')) return undefined;
  const gapOf = (name: MetricName) => Math.abs((psi.metrics[name].value ?? 0) - (lighthouse.metrics[name].value ?? 0));
  const simulated = Math.max(...paintMetrics.map(gapOf));
  const areAlike =
    isAlike(theirs.firstPaint, ours.firstPaint, simulated) &&
    isAlike(theirs.largestPaint, ours.largestPaint, simulated);
  // The side that painted later has the higher score.
  const isReversed =
    (ours.firstPaint - theirs.firstPaint) * rest > 0 && (ours.largestPaint - theirs.largestPaint) * rest > 0;
  if (!areAlike && !isReversed) return undefined;
  return carries(split, paintMetrics, rest) ? { theirs, ours, areAlike } : undefined;
}

type Amplified = NonNullable<ReturnType<typeof findAmplified>>;

const tellAmplified = ({ theirs, ours, areAlike }: Amplified, { facts: [psi, lighthouse] }: ComparedFacts) => ({
  evidence: [
    fact('observed_first_paint_ms', Math.round(theirs.firstPaint), Math.round(ours.firstPaint)),
    fact('observed_largest_paint_ms', Math.round(theirs.largestPaint), Math.round(ours.largestPaint)),
  ],
  explanation: `${areAlike ? 'The observed loads differ far less than the simulated ones' : 'The observed load was not faster on the side with the higher score'}: the largest paint was observed after ${Math.round(theirs.largestPaint)} ms ${psi.where} and after ${Math.round(ours.largestPaint)} ms ${lighthouse.where}. The simulation of a slow network amplified the difference.`,
});

export const amplified = toRule({ cause: 'simulation', needs: findAmplified, weigh: 'observed', say: tellAmplified });

/** Different values of similar loads: two versions simulate them differently. */
export const otherSimulation = toRule({
  cause: 'lighthouse_version',
  needs: (given, rest) => {
    const [versions, paints] = [findOtherVersions(given.facts), findAmplified(given, rest)];
    return versions && paints && { versions, paints };
  },
  weigh: 'possible',
  say: ({ versions: [theirs, ours], paints }, given) => {
    const simulated = tellAmplified(paints, given);
    const [psi, lighthouse] = given.results;
    return {
      evidence: [
        fact('lighthouse_version', theirs, ours),
        ...(['first_contentful_paint', 'largest_contentful_paint'] as const).map(name =>
          fact(name, psi.metrics[name].value, lighthouse.metrics[name].value),
        ),
        ...simulated.evidence,
      ],
      explanation: `Lighthouse ${theirs} ran ${given.facts[0].where}, and ${ours} locally. The two may simulate the same load differently. ${simulated.explanation}`,
    };
  },
});

export const likeOneRun = toRule({
  cause: 'run_noise',
  needs: given => (isOfOneRun(given.noise) ? spreadOf(given) : undefined),
  weigh: 'possible',
  say: ({ without_nearest: others, psi }, { noise, facts: [{ where }] }) => ({
    explanation: `Only one of the ${noise?.runs} local runs scores as ${(others?.min ?? 0) > (psi ?? 0) ? 'low' : 'high'} as the run ${where}.`,
  }),
});

const sayWidth = (points: number): string =>
  points === 0 ? 'score the same' : `differ by only ${counted(points, 'point')}`;

/** Names the spread that the rest was compared with: without the nearest run, if there are enough runs. */
const sayOwnSpread = ({ without_nearest: others, spread }: NonNullable<ReturnType<typeof spreadOf>>): string =>
  others ? `all local runs but one ${sayWidth(others.max - others.min)}` : `the local runs ${sayWidth(spread)}`;

export const unexplained = toRule({
  cause: 'unexplained',
  needs: (_given, rest) => rest,
  weigh: 'observed',
  say: (_rest, given) => {
    const own = spreadOf(given);
    return {
      explanation: own
        ? `No setting explains this part, and ${sayOwnSpread(own)}.`
        : `No setting explains this part. The page may vary from load to load${advise(given)}.`,
    };
  },
});
