/** Compares both sides under the same conditions like measured runs, and finds changes in their files. */

import type { LoadFacts } from '../../../contract/result/load-facts.ts';
import { defaultConfidence } from '../../statistics/compare-samples.ts';
import { compareSets, type SetComparison } from '../../statistics/compare-sets.ts';
import { decidingNames } from '../../statistics/judge-change.ts';
import { defaultSmallestEffects, type SmallestEffects } from '../../statistics/smallest-effect.ts';
import { toAlikeRun } from './alike-loads.ts';
import { type FoundFileChange, toExpected, toFileChanges } from './file-changes.ts';
import { alignNames, type Sides } from './sides.ts';

/**
 * False-alarm rate if the files changed in the direction of the values, which is evidence of its own. It is the lowest
 * that ranks can reach with three runs of each side. Each of several looks gets its share.
 */
const relaxedFalseAlarms = 0.1;
const usualFalseAlarms = 1 - defaultConfidence;

/** Rounds away what floating-point numbers add: the smallest p-value of three runs of each side is exactly 0.1. */
const toRelaxed = (falseAlarms: number): number =>
  Number(((relaxedFalseAlarms * falseAlarms) / usualFalseAlarms).toFixed(6));

/**
 * Multiple of the smallest effect that a change needs if no changed file explains it: times may still shift between
 * measurements, because the network and the server also wait for a CPU. With three busy processes per CPU, intervals of
 * an unchanged page started at up to 53 ms; twice the smallest effect is 100 ms.
 */
const sureEffectsWithoutCause = 2;

/**
 * Returns the multiple of the smallest effect that the interval of a time may reach if the verdict is `no_difference`.
 * If no file changed, a smaller difference would not count as a change either. A smallest effect that the user chose is
 * kept.
 */
function toSameEffects(files: readonly FoundFileChange[], { time } = defaultSmallestEffects): number {
  const usual = defaultSmallestEffects.time;
  const isUsual = time.absolute === usual.absolute && time.share === usual.share;
  return files.length === 0 && isUsual ? sureEffectsWithoutCause : 1;
}

/** Follows the changed files if measures contradict each other and the score is open: the files are evidence. */
function followFiles(compared: SetComparison, expected: 'better' | 'worse'): SetComparison {
  const measures = { ...compared.scores, ...compared.metrics };
  const withStatus = (status: string) => decidingNames.filter(name => measures[name]?.status === status);
  const [agreeing, against] = [withStatus(expected), withStatus(expected === 'better' ? 'worse' : 'better')];
  const isOpen = ['undecided', 'no_difference'].includes(compared.verdict.status);
  if (!isOpen || agreeing.length === 0 || against.length === 0) return compared;
  return { ...compared, verdict: { status: expected, decided_by: agreeing, against, more_runs: null } };
}

type JudgedLoad = Parameters<typeof toAlikeRun>[0] & { readonly facts: LoadFacts; readonly cpuFactor: number };

/** Returns the changed files of loads under the same conditions, and the facts with the names after the change. */
export function findChanges({ before, after }: Sides<readonly Pick<JudgedLoad, 'facts' | 'cpuFactor'>[]>) {
  const factsOf = (of: typeof before) => of.map(({ facts }) => facts);
  const factorsOf = (of: typeof before) => of.map(({ cpuFactor }) => cpuFactor);
  const { facts } = alignNames({ before: factsOf(before), after: factsOf(after) });
  return { facts, files: toFileChanges(facts, { before: factorsOf(before), after: factorsOf(after) }) };
}

/** @param falseAlarms how often an unchanged page is called better or worse, 0 to 1 */
export function judgeAlike(
  { before, after }: Sides<readonly JudgedLoad[]>,
  { falseAlarms, ...options }: { readonly smallestEffects?: SmallestEffects; readonly falseAlarms: number },
): { compared: SetComparison; files: FoundFileChange[] } {
  const { facts, files } = findChanges({ before, after });
  const compare = (rate: number, sureEffects: number, usual: 'all' | 'same' = 'same') =>
    compareSets(before.map(toAlikeRun), after.map(toAlikeRun), {
      ...options,
      falseAlarms: rate,
      isAlike: true,
      sureEffects,
      usual,
      sameEffects: toSameEffects(files, options.smallestEffects),
    });
  const expected = toExpected(files, facts);
  const strict = expected ? compare(falseAlarms, 0, 'all') : compare(falseAlarms, sureEffectsWithoutCause);
  if (!expected) return { compared: strict, files };
  const followed = followFiles(strict, expected);
  const { status } = followed.verdict;
  if (status === expected || status === 'no_difference') return { compared: followed, files };
  // The values changed in the opposite direction to the files, so no file is their cause.
  if (status !== 'undecided') return { compared: compare(falseAlarms, sureEffectsWithoutCause), files };
  const relaxed = compare(toRelaxed(falseAlarms), 0, 'all');
  return { compared: relaxed.verdict.status === expected ? relaxed : strict, files };
}
