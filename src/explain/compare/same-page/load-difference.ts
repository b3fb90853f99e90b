/** Something in which two loads of a page differ: how much it says, its evidence, and the words for it. */
import type { Fact } from '../evidence.ts';

/** Enough by itself; two that are worth half of it are as good. */
export const sure = 2;
export const likely = 1;
/** Enough together with anything else. */
export const strong = 1.75;
export const slight = 0.5;
export const negligible = 0.25;
/** Enough to doubt another reason. */
export const doubtful = slight + negligible;

/** Differences that say more than that the page is another one. */
export type Family = 'compression' | 'stored' | 'blocked' | 'consent' | 'largest_element';

/** Something in which two loads differ. */
export type LoadDifference = {
  /** The same for the same kind of difference in another pair of loads. */
  kind: string;
  evidence: Fact;
  /** A clause for after "the two sides did not load the same page: ". */
  words: string;
  /** What kind of page it is then, where that has a name of its own. */
  family?: Family;
  /** How much it says: `sure` is enough for two pages, two loads of one page do not differ so. */
  weight: number;
};

export const sayBytes = (bytes: number): string => {
  if (bytes >= 1_000_000) return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
  if (bytes < 1000) return `${bytes} bytes`;
  return `${Number((bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0))} KB`;
};
