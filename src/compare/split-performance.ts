import type { Lhr } from '../report/lhr.ts';
import { toPercent } from '../report/scores.ts';
import { type Share, toShares } from './category-points.ts';
import type { PerformanceSplit } from './comparison.ts';
import { tidy } from './numbers.ts';

/** `largest-contentful-paint` is `largest_contentful_paint` in a Report. */
const toName = (id: string): string => id.replaceAll('-', '_');

const toMetric = (psi: Share | undefined, lighthouse: Share | undefined) => {
  const isKnown = typeof psi?.points === 'number' && typeof lighthouse?.points === 'number';
  return {
    weight: tidy(lighthouse?.weight ?? psi?.weight ?? 0, 2),
    psi: toPercent(psi?.score),
    lighthouse: toPercent(lighthouse?.score),
    points: isKnown ? tidy((lighthouse.points ?? 0) - (psi.points ?? 0), 2) : null,
  };
};

/** The difference of the two performance scores, metric by metric; null when neither side was asked for performance. */
export function splitPerformance(psi: Lhr, lighthouse: Lhr): PerformanceSplit | null {
  const [psiShares, ownShares] = [toShares(psi, 'performance'), toShares(lighthouse, 'performance')];
  if (!psiShares || !ownShares) return null;
  const ids = [...new Set([...ownShares.keys(), ...psiShares.keys()])];
  const metrics = Object.fromEntries(ids.map(id => [toName(id), toMetric(psiShares.get(id), ownShares.get(id))]));
  const [psiScore, ownScore] = [psi, lighthouse].map(lhr => toPercent(lhr.categories.performance?.score));
  const isScored = typeof psiScore === 'number' && typeof ownScore === 'number';
  const difference = isScored ? ownScore - psiScore : null;
  const all = Object.values(metrics).map(({ points }) => points);
  const isWhole = all.every(points => points !== null);
  const sum = all.reduce<number>((total, points) => total + (points ?? 0), 0);
  return { difference, metrics, rounding: difference !== null && isWhole ? tidy(difference - sum, 2) : null };
}
