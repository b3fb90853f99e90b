/** Computes the verdict on each variant of an experiment from the loads so far. */

import type { PrimaryMetric } from '../../contract/experiments/names.ts';
import type { ChangeStatus } from '../../contract/stored/change-verdict.ts';
import { medianOf, tidy, toSorted } from '../../presentation/values.ts';
import { toStatus } from '../statistics/compare-samples.ts';
import { type Interval, tidyInterval } from '../statistics/interval.ts';
import { directionOf, smallestEffectOf, toSmallest } from '../statistics/smallest-effect.ts';
import { controlArms, doControlsDiffer, lookLevel, lookSameLevel, toPlan } from './plan.ts';
import { toFlipInterval, toPValue, toSubsetMeans } from './sign-flip.ts';

/** One load of an arm: undefined until it ends, null if it failed. */
export type ExperimentLoad =
  | {
      readonly metrics: Readonly<Partial<Record<PrimaryMetric, number | null>>>;
      readonly machineId: string | null;
      /** URL after redirects; absent in loads of an earlier version. */
      readonly finalUrl?: string;
    }
  | null
  | undefined;

/** Loads by block, then by arm: the base, the base again, then the variants. */
export type ExperimentLoads = readonly (readonly ExperimentLoad[])[];

/** A pair of loads in one block, the base and a variant, in the unit of the metric. */
export type Paired = { readonly block: number; readonly base: number; readonly variant: number };

export type VariantVerdict = {
  readonly status: ChangeStatus;
  /** Mean of the paired differences, variant minus base; null without pairs. */
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly confidence: number | null;
  readonly pValue: number | null;
  readonly minEffect: number | null;
  /** All complete pairs so far. The verdict uses the first `judgedPairs` of them. */
  readonly pairs: readonly Paired[];
  readonly judgedPairs: number;
  /** Whether a few pairs that are far off cause the difference, which therefore allows no verdict. */
  readonly isOfFewPairs: boolean;
};

const valueIn = (load: ExperimentLoad, metric: PrimaryMetric): number | null => load?.metrics[metric] ?? null;

/** Returns whether a load has ended without a value of the metric: it failed, or Lighthouse could not compute it. */
export const isWithout = (load: ExperimentLoad, metric: PrimaryMetric): boolean =>
  load !== undefined && valueIn(load, metric) === null;

/** Returns pairs from blocks in which the loads of both arms succeeded on one machine. */
function toPairs(loads: ExperimentLoads, arm: number, metric: PrimaryMetric): Paired[] {
  return loads.flatMap((block, index) => {
    const [base, variant] = [block[0], block[arm]];
    if (!base || !variant || base.machineId !== variant.machineId) return [];
    const [before, after] = [valueIn(base, metric), valueIn(variant, metric)];
    return before === null || after === null ? [] : [{ block: index, base: before, variant: after }];
  });
}

const differencesOf = (pairs: readonly Paired[]): number[] => pairs.map(({ base, variant }) => variant - base);

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param level level of this variant's test, corrected for the others */
function judgeAt(pairs: readonly Paired[], judgedPairs: number, metric: PrimaryMetric, level: number): VariantVerdict {
  const judged = pairs.slice(0, judgedPairs);
  const differences = differencesOf(judged);
  const means = toSubsetMeans(differences);
  const found = toFlipInterval(means, level);
  if (!found)
    return {
      status: 'undecided',
      difference: null,
      interval: null,
      confidence: null,
      pValue: null,
      minEffect: null,
      pairs,
      judgedPairs: judged.length,
      isOfFewPairs: false,
    };
  const smallest = toSmallest(smallestEffectOf(metric), medianOf(toSorted(judged.map(({ base }) => base))));
  const difference = meanOf(differences);
  const same = toFlipInterval(means, lookSameLevel);
  const status = toStatus(found, {
    difference,
    smallest,
    direction: directionOf(metric),
    wanted: 1 - level,
    same: same?.interval,
  });
  // A few loads that are far off move the mean, and not the median.
  const isUsual = medianOf(toSorted(differences)) / Math.sign(difference) >= smallest;
  const isOfFewPairs = (status === 'better' || status === 'worse') && !isUsual;
  const reported = status === 'no_difference' && same ? same : found;
  return {
    status: isOfFewPairs ? 'undecided' : status,
    difference: tidy(difference),
    interval: tidyInterval(reported.interval),
    confidence: tidy(reported.confidence),
    pValue: tidy(toPValue(means)),
    minEffect: tidy(smallest),
    pairs,
    judgedPairs: judged.length,
    isOfFewPairs,
  };
}

const isClaim = ({ status }: VariantVerdict): boolean => status === 'better' || status === 'worse';

/**
 * Takes one look with Holm's correction: the clearest variant is tested at the level divided by the number of open
 * variants, the next by one fewer.
 * @param counts number of pairs of each variant that the look uses
 */
