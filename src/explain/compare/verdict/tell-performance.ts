/** The performance scores of both sides, and what is stated of their difference. */
import type { Cause, CauseName, Comparison } from '../../../contract/analysis/comparison.ts';
import { bears, isOpenCause } from '../causes/open-causes.ts';
import { countPoints, cutTo, joined, maxNamed, withSign } from '../phrases.ts';
import { leastStatedPoints, missesRunsBy, toFloor } from '../points/noise.ts';

/* A difference without a known cause: in which metric it is, then, is all there is to say of it. */

const metricWords: ReadonlyMap<string, string> = new Map([
  ['first_contentful_paint', 'the first paint'],
  ['largest_contentful_paint', 'the largest paint'],
  ['total_blocking_time', 'blocking time'],
  ['cumulative_layout_shift', 'layout shifts'],
  ['speed_index', 'the speed index'],
]);

/** Less is no more than a part of it. */
const leastShare = 2 / 3;

/** Empty where several metrics share it. */
function sayMetric({ performance }: Comparison, rest: number): string {
  const [most] = Object.entries(performance?.metrics ?? {})
    .map(([name, { points }]) => ({ word: metricWords.get(name), share: (points ?? 0) / rest }))
    .toSorted((a, b) => b.share - a.share);
  return most?.word && most.share >= leastShare ? `, most of it in ${most.word}` : '';
}

/** Beside what is stated it is not known which metrics are left. */
const tellUnexplained = (comparison: Comparison, points: number, isBesideOthers: boolean): string =>
  isBesideOthers
    ? `the other ${countPoints(Math.abs(points))} have no known cause`
    : `${withSign(points)} by no known cause${sayMetric(comparison, points)}`;

const causeWords: Readonly<Record<CauseName, string>> = {
  different_page: 'a different page',
  throttling: 'network throttling',
  cpu: 'CPU throttling',
  server: "the server's answer times",
  audits: 'audits that came out differently',
  one_sided_audits: 'audits that only one side counted',
  form_factor: 'the simulated device of each side',
  lighthouse_version: 'the versions of Lighthouse',
  chrome_version: 'the versions of the browser',
  cached_answer: 'the age of the remote answer',
  run_noise: 'run noise: the same work fell elsewhere in the load',
  unexplained: 'no known cause',
  machine: 'the speed of the machines',
  simulation: 'the simulation of a slow network, not by the loads themselves',
  disturbed_run: 'a disturbed run',
  layout_shift: 'layout shifts',
};

const sideOf = (psi: unknown, lighthouse: unknown): string => `${psi} on the remote side, ${lighthouse} on this side`;

/** Both values of what moved the score, where a name alone says too little. */
function detailOf({ cause, points, evidence }: Cause): string {
  const find = (name: string) => evidence.find(({ fact }) => fact === name);
  const [shifts, moved] = [find('cumulative_layout_shift'), find('largest_shift')];
  if (cause !== 'layout_shift' || !shifts) return '';
  const largest = (points ?? 0) < 0 ? moved?.lighthouse : moved?.psi;
  return `: ${sideOf(shifts.psi, shifts.lighthouse)}${largest ? `; ${largest}` : ''}`;
}

/** Both numbers, where they are known. */
const sayCpu = (evidence: Cause['evidence']): string => {
  const both = evidence.find(({ fact }) => fact === 'cpu_slowdown_multiplier');
  return both ? `${both.lighthouse}× instead of ${both.psi}× ${causeWords.cpu}` : causeWords.cpu;
};

/** With its numbers, behind what it moved the score by. */
const namesOf = (cause: Cause): string => (cause.cause === 'cpu' ? sayCpu(cause.evidence) : causeWords[cause.cause]);

/** In a list: without what would be read as its next part. */
function wordsOf({ cause, evidence }: Cause): string {
  if (cause === 'simulation') return 'the simulation of a slow network';
  if (cause === 'cpu') return sayCpu(evidence);
  const versions = evidence.find(({ fact }) => fact === 'lighthouse_version');
  if (cause === 'lighthouse_version' && versions)
    return `${causeWords[cause]} (${sideOf(versions.psi, versions.lighthouse)})`;
  const isProtocol = evidence.length > 0 && evidence.every(({ fact }) => fact.startsWith('protocol '));
  return cause === 'server' && isProtocol ? 'the protocol of the server' : causeWords[cause];
}

const isAnotherPage = ({ causes }: Comparison): boolean =>
  causes.some(({ cause, certainty }) => cause === 'different_page' && certainty !== 'possible');

const sayCertainty = (cause: Cause): string => {
  const { certainty, points_range: range } = cause;
  return range && range.min !== range.max
    ? `${certainty}, ${withSign(range.min)} to ${withSign(range.max)} over ${range.runs} runs`
    : `${certainty}${detailOf(cause)}`;
};

type Gap = { difference: number; floor: number };

/** A cost beyond the difference itself is not shown by it. */
const toShare = (cause: Cause, difference: number, floor: number): string => {
  const points = cause.points ?? 0;
  return Math.abs(points) > Math.abs(difference) + floor
    ? `all of it by ${namesOf(cause)} (${sayCertainty(cause)})`
    : `${withSign(points)} by ${namesOf(cause)} (${sayCertainty(cause)})`;
};

const isOneWay = ({ min, max }: { min: number; max: number }): boolean => min * max > 0;

