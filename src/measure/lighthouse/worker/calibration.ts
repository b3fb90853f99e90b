/**
 * Computes how much this CPU must be throttled to represent a mid-tier phone. Lighthouse's documentation refers to a
 * calculator instead of a formula. This is the calculator's curve:
 * https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md#calibrating-the-cpu-slowdown
 */

import { pageFunctions } from 'lighthouse/core/lib/page-functions.js';
import type { Page } from 'puppeteer-core';
import type { Calibration } from '../../../contract/stored/run-facts.ts';

/*
 * Lighthouse benchmarks the machine in the page for a second before each audit. If the index was measured recently, the
 * page gets a function that returns it, so that it appears in the artifacts, the warnings and the result as usual. This
 * changes an internal module; test/local/benchmark.test.ts detects when it moves.
 */

const measured = pageFunctions.computeBenchmarkIndex;

/** Measures the benchmark index, which takes a second. The page must be idle. */
export const measureBenchmark = (page: Page): Promise<number> => page.evaluate(measured);

/** Sets the benchmark index of the next audit. If it is undefined, the audit measures it. */
export function useBenchmark(index: number | undefined): void {
  const known = Object.assign(() => index, { toString: () => `() => ${index}` });
  pageFunctions.computeBenchmarkIndex = index === undefined ? measured : (known as typeof measured);
}

/**
 * Benchmark indices and multipliers, slowest first, with linear interpolation between them and extrapolation beyond the
 * last.
 */
const points = [
  [150, 1],
  [800, 2],
  [1300, 3],
  [2000, 6],
] as const;
/** Min multiplier. No machine can be made faster, so a machine slower than the phone represents a slower phone. */
const least = 1;
/** Max multiplier in that documentation, which says 2 to 10 for a fast desktop computer. */
const most = 10;

const between = (index: number, [fromIndex, from]: readonly number[], [toIndex, to]: readonly number[]): number =>
  (from ?? 1) + ((index - (fromIndex ?? 0)) * ((to ?? 1) - (from ?? 1))) / ((toIndex ?? 1) - (fromIndex ?? 0));

/** Returns the multiplier, rounded to a tenth like the calculator. */
export function toMultiplier(index: number): number {
  const above = points.findIndex(([at]) => index < at);
  const at = above === -1 ? points.length - 1 : Math.max(1, above);
  const multiplier = between(index, points[at - 1] ?? [], points[at] ?? []);
  return Number(Math.min(most, Math.max(least, multiplier)).toFixed(1));
}

/** Min number of measurements, because other work may disturb a single one. */
const enough = 3;

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * Calibrates from known indices of this machine and, if there are too few, from new measurements.
 * @param measure takes a second; throws if its page has closed
 */
export async function calibrate(known: readonly number[], measure: () => Promise<number>): Promise<Calibration> {
  const measured: number[] = [];
  while (known.length + measured.length < enough) measured.push(await measure());
  const all = [...known, ...measured];
  return { benchmarkIndex: medianOf(all), measurements: all.length, measured };
}
