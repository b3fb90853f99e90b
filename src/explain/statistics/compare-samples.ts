import type { ChangeStatus, MeasureChange } from '../../contract/stored/change-verdict.ts';
import { type MeasuredValue, medianOf, tidy, toSorted } from '../../presentation/values.ts';
import {
  type ConfidentInterval,
  fewestUsual,
  type Interval,
  tidyInterval,
  toDeviations,
  toEarlierInterval,
  toRankInterval,
  toUsualInterval,
} from './interval.ts';
import { toFewestRuns, toMoreRuns } from './more-runs.ts';
import { type Direction, type SmallestEffect, toSmallest } from './smallest-effect.ts';

/**
 * Comparison of two samples of one measure; numbers are null if a side has no value. The confidence of the interval is
 * lower than requested if there are too few values.
 */
export type SampleComparison = Omit<Readonly<MeasureChange>, 'unit' | 'interval' | 'p_value'> & {
  readonly interval: Interval | null;
  readonly confidence: number | null;
};

export type SampleOptions = {
  readonly direction: Direction;
  readonly smallestEffect: SmallestEffect;
  /** Confidence for `better` and `worse`; default 0.98. */
  readonly confidence?: number;
  /** Confidence of an interval from earlier runs, as one of several measures; default `confidence`. */
  readonly familyConfidence?: number;
  /** Whether `no_difference` has an interval at its own confidence, which is then reported (two one-sided tests). */
  readonly hasOwnSame?: boolean;
  /** Multiple of the smallest effect that the interval of `no_difference` may reach; default 1. */
  readonly sameEffects?: number;
  /** Decision by the usual spread of one side if the other has too few values for ranks; by default none. */
  readonly usual?: 'all' | 'same';
  /** Sets of values measured earlier, each of one unchanged page: their variation, for samples too small to show it. */
  readonly earlier?: readonly (readonly MeasuredValue[])[];
};

export const defaultConfidence = 0.98;
/** Confidence for `no_difference`: with three values for each side, ranks cannot reach more. */
const sameConfidence = 0.9;
/**
 * Confidence of a separate interval for `no_difference`. At 0.8, one of five values of each side may be far off, as one
 * load in twenty is on an unchanged page. A difference as large as the interval may reach is missed in at most 10 %.
 */
const ownSameConfidence = 0.8;
/** Min number of values of each side for which ranks may decide; with fewer, other results of the page do. */
export const fewestRanked = 3;
const rounding = 1e-9;

type JudgedInterval = ConfidentInterval & { readonly by: 'ranks' | 'earlier_runs'; readonly isUsual?: boolean };

/** Returns the status that an interval allows. `wanted` is the confidence for `better` and `worse`. */
export function toStatus(
  { interval: [low, high], confidence }: ConfidentInterval,
  {
    difference,
    smallest,
    direction,
    wanted,
    same: [sameLow, sameHigh] = [low, high],
    sameWithin = smallest,
  }: {
    difference: number;
    smallest: number;
    direction: Direction;
    wanted: number;
    /** Separate interval for `no_difference`, if there is one. */
    same?: Interval | undefined;
    /** How far the interval of `no_difference` may reach; default `smallest`. */
    sameWithin?: number;
  },
): ChangeStatus {
  const isClear = confidence >= wanted - rounding && (low > rounding || high < -rounding);
  if (isClear && Math.abs(difference) >= smallest - rounding)
    return difference > 0 === (direction === 'higher_is_better') ? 'better' : 'worse';
  const isWithin =
    Math.abs(difference) < smallest - rounding && sameLow > -sameWithin + rounding && sameHigh < sameWithin - rounding;
  return isWithin && confidence >= sameConfidence - rounding ? 'no_difference' : 'undecided';
}

const toNothing = (before: readonly number[], after: readonly number[]): SampleComparison => ({
  before: before.length > 0 ? tidy(medianOf(before)) : null,
  after: after.length > 0 ? tidy(medianOf(after)) : null,
  difference: null,
  interval: null,
  confidence: null,
  min_effect: null,
  status: 'undecided',
  by: null,
  more_runs: null,
});