/** What is said of a difference: what moved the score the same way, by more than what two runs of one page show. */
const isStatement = ({ points, points_range: range }: Cause, difference: number): boolean =>
  points !== null &&
  points * difference > 0 &&
  Math.abs(points) >= leastStatedPoints &&
  (range === undefined || isOneWay(range));

const restNames: ReadonlySet<CauseName> = new Set(['run_noise', 'unexplained']);

/** What was left and is nothing by itself. Noise that was seen, and not only assumed, has evidence. */
const isRest = ({ cause, evidence }: Cause): boolean => restNames.has(cause) && evidence.length === 0;

const isStated = (cause: Cause, difference: number): boolean =>
  cause.certainty !== 'possible' && isStatement(cause, difference);

const sumOf = (causes: readonly Cause[]): number => causes.reduce((sum, { points }) => sum + (points ?? 0), 0);

const nameAll = (causes: readonly Cause[]): string => cutTo(causes.map(wordsOf), maxNamed);

/** What moved the score, and how far, the largest first. Causes beyond the difference itself that work against each other have no share. */
function sayStated(causes: readonly Cause[], stated: readonly Cause[], { difference, floor }: Gap): string[] {
  if (stated.length === 0) return [];
  const against = causes.filter(cause => isStated(cause, -difference));
  const certainties = [...new Set([...stated, ...against].map(({ certainty }) => certainty))];
  if (Math.abs(sumOf(against)) > Math.abs(difference))
    return [
      `${nameAll(stated)} ${stated.length === 1 ? 'outweighs' : 'outweigh'} ${nameAll(against)} (${joined(certainties)})`,
    ];
  return [
    cutTo(
      stated
        .toSorted((a, b) => Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0))
        .map(cause => toShare(cause, difference, floor)),
      maxNamed,
    ),
  ];
}

/** Whether what is stated leaves more than two runs of one page show. */
const isMoreThanStated = ({ noise }: Comparison, difference: number, stated: readonly Cause[]): boolean =>
  Math.abs(stated.reduce((rest, { points }) => rest - (points ?? 0), difference)) > toFloor(noise);

const toReasons = (comparison: Comparison, difference: number): string => {
  const floor = toFloor(comparison.noise);
  const causes = comparison.causes.filter(cause => bears(cause) && !isRest(cause));
  const stated = causes.filter(cause => isStated(cause, difference));
  const isLeft = isMoreThanStated(comparison, difference, stated);
  const isDisturbed = causes.some(({ cause }) => cause === 'disturbed_run');
  const open = causes.filter(
    cause =>
      isOpenCause(cause) &&
      (cause.points === null || isStatement(cause, difference)) &&
      !(cause.cause === 'cpu' && isDisturbed),
  );
  // The simulation of another page gives other values: that is no second reason.
  const mayBeOther = open.some(({ cause }) => cause === 'different_page');
  const possible = open.filter(({ cause }) => cause !== 'simulation' || !mayBeOther);
  const rest = comparison.causes.find(({ cause }) => cause === 'unexplained');
  const isOpen = rest !== undefined && rest.certainty === 'observed' && isStatement(rest, difference);
  const parts = [
    ...sayStated(causes, stated, { difference, floor }),
    ...(possible.length > 0 && isLeft && !isAnotherPage(comparison)
      ? [
          `possibly ${cutTo(
            possible.map(cause => `by ${wordsOf(cause)}`),
            maxNamed,
          )}`,
        ]
      : []),
    ...(isOpen && possible.length === 0 ? [tellUnexplained(comparison, rest.points ?? 0, stated.length > 0)] : []),
  ];
  if (parts.length > 0) return `: ${parts.join('; ')}`;
  // Nothing else is large enough to be named.
  const isNoise = comparison.causes.some(cause => cause.cause === 'run_noise' && isStatement(cause, difference));
  return isNoise && !isAnotherPage(comparison) ? ': possibly by run noise' : '';
};

/** Why the difference of the scores is none; undefined where it is one. */
const sayNoise = ({ noise, causes }: Comparison, difference: number): string | undefined => {
  // Runs under other settings than those of the remote side say nothing of its noise.
  const stated = causes.filter(
    cause => isStated(cause, difference) && (cause.points_range !== undefined || cause.cause === 'layout_shift'),
  );
  if (noise && Math.abs(sumOf(stated)) >= Math.abs(difference) / 2 && stated.length > 0) return undefined;
  const own = noise?.scores.performance;
  const beyond = missesRunsBy(noise);
  if (noise && own && beyond !== undefined)
    return `, but ${own.psi} lies ${beyond > 0 ? `only ${countPoints(beyond)} beyond` : 'inside'} the ${noise.runs} local runs (${own.min} to ${own.max})`;
  if (own) return Math.abs(difference) <= toFloor(noise) ? ', within the spread of the local runs' : undefined;
  return Math.abs(difference) <= toFloor(noise) ? ', within normal run-to-run variation' : undefined;
};

export const tellPerformance = (comparison: Comparison, remote: string): string[] => {
  const { psi, lighthouse, difference } = comparison.scores.performance ?? {};
  if (typeof difference !== 'number') return [];
  if (difference === 0) return [`both sides score performance ${lighthouse}`];
  const direction = difference > 0 ? 'higher' : 'lower';
  const gap = `Local Lighthouse scores performance ${lighthouse}, ${countPoints(Math.abs(difference))} ${direction} than ${remote} (${psi})`;
  const noise = isAnotherPage(comparison) ? undefined : sayNoise(comparison, difference);
  return [`${gap}${noise ?? toReasons(comparison, difference)}`];
};
