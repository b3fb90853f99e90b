import type { Noise } from '../../contract/analysis/comparison.ts';
import type { Category, MetricName } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Spread } from '../../contract/result/runs.ts';

const toValue = (spread: Spread, psi: number | null | undefined) => ({
  ...spread,
  psi: psi ?? null,
  psi_inside: typeof psi === 'number' ? psi >= spread.min && psi <= spread.max : null,
});

/** How far the local runs are apart, and whether the remote values lie between them; null for a single run. */
export function toNoise(psi: Result, lighthouse: Result): Noise | null {
  const { runs } = lighthouse;
  if (!runs || runs.completed < 2) return null;
  return {
    runs: runs.completed,
    scores: Object.fromEntries(
      Object.entries(runs.scores).map(([name, spread]) => [name, toValue(spread, psi.scores[name as Category])]),
    ),
    metrics: Object.fromEntries(
      Object.entries(runs.metrics).map(([name, spread]) => [
        name,
        toValue(spread, psi.metrics[name as MetricName].value),
      ]),
    ),
  };
}

/**
 * What single runs of one page differ by with nothing changed, in points: at most so much in 88 of 100 pairs of the
 * laboratory. Beyond it the cause is looked for, and noise is still found: docs/compare.md has the figures.
 */
export const usualNoisePoints = 5;

/** Less is rounding: it explains nothing. */
export const leastPoints = 0.5;

/** A statement of less is none, however well it is computed. */
export const leastStatedPoints = 2;

/** By how much the remote score misses the local runs, where that is no more than a statement needs; 0 inside them. */
export function missesRunsBy(noise: Noise | null): number | undefined {
  const own = noise?.scores.performance;
  if (typeof own?.psi !== 'number') return undefined;
  const beyond = Math.max(own.min - own.psi, own.psi - own.max, 0);
  return beyond <= leastStatedPoints ? beyond : undefined;
}

/** How far scores have to be apart to mean something: the spread of the local runs, else what is usual. */
export const toFloor = (noise: Noise | null): number =>
  Math.max(leastStatedPoints, noise?.scores.performance?.spread ?? usualNoisePoints);
