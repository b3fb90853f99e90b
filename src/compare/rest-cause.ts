import type { Cause, CauseName, Evidence, Noise, PerformanceSplit } from '../contract/comparison.ts';
import type { MetricName } from '../contract/names.ts';
import type { Result } from '../contract/result.ts';
import { isStrange } from '../result/blocking.ts';
import { wasSlow } from '../result/disturbances.ts';
import { missesRunsBy, toFloor, usualNoisePoints } from './noise.ts';
import { countPoints, ratioOf, tidy } from './numbers.ts';
import { findOtherProtocol } from './protocols.ts';
import type { SideFacts } from './side-facts.ts';

/** What the rest of a difference is judged by. */
export type RestFacts = {
  facts: readonly [psi: SideFacts, lighthouse: SideFacts];
  results: readonly [psi: Result, lighthouse: Result];
  split: PerformanceSplit | null;
  noise: Noise | null;
  isSameMachine: boolean;
};

/** Less is rounding. */
const leastPoints = 0.5;

type Told = { cause: CauseName; certainty: Cause['certainty']; explanation: string; evidence?: Evidence[] };

const pointsOf = (split: PerformanceSplit | null, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (split?.metrics[name]?.points ?? 0), 0);

/** Whether these metrics moved the score the same way as the rest, and by most of it. */
const carries = (split: PerformanceSplit | null, names: readonly string[], rest: number): boolean => {
  const points = pointsOf(split, names);
  return points * rest > 0 && Math.abs(points) >= Math.abs(rest) / 2;
};

/** Or by a quarter of what the simulation made of it. */
const alike = { ratio: 1.5, ms: 150, share: 0.25 };
const isAlike = (one: number, other: number, simulated: number): boolean =>
  Math.abs(one - other) <= Math.max(alike.ms, alike.share * simulated) ||
  (ratioOf(one, other) ?? Number.POSITIVE_INFINITY) <= alike.ratio;

const apart = ([psi, lighthouse]: RestFacts['results'], name: MetricName): number =>
  Math.abs((psi.metrics[name].value ?? 0) - (lighthouse.metrics[name].value ?? 0));

/** So much later, and so many times: the answer of a server that no busy machine explains, whatever it costs. */
const lateAnswer = { ms: 400, ratio: 3 };

export const isLate = ([psi, lighthouse]: RestFacts['facts']): boolean => {
  const [theirs, ours] = [psi.serverResponseTime, lighthouse.serverResponseTime];
  return (
    theirs !== null &&
    ours !== null &&
    Math.abs(theirs - ours) >= lateAnswer.ms &&
    (ratioOf(theirs, ours) ?? 1) >= lateAnswer.ratio
  );
};

/** The browsers saw the same, and the simulation of a slow network made different values of it. */
function toSimulation({ facts, results, split }: RestFacts, rest: number): Told | undefined {
  const [psi, lighthouse] = facts;
  if (isLate(facts) || findOtherProtocol(psi.load, lighthouse.load)) return undefined;
  const [theirs, ours] = [psi.load.observed, lighthouse.load.observed];
  if (!theirs || !ours || psi.throttling.method !== 'simulate' || lighthouse.throttling.method !== 'simulate')
    return undefined;
  const simulated = Math.max(
    apart(results, 'first_contentful_paint'),
    apart(results, 'largest_contentful_paint'),
    apart(results, 'speed_index'),
  );
  const areAlike =
    isAlike(theirs.firstPaint, ours.firstPaint, simulated) &&
    isAlike(theirs.largestPaint, ours.largestPaint, simulated);
  // The side that painted later scores higher.
  const isReversed =
    (ours.firstPaint - theirs.firstPaint) * rest > 0 && (ours.largestPaint - theirs.largestPaint) * rest > 0;
  if (!areAlike && !isReversed) return undefined;
  if (!carries(split, ['first_contentful_paint', 'largest_contentful_paint', 'speed_index'], rest)) return undefined;
  return {
    cause: 'simulation',
    certainty: 'observed',
    evidence: [
      { fact: 'observed_first_paint_ms', psi: Math.round(theirs.firstPaint), lighthouse: Math.round(ours.firstPaint) },
      {
        fact: 'observed_largest_paint_ms',
        psi: Math.round(theirs.largestPaint),
        lighthouse: Math.round(ours.largestPaint),
      },
    ],
    explanation: `${areAlike ? 'The loads themselves were alike' : 'The load itself was no faster on the side that scores higher'}: the largest paint came after ${Math.round(theirs.largestPaint)} ms on the remote side and ${Math.round(ours.largestPaint)} ms on this side. The simulation of a slow network made different values of them.`,
  };
}

const workOf = ({ load }: SideFacts): number | null =>
  load.files && [...load.files.values()].reduce((sum, { scriptMs }) => sum + scriptMs, load.documentScriptMs);

/** So far apart are two times of the same scripts. */
const sameWorkRatio = 1.3;
const leastWorkMs = 50;

/** Scripts block only after the first paint: the same work may fall on either side of it. */
function toSameWork({ facts: [psi, lighthouse], split }: RestFacts, rest: number): Told | undefined {
  const [theirs, ours] = [workOf(psi), workOf(lighthouse)];
  if (theirs === null || ours === null || Math.min(theirs, ours) < leastWorkMs) return undefined;
  if ((ratioOf(theirs, ours) ?? 1) > sameWorkRatio || !carries(split, ['total_blocking_time'], rest)) return undefined;
  return {
    cause: 'run_noise',
    certainty: 'observed',
    evidence: [{ fact: 'script_ms', psi: Math.round(theirs), lighthouse: Math.round(ours) }],
    explanation: `The same scripts ran for as long: ${Math.round(theirs)} ms on the remote side and ${Math.round(ours)} ms on this side. How much of that blocks depends on what falls before the first paint.`,
  };
}

