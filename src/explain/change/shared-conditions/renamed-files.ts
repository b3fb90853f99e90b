/**
 * Pairs files whose names only differ in a hash of their content, as build tools name them: `main.8f3a2b1c.js`. Such a
 * file counts as the same file, so chance puts it before or after a paint on both sides alike.
 */
import type { FileFacts, LoadFacts } from '../../../contract/result/load-facts.ts';
import type { Facts, Sides } from './sides.ts';

/** Min length of the part of a hash that differs. */
const leastDifferent = 4;
const looksLikeHash = /^[^/]*[\dA-Z][^/]*$/;

/** Returns whether two URLs differ in one part that looks like a hash, and has the same length in both. */
export function differInHash(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let from = 0;
  let to = one.length;
  while (from < to && one[from] === other[from]) from += 1;
  while (to > from && one[to - 1] === other[to - 1]) to -= 1;
  const [part, otherPart] = [one.slice(from, to), other.slice(from, to)];
  return part.length >= leastDifferent && looksLikeHash.test(part) && looksLikeHash.test(otherPart);
}

/** Returns the files of a side by URL, each as in the first load that has it. */
const toFiles = (facts: Facts): Map<string, FileFacts> =>
  new Map(facts.toReversed().flatMap(({ files }) => Object.entries(files)));

/** Returns the new URL of each renamed file, by its URL before. Of several candidates, the size decides. */
function findRenamed({ before, after }: Sides<Facts>): Map<string, string> {
  const [old, now] = [toFiles(before), toFiles(after)];
  const pairs = [...old]
    .filter(([url]) => !now.has(url))
    .flatMap(([url, file]) =>
      [...now]
        .filter(([other, { type }]) => !old.has(other) && type === file.type && differInHash(url, other))
        .map(([other, { bytes }]) => ({ url, other, gap: Math.abs(bytes - file.bytes) })),
    )
    .sort((one, other) => one.gap - other.gap);
  const renamed = new Map<string, string>();
  const taken = new Set<string>();
  for (const { url, other } of pairs) {
    if (renamed.has(url) || taken.has(other)) continue;
    renamed.set(url, other);
    taken.add(other);
  }
  return renamed;
}

export type Aligned = {
  readonly facts: Sides<Facts>;
  /** Returns the name of a file on the side before. */
  readonly toNameBefore: (url: string) => string;
};

/** Gives renamed files of the side before their new names. */
export function alignNames(facts: Sides<Facts>): Aligned {
  const renamed = findRenamed(facts);
  const old = new Map([...renamed].map(([url, other]) => [other, url]));
  const rename = (load: LoadFacts): LoadFacts => ({
    ...load,
    files: Object.fromEntries(Object.entries(load.files).map(([url, file]) => [renamed.get(url) ?? url, file])),
  });
  const before = renamed.size === 0 ? facts.before : facts.before.map(rename);
  return { facts: { before, after: facts.after }, toNameBefore: url => old.get(url) ?? url };
}