function lookAt(
  verdicts: readonly VariantVerdict[],
  {
    pairs,
    counts,
    metric,
  }: { pairs: readonly (readonly Paired[])[]; counts: readonly number[]; metric: PrimaryMetric },
): VariantVerdict[] {
  const pValueOf = (at: number) => toPValue(toSubsetMeans(differencesOf((pairs[at] ?? []).slice(0, counts[at]))));
  const open = verdicts
    .flatMap((verdict, at) => (isClaim(verdict) ? [] : [{ at, pValue: pValueOf(at) }]))
    .sort((a, b) => a.pValue - b.pValue);
  const next = [...verdicts];
  let left = open.length;
  for (const { at, pValue } of open) {
    const level = lookLevel / left;
    // Variants after one that does not reach its level are tested at the same level.
    if (pValue <= level) left -= 1;
    if (verdicts[at]?.status !== 'no_difference') next[at] = judgeAt(pairs[at] ?? [], counts[at] ?? 0, metric, level);
  }
  return next;
}

const withoutClaims = (verdicts: readonly VariantVerdict[]): VariantVerdict[] =>
  verdicts.map(verdict => ({ ...verdict, status: 'undecided', isOfFewPairs: false }));

const isEnded = (block: readonly ExperimentLoad[], arms: number): boolean =>
  block.length === arms && block.every(load => load !== undefined);

/** Number of blocks without any value of the base, or of any variant, after which the experiment stops. */
const hopelessBlocks = 3;

/**
 * Looks at the loads as often as the plan allows so far. A verdict of the first look is final.
 * @param loads loads by block; unfinished blocks are not used
 */
export function judgeExperiment(loads: ExperimentLoads, variants: number, metric: PrimaryMetric) {
  const { looks, blocks, arms } = toPlan(variants);
  const ended = loads.filter(block => isEnded(block, arms));
  const pairsOf = (arm: number) => toPairs(ended, arm, metric);
  const pairs = Array.from({ length: variants }, (_, variant) => pairsOf(controlArms + variant));
  const controlPairs = pairsOf(1);
  const countIn = (own: readonly Paired[], count: number) => own.filter(({ block }) => block < count).length;
  // One additional block replaces one with a failed load. Later blocks change nothing about a look that was taken.
  const isDue = (count: number, look: number): boolean =>
    [...pairs, controlPairs].every(own => countIn(own, count) >= look) || count >= Math.min(look + 1, blocks);
  const control = { differs: false, pairs: controlPairs };
  // Before the first look, intervals are displayed without verdicts.
  const toShown = () => withoutClaims(pairs.map(own => judgeAt(own, own.length, metric, lookLevel / variants)));
  const fails = (load: ExperimentLoad) => isWithout(load, metric);
  const isHopeless =
    ended.length >= hopelessBlocks &&
    (ended.every(([base]) => fails(base)) || ended.every(block => block.slice(controlArms).every(fails)));
  if (isHopeless) return { variants: toShown(), control, isOver: true };
  let verdicts: readonly VariantVerdict[] | undefined;
  for (const look of looks) {
    const lastBlock = ended.findIndex((_, at) => isDue(at + 1, look));
    if (lastBlock < 0) return { variants: verdicts ?? toShown(), control, isOver: false };
    const countOf = (own: readonly Paired[]) => Math.min(look, countIn(own, lastBlock + 1));
    const counts = pairs.map(countOf);
    verdicts = lookAt(verdicts ?? pairs.map(own => judgeAt(own, 0, metric, lookLevel)), { pairs, counts, metric });
    if (doControlsDiffer(differencesOf(controlPairs.slice(0, countOf(controlPairs)))))
      return { variants: withoutClaims(verdicts), control: { differs: true, pairs: controlPairs }, isOver: true };
    if (verdicts.every(({ status }) => status !== 'undecided')) return { variants: verdicts, control, isOver: true };
  }
  return { variants: verdicts ?? toShown(), control, isOver: true };
}

const otherLevel = 0.02;

/** Measures without effect on the verdict: p-values (Holm) and intervals (Bonferroni) are corrected for the others. */
export function toOtherMeasures(loads: ExperimentLoads, variant: number, names: readonly PrimaryMetric[]) {
  const measured = names
    .flatMap(name => {
      const differences = differencesOf(toPairs(loads, controlArms + variant, name));
      const means = toSubsetMeans(differences);
      const found = toFlipInterval(means, otherLevel / names.length);
      if (!found) return [];
      return [{ name, difference: tidy(meanOf(differences)), ...found, pValue: toPValue(means) }];
    })
    .sort((a, b) => a.pValue - b.pValue);
  let least = 0;
  return measured.map(({ interval, pValue, ...measure }, at) => {
    least = Math.max(least, Math.min(1, pValue * (measured.length - at)));
    return { ...measure, interval: tidyInterval(interval), pValue: tidy(least) };
  });
}
