/** Describes the performance scores of both sides, and their difference. */

import type { Analyser } from '../../contract/result/result.ts';
import { counted, startUpper } from '../../presentation/numbers.ts';
import { sayName } from '../../presentation/side-names.ts';
import { tidy } from '../../presentation/values.ts';
import { causeTable, type Where, wordsOf } from './causes/cause-table.ts';
import { bears, isOpenCause } from './causes/order-causes.ts';
import { leastMetricShare, leastStatedPoints } from './constants.ts';
import { cutTo, type FoundCause, type FoundComparison, maxNamed } from './evidence.ts';
import { missesRunsBy, toFloor } from './points/noise.ts';

/* Describes a difference without a known cause by its metric. */

const metricWords: ReadonlyMap<string, string> = new Map([
  ['first_contentful_paint', 'the first paint'],
  ['largest_contentful_paint', 'the largest paint'],
  ['total_blocking_time', 'blocking time'],
  ['cumulative_layout_shift', 'layout shifts'],
  ['speed_index', 'the speed index'],
]);

/** Names the metric with at least two thirds of the difference; empty if no metric has that share. */
function sayMetric({ performance }: FoundComparison, rest: number): string {
  const [most] = Object.entries(performance?.metrics ?? {})
    .map(([name, { points }]) => ({ word: metricWords.get(name), share: (points ?? 0) / rest }))
    .toSorted((a, b) => b.share - a.share);
  return most?.word && most.share >= leastMetricShare ? `, which is mostly in ${most.word}` : '';
}

/** Describes the unexplained part, with its metric unless other causes are stated. */
const tellUnexplained = (comparison: FoundComparison, points: number, isBesideOthers: boolean): string =>
  isBesideOthers
    ? `There is no known cause for the other ${counted(Math.abs(points), 'point')}.`
    : `There is no known cause for the difference${sayMetric(comparison, points)}.`;

const isPlural = ({ cause }: FoundCause): boolean => causeTable[cause].isPlural === true;

const isAnotherPage = ({ causes }: FoundComparison): boolean =>
  causes.some(({ cause, certainty }) => cause === 'different_page' && certainty !== 'possible');

type ScoreGap = { difference: number; where: Where };

/** Returns, for example, ` (18 to 24 over 3 runs)`; empty for one run, or the same cost in all. */
const sayRange = ({ points_range: range }: FoundCause): string => {
  if (!range || range.min === range.max) return '';
  const [low, high] = [range.min, range.max].map(Math.abs).toSorted((a, b) => a - b);
  return ` (${low} to ${high} over ${range.runs} runs)`;
};

/** Returns the verb: a re-audit `explains` points, an observation `accounts for` them. */
const sayVerb = (cause: FoundCause): string =>
  cause.certainty === 'computed' ? `explain${isPlural(cause) ? '' : 's'}` : `account${isPlural(cause) ? '' : 's'} for`;

/** Describes a cause with its share of the difference. A share larger than the difference counts as the whole of it. */
const sayShare = (cause: FoundCause, { difference, where }: ScoreGap, isFirst: boolean): string => {
  const points = Math.abs(cause.points ?? 0);
  const share = points >= Math.abs(difference) ? 'the whole difference' : String(points);
  const total = isFirst && points < Math.abs(difference) ? ` of the ${counted(Math.abs(difference), 'point')}` : '';
  const { aside = '' } = causeTable[cause.cause];
  return `${wordsOf(cause, where)}${aside} ${sayVerb(cause)} ${share}${total}${sayRange(cause)}`;
};

const isOneWay = ({ min, max }: { min: number; max: number }): boolean => min * max > 0;

/** A stated cause changed the score in the direction of the difference, in every run, by enough points. */
const isStatement = ({ points, points_range: range }: FoundCause, difference: number): boolean =>
  points !== null &&
  points * difference > 0 &&
  Math.abs(points) >= leastStatedPoints &&
  (range === undefined || isOneWay(range));

/** Returns whether a cause is only the rest. Observed noise has evidence, so it is a cause. */
const isRest = ({ cause, evidence }: FoundCause): boolean => causeTable[cause].kind === 'rest' && evidence.length === 0;

export const isStated = (cause: FoundCause, difference: number): boolean =>
  cause.certainty !== 'possible' && isStatement(cause, difference);

const sumOf = (causes: readonly FoundCause[]): number => causes.reduce((sum, { points }) => sum + (points ?? 0), 0);

const nameAll = (causes: readonly FoundCause[], where: Where): string =>
  cutTo(
    causes.map(cause => wordsOf(cause, where)),
    maxNamed,
  );

const sayEffect = (causes: readonly FoundCause[], isGain: boolean): string => {
  return `${isGain ? 'gain' : 'cost'}${causes.length > 1 || causes.some(isPlural) ? '' : 's'}`;
};

