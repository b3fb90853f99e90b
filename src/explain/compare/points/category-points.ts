import type { PerformanceSplit } from '../../../contract/analysis/comparison.ts';
import type { Category } from '../../../contract/names.ts';
import type { Scored } from '../../../measure/lhr/facts/side-facts.ts';
import { toPercent } from '../../../measure/lhr/metrics.ts';
import { tidy } from '../../../presentation/values.ts';

const toMetric = (psi: CategoryShare | undefined, lighthouse: CategoryShare | undefined) => {
  const isKnown = typeof psi?.points === 'number' && typeof lighthouse?.points === 'number';
  return {
    weight: tidy(lighthouse?.weight ?? psi?.weight ?? 0, 2),
    psi: toPercent(psi?.score),
    lighthouse: toPercent(lighthouse?.score),
    points: isKnown ? tidy((lighthouse.points ?? 0) - (psi.points ?? 0), 2) : null,
  };
};

/** Max number of listed metrics. Lighthouse has five; an untrusted result may have any number. */
const maxListed = 20;
const maxName = 100;

/** Converts `largest-contentful-paint` to `largest_contentful_paint`. */
const toName = (id: string): string => id.replaceAll('-', '_').slice(0, maxName).toWellFormed();

/** Splits the difference of the two performance scores by metric; null if performance was not requested. */
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

/** Contribution of one audit to a category's score, in points of 100. */
type CategoryShare = { weight: number; score: number | null; points: number | null };

/** Contributions by audit id; only audits that count. */
export type Shares = ReadonlyMap<string, CategoryShare>;

/** Returns the unrounded parts of a category's score; undefined if the side did not run the category. */
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

/** Returns the category's score in points of 100, unrounded; null if no audit counts, or one has no score. */
export function sumOf(shares: Shares | undefined): number | null {
  const points = [...(shares?.values() ?? [])].map(share => share.points);
  if (points.length === 0 || points.includes(null)) return null;
  return points.reduce<number>((sum, own) => sum + (own ?? 0), 0);
}
