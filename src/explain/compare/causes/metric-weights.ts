/** Computes the effect of metric weights that differ between two versions of Lighthouse: a plain sum. */

import { tidy } from '../../../presentation/values.ts';
import { leastPoints } from '../constants.ts';
import { type FoundCause, fact, factOf } from '../evidence.ts';
import type { Shares } from '../points/category-points.ts';

/** Returns undefined if versions or weights are the same, or if PSI weighs a metric that local Lighthouse does not. */
export function findWeights(psi: Shares, own: Shares, versions: readonly [string, string]): FoundCause | undefined {
  if (versions[0] === versions[1]) return undefined;
  const isKnown = [...psi.keys()].every(id => own.has(id));
  const moved = [...own].map(([id, { weight, score }]) => {
    const theirs = psi.get(id)?.weight ?? 0;
    return { id, theirs, weight, points: (score ?? 0) * (weight - theirs) };
  });
  const points = tidy(
    moved.reduce((sum, metric) => sum + metric.points, 0),
    1,
  );
  if (!isKnown || Math.abs(points) < leastPoints) return undefined;
  const [theirs, ours] = versions;
  return {
    cause: 'lighthouse_version',
    category: 'performance',
    points,
    certainty: 'observed',
    evidence: [
      fact('lighthouse_version', theirs, ours),
      ...moved
        .filter(metric => Math.abs(metric.weight - metric.theirs) >= leastPoints)
        .map(({ id, theirs, weight }) => factOf('weight', id, tidy(theirs, 1), tidy(weight, 1))),
    ],
    explanation: `Lighthouse ${theirs} and ${ours} weigh the metrics differently, so the same metrics give different scores.`,
  };
}
