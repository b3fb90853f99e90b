import type { PerformanceSplit } from '../../../contract/analysis/comparison.ts';
import type { Category } from '../../../contract/names.ts';
import type { Scored } from '../../../measure/lhr/facts/side-facts.ts';
import { toPercent } from '../../../measure/lhr/metrics.ts';
import { tidy } from '../phrases.ts';

const toMetric = (psi: Share | undefined, lighthouse: Share | undefined) => {
  const isKnown = typeof psi?.points === 'number' && typeof lighthouse?.points === 'number';
  return {
    weight: tidy(lighthouse?.weight ?? psi?.weight ?? 0, 2),
    psi: toPercent(psi?.score),
    lighthouse: toPercent(lighthouse?.score),
    points: isKnown ? tidy((lighthouse.points ?? 0) - (psi.points ?? 0), 2) : null,
  };
};

/** Lighthouse has five. A remote answer may have any number, and ours must stay small. */
const maxListed = 20;
const maxName = 100;

/** `largest-contentful-paint` is `largest_contentful_paint` in a result. */
const toName = (id: string): string => id.replaceAll('-', '_').slice(0, maxName).toWellFormed();

/** The difference of the two performance scores, metric by metric; null when performance was not requested. */
export function splitPerformance(psi: Scored, lighthouse: Scored): PerformanceSplit | null {
  const [psiShares, ownShares] = [toShares(psi, 'performance'), toShares(lighthouse, 'performance')];
  if (!psiShares || !ownShares) return null;
  const ids = [...new Set([...ownShares.keys(), ...psiShares.keys()])];
  const metrics = ids.map(id => [toName(id), toMetric(psiShares.get(id), ownShares.get(id))] as const);
  const [psiScore, ownScore] = [psi, lighthouse].map(side => toPercent(side.categories.performance?.score));
  const isScored = typeof psiScore === 'number' && typeof ownScore === 'number';
  const difference = isScored ? ownScore - psiScore : null;
  const all = metrics.map(([, { points }]) => points);
  const isWhole = all.every(points => points !== null);
  const sum = all.reduce<number>((total, points) => total + (points ?? 0), 0);
  const listed = Object.fromEntries(metrics.slice(0, maxListed));
  return { difference, metrics: listed, rounding: difference !== null && isWhole ? tidy(difference - sum, 2) : null };
}

/** What one audit adds to a category's score, in points of 100. */
type Share = { weight: number; score: number | null; points: number | null };

/** By audit id; only audits that count. */
export type Shares = ReadonlyMap<string, Share>;

/**
 * How a category's score is made up, before Lighthouse rounds it. Undefined when the side did not run the category.
 * Lighthouse gives audits that do not apply a weight of zero.
 */
export function toShares(side: Scored, category: Category): Shares | undefined {
  const refs = side.categories[category]?.auditRefs.filter(({ weight }) => weight > 0);
  if (!refs) return undefined;
  const total = refs.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    refs.map(({ id, weight }) => {
      const score = side.audits[id]?.score ?? null;
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
