/**
 * How much this processor has to be slowed down to stand for a phone of the middle class. Lighthouse's documentation of
 * throttling gives no formula; it names a calculator, whose line this is:
 * https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md#calibrating-the-cpu-slowdown
 */

import { pageFunctions } from 'lighthouse/core/lib/page-functions.js';
import type { Page } from 'puppeteer-core';
import type { Calibration } from '../messages.ts';

/*
 * Lighthouse measures the speed of the machine in the page, for a second, before each audit. Where it was measured a
 * moment ago the page is given a function that returns the known index instead, so that it stands in the artifacts, the
 * warnings and the result where Lighthouse puts it. An inner module: test/local/benchmark.test.ts notices when it moves.
 */

const measured = pageFunctions.computeBenchmarkIndex;

/** Takes a second, in a page that does nothing else. */
export const measureBenchmark = (page: Page): Promise<number> => page.evaluate(measured);

/** The next audit has this index; undefined: it takes its own. */
export function useBenchmark(index: number | undefined): void {
  const known = Object.assign(() => index, { toString: () => `() => ${index}` });
  pageFunctions.computeBenchmarkIndex = index === undefined ? measured : (known as typeof measured);
}

/** Benchmark index and multiplier, slowest first; straight lines lie between them, and beyond the last. */
const points = [
  [150, 1],
  [800, 2],
  [1300, 3],
  [2000, 6],
] as const;
/** No machine is made faster: one that is slower than the phone stands for a slower one. */
const least = 1;
/** As far as that documentation goes: 2 to 10 times from a fast desktop computer to such a phone. */
const most = 10;

const between = (index: number, [fromIndex, from]: readonly number[], [toIndex, to]: readonly number[]): number =>
  (from ?? 1) + ((index - (fromIndex ?? 0)) * ((to ?? 1) - (from ?? 1))) / ((toIndex ?? 1) - (fromIndex ?? 0));

/** To a tenth, as the calculator gives it. */
export function toMultiplier(index: number): number {
  const above = points.findIndex(([at]) => index < at);
  const at = above === -1 ? points.length - 1 : Math.max(1, above);
  const multiplier = between(index, points[at - 1] ?? [], points[at] ?? []);
  return Number(Math.min(most, Math.max(least, multiplier)).toFixed(1));
}

/** One measurement says little: other work may have fallen into its second. */
const enough = 3;

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * What is known of this machine, and where that is too little, what is measured now.
 * @param measure takes a second; throws when the page it measures in has gone
 */
export async function calibrate(known: readonly number[], measure: () => Promise<number>): Promise<Calibration> {
  const measured: number[] = [];
  while (known.length + measured.length < enough) measured.push(await measure());
  const all = [...known, ...measured];
  return { benchmarkIndex: medianOf(all), measurements: all.length, measured };
}
