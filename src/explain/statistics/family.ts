/**
 * Computes how likely a difference this clear is in *any* of several measures if nothing changed. Whole runs are
 * permuted between the sides (Westfall and Young), so correlated measures count once.
 */

import { medianOf } from '../../presentation/values.ts';
import { shuffle, toRandom } from './random.ts';

/** More permutations are sampled: five runs of each side have 252, seven have 3,432. */
const mostWays = 4000;
const sampledWays = 2000;
const rounding = 1e-9;

export type FamilyMeasure = {
  /** A value for each run, those of the side before first; null if the run has none. */
  readonly values: readonly (number | null)[];
  /** Smallest difference that matters, given the lower median of the two sides. */
  readonly smallest: (median: number) => number;
};

type FamilySide = { readonly values: Float64Array; length: number };

/** Returns the sum of distances of a side's values from its median. */
function toSpread({ values, length }: FamilySide, median: number): number {
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += Math.abs((values[at] as number) - median);
  return sum;
}

/** Returns the difference relative to the variation within the sides; zero if it does not matter. */
function toClearness({ values, smallest }: FamilyMeasure): (isBefore: readonly boolean[]) => number {
  const ascending = values
    .flatMap((value, run) => (value === null ? [] : [{ value, run }]))
    .sort((a, b) => a.value - b.value);
  const sides = [0, 1].map((): FamilySide => ({ values: new Float64Array(values.length), length: 0 })) as [
    FamilySide,
    FamilySide,
  ];
  return isBefore => {
    for (const side of sides) side.length = 0;
    for (const { value, run } of ascending) {
      const side = isBefore[run] ? sides[0] : sides[1];
      side.values[side.length] = value;
      side.length += 1;
    }
    if (sides.some(side => side.length === 0)) return 0;
    const [one, other] = sides.map(side => medianOf(side.values, side.length)) as [number, number];
    const difference = Math.abs(other - one);
    const least = smallest(Math.min(one, other));
    if (difference < least - rounding) return 0;
    const spread = (toSpread(sides[0], one) + toSpread(sides[1], other)) / ascending.length;
    return difference / (spread + least / 20);
  };
}

/** Yields assignments of runs to the side before, or a sample of them; the actual one first. */
function* deal(before: number, after: number, seed: readonly number[]): Generator<readonly boolean[]> {
  const runs = before + after;
  const observed = Array.from({ length: runs }, (_, run) => run < before);
  yield observed;
  if (countWays(before, after) > mostWays) {
    const random = toRandom(seed);
    for (let way = 1; way < sampledWays; way += 1) yield shuffle([...observed], random);
    return;
  }
  const flags = new Array<boolean>(runs).fill(false);
  function* choose(from: number, left: number): Generator<readonly boolean[]> {
    if (left === 0) {
      if (flags.some((flag, run) => flag !== observed[run])) yield flags;
      return;
    }
    for (let run = from; run <= runs - left; run += 1) {
      flags[run] = true;
      yield* choose(run + 1, left - 1);
      flags[run] = false;
    }
  }
  yield* choose(0, before);
}

function countWays(before: number, after: number): number {
  let ways = 1;
  for (let run = 1; run <= before; run += 1) ways = (ways * (after + run)) / run;
  return Math.round(ways);
}

/** Returns the p-value of each measure, adjusted for all of them (step-down). */
export function toFamilyPValues(measures: readonly FamilyMeasure[], before: number, after: number): number[] {
  const observed: number[] = [];
  const asClear = measures.map(() => 0);
  let order: number[] = [];
  let ways = 0;
  const clearnessOf = measures.map(toClearness);
  const seed = measures.flatMap(({ values }) => values.map(value => value ?? Number.NaN));
  for (const isBefore of deal(before, after, seed)) {
    const clearnesses = clearnessOf.map(toValue => toValue(isBefore));
    if (ways === 0) {
      observed.push(...clearnesses);
      order = measures.map((_, at) => at).sort((a, b) => (observed[a] as number) - (observed[b] as number));
    }
    ways += 1;
    let clearest = 0;
    for (const at of order) {
      clearest = Math.max(clearest, clearnesses[at] as number);
      if (clearest >= (observed[at] as number) - rounding) asClear[at] = (asClear[at] as number) + 1;
    }
  }
  // The p-value of a measure is at least that of any clearer measure.
  let least = 0;
  const adjusted = measures.map(() => 1);
  for (const at of order.toReversed()) {
    least = Math.max(least, (asClear[at] as number) / ways);
    adjusted[at] = least;
  }
  return adjusted;
}
