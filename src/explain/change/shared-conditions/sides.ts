/** Two sides of a comparison: whether their loads clearly differ, and which of their files are the same. */

import type { FileFacts, LoadFacts } from '../../../contract/result/load-facts.ts';
import { pairFiles } from '../../../presentation/file-pairs.ts';
import { lowerMedianOf, medianOf, toSorted } from '../../../presentation/values.ts';
import { toAllowance } from '../../statistics/rank-test.ts';

export type Sides<T> = { readonly before: T; readonly after: T };
export type Facts = readonly LoadFacts[];

/** Confidence of a clear difference: at most one comparison in a hundred finds one by chance. */
const clearConfidence = 0.99;

/**
 * Returns whether the sides clearly differ, by ranks: with five values each, every value of one side is beyond the
 * other side.
 * @param least min difference of the medians
 */
export function isApart(before: readonly number[], after: readonly number[], least = 0): boolean {
  if (before.length === 0 || after.length === 0) return false;
  const { pairs } = toAllowance(before.length, after.length, clearConfidence);
  const count = (isInOrder: (one: number, other: number) => boolean) =>
    before.reduce((sum, one) => sum + after.filter(other => !isInOrder(one, other)).length, 0);
  const isClear = [count((one, other) => one < other), count((one, other) => one > other)].some(
    wrong => wrong <= pairs,
  );
  return isClear && Math.abs(medianOf(toSorted(after)) - medianOf(toSorted(before))) >= least;
}

/** Min number of values of each side for a lack of overlap to mean anything. */
const fewestToSeparate = 3;

/**
 * Returns whether the sides may differ: clearly, or without any overlap if they have too few values for a clear
 * difference. Too few values for a test do not make a difference chance.
 * @param least min difference of the medians
 */
export function mayDiffer(before: readonly number[], after: readonly number[], least = 0): boolean {
  if (isApart(before, after, least)) return true;
  const isTestable = toAllowance(before.length, after.length, clearConfidence).pairs >= 0;
  if (isTestable || Math.min(before.length, after.length) < fewestToSeparate) return false;
  const isSeparate = Math.max(...before) < Math.min(...after) || Math.max(...after) < Math.min(...before);
  return isSeparate && Math.abs(medianOf(toSorted(after)) - medianOf(toSorted(before))) >= least;
}

/** Returns the median; of two middle values, the lower one. */
export const middleOf = (values: readonly number[]): number => lowerMedianOf(values) ?? 0;

export const keysOf = (facts: Facts, toKeys: (load: LoadFacts) => object): Set<string> =>
  new Set(facts.flatMap(load => Object.keys(toKeys(load))));

/** Returns the files of a side by URL, each as in the first load that has it. */
const filesOf = (facts: Facts): [url: string, file: FileFacts][] => [
  ...new Map(facts.toReversed().flatMap(({ files }) => Object.entries(files))),
];

/** Gives renamed files of the side before their new names, so that chance places both alike around a paint. */
export function alignNames({ before, after }: Sides<Facts>) {
  const pairs = pairFiles(filesOf(before), filesOf(after), ([url, { type, bytes }]) => ({ url, type, bytes }));
  const renamed = pairs.flatMap(({ one, other }) =>
    one && other && one[0] !== other[0] ? [[one[0], other[0]] as const] : [],
  );
  const now = new Map(renamed);
  const old = new Map(renamed.map(([old, name]) => [name, old]));
  const rename = (load: LoadFacts): LoadFacts => ({
    ...load,
    files: Object.fromEntries(Object.entries(load.files).map(([url, file]) => [now.get(url) ?? url, file])),
  });
  return { facts: { before: before.map(rename), after }, toNameBefore: (url: string) => old.get(url) ?? url };
}
