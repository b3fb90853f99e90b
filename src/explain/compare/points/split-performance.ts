import type { PerformanceSplit } from '../../../contract/analysis/comparison.ts';
import type { Lhr } from '../../../measure/lhr/lhr.ts';
import { toPercent } from '../../../measure/lhr/scores.ts';
import { tidy } from '../numbers.ts';
import { type Share, toShares } from './category-points.ts';

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
export function splitPerformance(psi: Lhr, lighthouse: Lhr): PerformanceSplit | null {
  const [psiShares, ownShares] = [toShares(psi, 'performance'), toShares(lighthouse, 'performance')];
  if (!psiShares || !ownShares) return null;
  const ids = [...new Set([...ownShares.keys(), ...psiShares.keys()])];
  const metrics = ids.map(id => [toName(id), toMetric(psiShares.get(id), ownShares.get(id))] as const);
  const [psiScore, ownScore] = [psi, lighthouse].map(lhr => toPercent(lhr.categories.performance?.score));
  const isScored = typeof psiScore === 'number' && typeof ownScore === 'number';
  const difference = isScored ? ownScore - psiScore : null;
  const all = metrics.map(([, { points }]) => points);
  const isWhole = all.every(points => points !== null);
  const sum = all.reduce<number>((total, points) => total + (points ?? 0), 0);
  const listed = Object.fromEntries(metrics.slice(0, maxListed));
  return { difference, metrics: listed, rounding: difference !== null && isWhole ? tidy(difference - sum, 2) : null };
}
