/**
 * Lighthouse measures the speed of the machine in the page, for a second, before each audit. Where it was measured a
 * moment ago the page is given a function that returns the known index instead, so that it stands in the artifacts, the
 * warnings and the result where Lighthouse puts it. An inner module: test/local/benchmark.test.ts notices when it moves.
 */
import { pageFunctions } from 'lighthouse/core/lib/page-functions.js';
import type { Page } from 'puppeteer-core';

const measured = pageFunctions.computeBenchmarkIndex;

/** Takes a second, in a page that does nothing else. */
export const measureBenchmark = (page: Page): Promise<number> => page.evaluate(measured);

/** The next audit has this index; undefined: it takes its own. */
export function useBenchmark(index: number | undefined): void {
  const known = Object.assign(() => index, { toString: () => `() => ${index}` });
  pageFunctions.computeBenchmarkIndex = index === undefined ? measured : (known as typeof measured);
}
