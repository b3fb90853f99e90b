import type { Noise } from '../../../contract/analysis/comparison.ts';
import type { Category, MetricName } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Spread } from '../../../contract/result/runs.ts';
import { toCounted, toRanges } from '../../../measure/lhr/runs.ts';
import { isDisturbed } from '../../../presentation/undisturbed.ts';
import { enoughRuns, leastStatedPoints, usualNoisePoints } from '../constants.ts';

const toValue = (spread: Spread, psi: number | null | undefined) => ({
  ...spread,
  psi: psi ?? null,
  psi_inside: typeof psi === 'number' ? psi >= spread.min && psi <= spread.max : null,
});

/** Returns the range of the runs without the one nearest to the PSI value; undefined for too few runs. */
function withoutNearest(values: readonly number[], psi: number | null | undefined) {
  if (values.length < enoughRuns || typeof psi !== 'number') return undefined;
  const [, ...others] = values.toSorted((a, b) => Math.abs(a - psi) - Math.abs(b - psi));
  return { min: Math.min(...others), max: Math.max(...others) };
}

/** Returns the range of the local runs, undisturbed ones if there are any; null if fewer than two count. */
export function toNoise(psi: Result, lighthouse: Result, others: readonly Result[] = []): Noise | null {
  const { runs } = lighthouse;
  const completed = runs?.counted ?? runs?.completed ?? 0;
  if (!runs || completed < 2) return null;
  const all = [lighthouse, ...others];
  const counted = runs.counted === undefined ? all : toCounted(all);
  // A comparison explains measured scores. If a disturbed run is shown, all are, and `runs` has their corrected values.
  const ranges = isDisturbed(lighthouse)
    ? toRanges(
        all,
        ({ scores, metrics }, name) => scores[name as Category] ?? metrics[name as MetricName]?.value ?? null,
      )
    : runs;
  const addRange = (name: string, spread: Spread) => {
    const score = psi.scores[name as Category];
    const range = withoutNearest(
      (name === 'performance' ? counted : all).flatMap(({ scores }) => scores[name as Category] ?? []),
      score,
    );
    return { ...toValue(spread, score), ...(range ? { without_nearest: range } : {}) };
  };
  return {
    runs: completed,
    scores: Object.fromEntries(Object.entries(ranges.scores).map(([name, spread]) => [name, addRange(name, spread)])),
    metrics: Object.fromEntries(
      Object.entries(ranges.metrics).map(([name, spread]) => [
        name,
        toValue(spread, psi.metrics[name as MetricName].value),
      ]),
    ),
  };
}

/**
 * Returns the distance of the PSI score from the range of the local runs; 0 within it. Undefined if the score is too
 * far from the range of the others, without the nearest run, to be noise.
 */
export function missesRunsBy(noise: Noise | null): number | undefined {
  const own = noise?.scores.performance;
  if (typeof own?.psi !== 'number') return undefined;
  const { psi } = own;
  const beyond = ({ min, max }: { min: number; max: number }) => Math.max(min - psi, psi - max, 0);
  return beyond(own.without_nearest ?? own) <= leastStatedPoints ? beyond(own) : undefined;
}

/** Returns the min difference of scores that is meaningful: the range of the local runs, or the usual noise. */
export const toFloor = (noise: Noise | null): number => {
  const own = noise?.scores.performance;
  const range = own?.without_nearest;
  return Math.max(leastStatedPoints, range ? range.max - range.min : (own?.spread ?? usualNoisePoints));
};

export const isOfOneRun = (noise: Noise | null): boolean => {
  const own = noise?.scores.performance;
  if (typeof own?.psi !== 'number' || !own.without_nearest || missesRunsBy(noise) !== undefined) return false;
  return Math.max(own.min - own.psi, own.psi - own.max, 0) <= leastStatedPoints;
};
