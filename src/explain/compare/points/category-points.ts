import type { Category } from '../../../contract/names.ts';
import type { Lhr } from '../../../measure/lhr/lhr.ts';

/** What one audit adds to a category's score, in points of 100. */
export type Share = { weight: number; score: number | null; points: number | null };

/** By audit id; only audits that count. */
export type Shares = ReadonlyMap<string, Share>;

/**
 * How a category's score is made up, before Lighthouse rounds it. Undefined when the side did not run the category.
 * Lighthouse gives audits that do not apply a weight of zero.
 */
export function toShares(lhr: Lhr, category: Category): Shares | undefined {
  const refs = lhr.categories[category]?.auditRefs.filter(({ weight }) => weight > 0);
  if (!refs) return undefined;
  const total = refs.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    refs.map(({ id, weight }) => {
      const score = lhr.audits[id]?.score ?? null;
      return [
        id,
        { weight: (100 * weight) / total, score, points: score === null ? null : (100 * weight * score) / total },
      ];
    }),
  );
}

/** The category's score in points of 100, unrounded; null when it counts nothing, or an audit that has no score. */
export function sumOf(shares: Shares | undefined): number | null {
  if (!shares || shares.size === 0) return null;
  let sum = 0;
  for (const { points } of shares.values()) {
    if (points === null) return null;
    sum += points;
  }
  return sum;
}