/** Judges by ranks, or by the variation of earlier runs, otherwise by ranks as far as possible. */
function toJudged(
  before: readonly number[],
  after: readonly number[],
  { smallest, ...options }: SampleOptions & { smallest: number },
): JudgedInterval | undefined {
  const { confidence: wanted = defaultConfidence, familyConfidence = wanted, earlier = [] } = options;
  const own = toRankInterval(before, after, wanted);
  if (own && own.confidence >= wanted - rounding) return { ...own, by: 'ranks' };
  const deviations = toDeviations(earlier.map(toSorted));
  const known = toEarlierInterval(before, after, { deviations, confidence: familyConfidence });
  if (known) return { ...known, by: 'earlier_runs' };
  const isFew = Math.min(before.length, after.length) < fewestRanked;
  const usual = options.usual && isFew && toUsualInterval(before, after, { smallest, confidence: wanted });
  if (usual) return { ...usual, by: 'earlier_runs', isUsual: true };
  return own && { ...own, by: 'ranks' };
}

/** Returns the status that an interval allows, and the interval to report. */
function decide(
  [before, after]: readonly [number[], number[]],
  judged: JudgedInterval | undefined,
  options: SampleOptions & { smallest: number; difference: number; wanted: number },
): { status: ChangeStatus; reported: ConfidentInterval | undefined } {
  if (!judged) return { status: 'undecided', reported: undefined };
  const { smallest, sameEffects = 1, hasOwnSame, usual } = options;
  const same = hasOwnSame || judged.isUsual ? toRankInterval(before, after, ownSameConfidence) : undefined;
  const status = toStatus(judged, { ...options, same: same?.interval, sameWithin: sameEffects * smallest });
  const isSpreadUnknown = judged.isUsual && Math.max(before.length, after.length) < fewestUsual;
  if (status === 'no_difference' && !isSpreadUnknown) return { status, reported: same ?? judged };
  if (status === 'no_difference') return { status: 'undecided', reported: judged };
  return { status: judged.isUsual && usual === 'same' ? 'undecided' : status, reported: judged };
}

/** Estimates how many more runs decide: of the smaller side, if the usual spread of the other may decide. */
function toMore(
  before: readonly number[],
  after: readonly number[],
  { smallest, options }: { smallest: number; options: SampleOptions },
): number | null {
  const confidence = options.familyConfidence ?? options.confidence ?? defaultConfidence;
  const [fewer, more] = [before.length, after.length].sort((a, b) => a - b) as [number, number];
  if (!options.usual || fewer >= fewestRanked) return toMoreRuns(before, after, { smallest, confidence });
  return more < fewestUsual ? fewestUsual - fewer : Math.max(1, toFewestRuns(confidence, more) - fewer);
}

/** Decides whether two samples of one measure differ, as far as their values show. */
export function compareSamples(
  valuesBefore: readonly MeasuredValue[],
  valuesAfter: readonly MeasuredValue[],
  options: SampleOptions,
): SampleComparison {
  const [before, after] = [toSorted(valuesBefore), toSorted(valuesAfter)];
  if (before.length === 0 || after.length === 0) return toNothing(before, after);
  const wanted = options.confidence ?? defaultConfidence;
  const [medianBefore, medianAfter] = [medianOf(before), medianOf(after)];
  const difference = tidy(medianAfter - medianBefore);
  const smallest = toSmallest(options.smallestEffect, medianBefore);
  const judged = toJudged(before, after, { ...options, smallest });
  const { status, reported } = decide([before, after], judged, { ...options, smallest, difference, wanted });
  return {
    before: tidy(medianBefore),
    after: tidy(medianAfter),
    difference,
    interval: reported ? tidyInterval(reported.interval) : null,
    confidence: reported ? tidy(reported.confidence) : null,
    min_effect: tidy(smallest),
    status,
    by: judged?.by ?? null,
    more_runs: status === 'undecided' ? toMore(before, after, { smallest, options }) : null,
  };
}
