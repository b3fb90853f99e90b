/** Compares both sides under the same conditions like measured runs, and finds changes in their files. */

import type { LoadFacts } from '../../../contract/result/load-facts.ts';
import { compareSets, type SetComparison } from '../../change/compare-sets.ts';
import type { SmallestEffects } from '../../change/smallest-effect.ts';
import { toAlikeRun } from '../shared-conditions-runs.ts';
import { type FileChange, toExpected, toFileChanges } from './file-changes.ts';
import type { Sides } from './shared-conditions.ts';

/** Min number of runs of each side for a verdict by ranks alone. */
const enoughRuns = 5;
/**
 * False-alarm rate for fewer runs, if the files changed in the direction of the values: the lowest that ranks can reach
 * with three runs.
 */
const relaxedFalseAlarms = 0.1;

/**
 * Multiple of the smallest effect that a change needs if no file changed: times may still shift between measurements,
 * because the network and the server also wait for a CPU. With three busy processes per CPU, intervals of an unchanged
 * page started at up to 53 ms; twice the smallest effect is 100 ms.
 */
const sureEffectsWithoutCause = 2;

type JudgedLoad = Parameters<typeof toAlikeRun>[0] & { readonly facts: LoadFacts };
type JudgedLoads = Sides<readonly JudgedLoad[]> & { readonly cpuFactor: Sides<number> };

type Judging = { readonly smallestEffects?: SmallestEffects; readonly falseAlarms: number };

/** @param falseAlarms how often an unchanged page is called better or worse, 0 to 1 */
export function judgeAlike(
  { before, after, cpuFactor }: JudgedLoads,
  { falseAlarms, ...options }: Judging,
): { compared: SetComparison; files: FileChange[] } {
  const factsOf = (of: readonly JudgedLoad[]) => of.map(({ facts }) => facts);
  const files = toFileChanges({ before: factsOf(before), after: factsOf(after) }, cpuFactor);
  const compare = (rate: number) =>
    compareSets(before.map(toAlikeRun), after.map(toAlikeRun), {
      ...options,
      falseAlarms: rate,
      isAlike: true,
      sureEffects: files.length === 0 ? sureEffectsWithoutCause : 0,
    });
  const strict = compare(falseAlarms);
  const isFew = Math.min(before.length, after.length) < enoughRuns;
  const expected = toExpected(files);
  if (strict.verdict.status !== 'undecided' || !isFew || !expected) return { compared: strict, files };
  const relaxed = compare(relaxedFalseAlarms);
  return { compared: relaxed.verdict.status === expected ? relaxed : strict, files };
}
