/**
 * The exact paired sign-flip test, and the corresponding interval. If a variant changes nothing, each paired difference
 * is as likely as its negative, because the order of the loads is random.
 */
import type { ConfidentInterval } from '../statistics/interval.ts';

const rounding = 1e-9;

/**
 * Returns the means of all non-empty subsets of the differences, in ascending order (Hartigan, 1969, "typical values").
 * @param differences at most 20: there are 2^n − 1 subsets
 */
export function toSubsetMeans(differences: readonly number[]): Float64Array {
  const subsets = 2 ** differences.length;
  const sums = new Float64Array(subsets);
  const sizes = new Uint8Array(subsets);
  const means = new Float64Array(subsets - 1);
  for (let subset = 1; subset < subsets; subset += 1) {
    const lowest = subset & -subset;
    const rest = subset ^ lowest;
    sums[subset] = (sums[rest] as number) + (differences[31 - Math.clz32(lowest)] as number);
    sizes[subset] = (sizes[rest] as number) + 1;
    means[subset - 1] = (sums[subset] as number) / (sizes[subset] as number);
  }
  return means.sort();
}

/** Returns twice the share of sign patterns with a sum as far from zero on one side; 1 without values. */
export function toPValue(means: Float64Array): number {
  const atMostZero = means.filter(mean => mean <= rounding).length;
  const atLeastZero = means.filter(mean => mean >= -rounding).length;
  return Math.min(1, (2 * (1 + Math.min(atMostZero, atLeastZero))) / (means.length + 1));
}

/**
 * Returns the interval of the mean difference: it excludes zero exactly if `toPValue` is at most `level`. If there are
 * too few differences for the level, it spans all subset means, and its confidence is lower than 1 − level.
 */
export function toFlipInterval(means: Float64Array, level: number): ConfidentInterval | undefined {
  if (means.length < 3) return undefined;
  const patterns = means.length + 1;
  const place = Math.max(1, Math.floor((level * patterns) / 2 + rounding));
  const interval = [means[place - 1] as number, means[means.length - place] as number] as const;
  return { interval, confidence: 1 - (2 * place) / patterns };
}

/** Returns the min number of pairs whose smallest possible p-value, 2/2^n, reaches a level. */
export const toFewestPairs = (level: number): number => Math.ceil(Math.log2(2 / level) - rounding);