const isBusy = ({ environment }: Result): boolean => (environment.concurrent_audits ?? 0) > 0;

export const toWithoutScript = ({ load: { blocking } }: SideFacts): number | null =>
  blocking && Math.round(blocking.withoutScriptMs);

const toIndices = ([psi, lighthouse]: RestFacts['results']): Evidence[] =>
  (['benchmark_index', 'benchmark_usual'] as const).map(fact => ({
    fact,
    psi: psi.environment[fact] ?? null,
    lighthouse: lighthouse.environment[fact] ?? null,
  }));

function toDisturbance({ facts, results, split, isSameMachine }: RestFacts, rest: number): Told | undefined {
  if (!carries(split, ['total_blocking_time'], rest)) return undefined;
  const [psi, lighthouse] = facts;
  // The side with more blocking time is the one with fewer points.
  const [side, at] = rest < 0 ? ([lighthouse, 1] as const) : ([psi, 0] as const);
  const { blocking } = side.load;
  const where = at === 0 ? 'remote' : 'local';
  const evidence = [
    {
      fact: 'blocking_without_script_ms',
      psi: toWithoutScript(psi),
      lighthouse: toWithoutScript(lighthouse),
    },
    {
      fact: 'concurrent_audits',
      psi: results[0].environment.concurrent_audits ?? null,
      lighthouse: results[1].environment.concurrent_audits ?? null,
    },
  ];
  if (isStrange(blocking) && !blocking.isOfPage)
    return {
      cause: 'disturbed_run',
      certainty: 'observed',
      evidence,
      explanation: `The ${where} run has ${Math.round(blocking.totalMs)} ms of blocking time without long scripts: other work on its machine, or work of the browser, took it.`,
    };
  if (wasSlow(results[at].environment))
    return {
      cause: 'disturbed_run',
      certainty: 'possible',
      evidence: [...evidence, ...toIndices(results)],
      explanation: `During the ${where} run the machine was far slower than it usually is, which may have made its tasks longer.`,
    };
  if (!isSameMachine || !results.some(isBusy)) return undefined;
  return {
    cause: 'disturbed_run',
    certainty: 'possible',
    evidence,
    explanation: 'Another audit ran on this machine at the same time, and may have made tasks longer on one side.',
  };
}

const seesNoise = ({ noise }: RestFacts, rest: number): Told | undefined => {
  const own = noise?.scores.performance;
  const beyond = missesRunsBy(noise);
  if (own && beyond !== undefined)
    return {
      cause: 'run_noise',
      certainty: 'observed',
      explanation: `The remote score of ${own.psi} lies ${beyond > 0 ? `only ${countPoints(beyond)} beyond` : 'inside'} the local runs: ${own.min} to ${own.max}.`,
    };
  if (own && Math.abs(rest) <= toFloor(noise))
    return {
      cause: 'run_noise',
      certainty: 'observed',
      explanation: `The local runs themselves lie ${countPoints(own.spread)} apart.`,
    };
  return undefined;
};

const advise = ({ results: [, lighthouse] }: RestFacts): string =>
  // No advice for a client that already asked for several runs and got one.
  lighthouse.runs ? '' : ': with runs=5 that is measured';

function judge(given: RestFacts, rest: number, page: Cause | undefined): Told {
  const measured = seesNoise(given, rest);
  if (measured) return measured;
  const own = given.noise?.scores.performance;
  if (!own && Math.abs(rest) <= usualNoisePoints)
    return {
      cause: 'run_noise',
      certainty: 'possible',
      explanation: `Single runs of one page often differ by up to ${usualNoisePoints} points${advise(given)}.`,
    };
  const difference = given.split?.difference ?? rest;
  if (Math.abs(difference) <= toFloor(given.noise))
    return {
      cause: 'run_noise',
      certainty: 'possible',
      explanation: `${Math.abs(difference - rest) < leastPoints ? 'It is no more than noise' : 'It cancels out with what the settings were computed to cost'}: the scores are ${difference === 0 ? 'the same' : `only ${countPoints(Math.abs(difference))} apart`}.`,
    };
  const seen = toSameWork(given, rest) ?? toDisturbance(given, rest) ?? toSimulation(given, rest);
  // What may be another page may be the reason of that, too.
  if (seen) return page && seen.cause !== 'disturbed_run' ? { ...seen, certainty: 'possible' } : seen;
  return {
    cause: 'unexplained',
    certainty: 'observed',
    explanation: own
      ? `No setting explains it, and the local runs lie only ${countPoints(own.spread)} apart.`
      : `No setting explains it. The page may vary from load to load${advise(given)}.`,
  };
}

/** What no setting explains: noise as far as noise goes, then what was seen of it; undefined where nothing is left. */
export function toRestCause(given: RestFacts, rest: number, page: Cause | undefined): Cause | undefined {
  if (Math.abs(rest) < leastPoints) return undefined;
  const toCause = ({ evidence = [], ...told }: Told): Cause => ({
    ...{ category: 'performance', points: tidy(rest, 1), evidence },
    ...told,
  });
  if (page === undefined || page.certainty === 'possible') return toCause(judge(given, rest, page));
  const noise = seesNoise(given, rest);
  if (noise) return toCause(noise);
  return toCause({
    cause: 'unexplained',
    certainty: 'possible',
    explanation:
      page.certainty === 'computed'
        ? 'The rest. The page may differ in more than could be simulated.'
        : 'The rest. How much of it the different page costs was not computed.',
  });
}
