/** The results of an index in the order that people look through them: the worst first, what failed last. */
import { categoryNames, type Strategy } from '../../../contract/names.ts';
import type { Rating } from '../../../contract/result/thresholds.ts';
import type { Column } from '../../../presentation/answer.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { pageScoreOf } from '../../../presentation/undisturbed.ts';

/** One page under one strategy, with every side that was asked for. */
export type IndexEntry = {
  readonly url: string;
  readonly strategy: Strategy;
  readonly columns: readonly Column[];
  /** Name of its report, in the folder of the index. */
  readonly report: string | undefined;
  /** A data URL. */
  readonly picture: string | undefined;
};

export const hasResult = ({ columns }: IndexEntry): boolean => columns.some(({ part }) => part.ok);

/**
 * By its performance, else by the first category that has a score; of two sides the worse one counts. A score that a
 * disturbance denies counts as it is without it, and not at all if that is not known.
 */
export function worstScore({ columns }: IndexEntry): number | undefined {
  const results = columns.flatMap(({ part }) => (part.ok ? [part.result] : []));
  const name = categoryNames.find(category => results.some(({ scores }) => typeof scores[category] === 'number'));
  const scores = name ? results.flatMap(result => pageScoreOf(result, name) ?? []) : [];
  return scores.length > 0 ? Math.min(...scores) : undefined;
}

/** Those without a score behind the others; ties in the order asked. */
export const orderEntries = (entries: readonly IndexEntry[]): IndexEntry[] =>
  entries.toSorted(
    (a, b) => Number(hasResult(b)) - Number(hasResult(a)) || (worstScore(a) ?? 101) - (worstScore(b) ?? 101),
  );

export type RatingCounts = Readonly<Record<Rating, number>>;

/** How many have a performance of which rating; one that a disturbance denies has none. */
export function countRatings(entries: readonly IndexEntry[]): RatingCounts {
  const counts = { poor: 0, 'needs-improvement': 0, good: 0 };
  for (const { columns } of entries) {
    const scores = columns.flatMap(({ part }) => (part.ok ? (pageScoreOf(part.result, 'performance') ?? []) : []));
    if (scores.length > 0) counts[rateScore(Math.min(...scores))] += 1;
  }
  return counts;
}