/** Describes causes in opposite directions that exceed the difference, and so have no shares of it. */
const sayOpposed = (
  stated: readonly FoundCause[],
  against: readonly FoundCause[],
  { difference, where }: ScoreGap,
): string => {
  const [more, less] = [stated, against].map(causes => tidy(Math.abs(sumOf(causes)), 1)) as [number, number];
  const isGain = difference > 0;
  const [one, other] = [nameAll(stated, where), nameAll(against, where)];
  return more > less
    ? `${one} ${sayEffect(stated, isGain)} ${counted(more, 'point')}, more than the ${less} that ${other} ${sayEffect(against, !isGain)}.`
    : `${one} ${sayEffect(stated, isGain)} ${counted(more, 'point')}, and ${other} ${sayEffect(against, !isGain)} ${counted(less, 'point')}.`;
};

/** Describes the causes that changed the score with their shares, the largest first. */
function sayStated(causes: readonly FoundCause[], stated: readonly FoundCause[], gap: ScoreGap): string[] {
  const against = causes.filter(cause => isStated(cause, -gap.difference));
  const sorted = stated.toSorted((a, b) => Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0));
  const [largest, second] = sorted;
  if (!largest) return [];
  const isBeyond = (points: number) => Math.abs(points) > Math.abs(gap.difference);
  if (isBeyond(sumOf(against)) || (against.length > 0 && isBeyond(largest.points ?? 0)))
    return [startUpper(sayOpposed(sorted, against, gap))];
  const first = sayShare(largest, gap, true);
  if (!second || isBeyond(largest.points ?? 0)) return [startUpper(`${first}.`)];
  const others =
    sorted.length > maxNamed
      ? `, ${sayShare(second, gap, false)}, and other causes less`
      : `, and ${sayShare(second, gap, false)}`;
  return [startUpper(`${first}${others}.`)];
}

const isMoreThanStated = ({ noise }: FoundComparison, difference: number, stated: readonly FoundCause[]): boolean =>
  Math.abs(stated.reduce((rest, { points }) => rest - (points ?? 0), difference)) > toFloor(noise);

const sayPossible = (words: readonly string[]): string =>
  `Possible cause${words.length > 1 ? 's' : ''}: ${cutTo(words, maxNamed)}.`;

const toReasons = (comparison: FoundComparison, difference: number, where: Where): string[] => {
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
  // A different page also changes the simulation, so that is not a second cause.
  const mayBeOther = open.some(({ cause }) => cause === 'different_page');
  const possible = open.filter(({ cause }) => cause !== 'simulation' || !mayBeOther);
  const rest = comparison.causes.find(({ cause }) => cause === 'unexplained');
  const isOpen = rest !== undefined && rest.certainty === 'observed' && isStatement(rest, difference);
  const parts = [
    ...sayStated(causes, stated, { difference, where }),
    ...(possible.length > 0 && isLeft && !isAnotherPage(comparison)
      ? [sayPossible(possible.map(cause => wordsOf(cause, where)))]
      : []),
    ...(isOpen && possible.length === 0 ? [tellUnexplained(comparison, rest.points ?? 0, stated.length > 0)] : []),
  ];
  if (parts.length > 0) return parts;
  // No other cause is large enough to be named.
  const isNoise = comparison.causes.some(cause => cause.cause === 'run_noise' && isStatement(cause, difference));
  return isNoise && !isAnotherPage(comparison) ? [sayPossible([causeTable.run_noise.words])] : [];
};

/** Explains why the difference of the scores is not meaningful; undefined if it is. */
const sayNoise = ({ noise, causes }: FoundComparison, difference: number, where: Where): string | undefined => {
  // Local runs whose settings differ from those of the PSI run do not show its noise.
  const stated = causes.filter(
    cause => isStated(cause, difference) && (cause.points_range !== undefined || cause.cause === 'layout_shift'),
  );
  if (noise && Math.abs(sumOf(stated)) >= Math.abs(difference) / 2 && stated.length > 0) return undefined;
  const own = noise?.scores.performance;
  const beyond = missesRunsBy(noise);
  if (noise && own && beyond !== undefined && own.min === own.max)
    return `The score ${where.psi} is ${beyond > 0 ? `only ${counted(beyond, 'point')} from ` : ''}that of all ${noise.runs} local runs (${own.min}).`;
  if (noise && own && beyond !== undefined)
    return `The score ${where.psi} is ${beyond > 0 ? `only ${counted(beyond, 'point')} beyond` : 'inside'} the range of the ${noise.runs} local runs (${own.min} to ${own.max}).`;
  if (Math.abs(difference) > toFloor(noise)) return undefined;
  return `The difference is within ${own ? 'the spread of the local runs' : 'normal run-to-run variation'}.`;
};

/** Describes both scores, and why they differ, in sentences. */
export const tellPerformance = (comparison: FoundComparison, analyser: Analyser, where: Where): string[] => {
  const { psi, lighthouse, difference } = comparison.scores.performance ?? {};
  if (typeof difference !== 'number') return [];
  if (difference === 0) return [`Both sides score ${lighthouse}.`];
  const noise = isAnotherPage(comparison) ? undefined : sayNoise(comparison, difference, where);
  return [
    `Local Lighthouse scores ${lighthouse}, ${sayName(analyser)} ${psi}.`,
    ...(noise ? [noise] : toReasons(comparison, difference, where)),
  ];
};
