/**
 * Simulated Lighthouse runs of unchanged pages, drawn from distributions: log-normal or bimodal times, blocking times
 * with zeros, a few values of layout shift, and the score that Lighthouse's own curves and weights give.
 * The parameters come from docs/internals/measurement.md and from pages that were measured many times.
 */
import { getLogNormalScore } from 'lighthouse/shared/statistics.js';

export type Random = () => number;

export type SimulatedMetrics = {
  first_contentful_paint: number;
  largest_contentful_paint: number;
  total_blocking_time: number;
  cumulative_layout_shift: number;
  speed_index: number;
};

export type SimulatedRun = { scores: { performance: number }; metrics: SimulatedMetrics };

export type SimulatedPage = (random: Random) => SimulatedMetrics;

export const toGaussian = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export const toLogNormal = (random: Random, median: number, sigma: number): number =>
  median * Math.exp(sigma * toGaussian(random));

const isTrue = (random: Random, share: number): boolean => random() < share;

/** The mobile curves and weights of Lighthouse 13. */
const curves = {
  first_contentful_paint: { p10: 1800, median: 3000, weight: 10 },
  largest_contentful_paint: { p10: 2500, median: 4000, weight: 25 },
  total_blocking_time: { p10: 200, median: 600, weight: 30 },
  cumulative_layout_shift: { p10: 0.1, median: 0.25, weight: 25 },
  speed_index: { p10: 3387, median: 5800, weight: 10 },
} as const;

/** Rounds as Lighthouse does: each metric's score to two decimals, then the total. */
export function toPerformanceScore(metrics: SimulatedMetrics): number {
  const points = Object.entries(curves).map(([name, { p10, median, weight }]) => {
    const score = getLogNormalScore({ p10, median }, metrics[name as keyof SimulatedMetrics]);
    return (Math.round(score * 100) / 100) * weight;
  });
  return Math.round(points.reduce((sum, value) => sum + value, 0));
}

export const toSimulatedRun = (metrics: SimulatedMetrics): SimulatedRun => ({
  scores: { performance: toPerformanceScore(metrics) },
  metrics,
});

/** Bimodal LCP; every other metric is quiet. */
const toTwoModes =
  ({ shareSlow, slow }: { shareSlow: number; slow: number }): SimulatedPage =>
  random => {
    const fcp = toLogNormal(random, 1100, 0.008);
    return {
      first_contentful_paint: fcp,
      largest_contentful_paint: isTrue(random, shareSlow)
        ? toLogNormal(random, slow, 0.015)
        : Math.max(fcp, toLogNormal(random, 1110, 0.01)),
      total_blocking_time: isTrue(random, 0.7) ? 0 : random() * 60,
      cumulative_layout_shift: 0,
      speed_index: fcp * (1 + 0.01 * random()),
    };
  };

const toUsual = (random: Random, shareDisturbed: number): SimulatedMetrics => {
  const load = isTrue(random, shareDisturbed) ? 1.25 : 1;
  const fcp = toLogNormal(random, 1400, 0.01) * load;
  return {
    first_contentful_paint: fcp,
    largest_contentful_paint: fcp + toLogNormal(random, 520, 0.04) * load,
    total_blocking_time: Math.max(0, toLogNormal(random, 90, 0.25) * load - 40),
    cumulative_layout_shift: isTrue(random, 0.9) ? 0.03 : 0.034,
    speed_index: fcp + toLogNormal(random, 400, 0.06) * load,
  };
};

export const simulatedPages = {
  /** docs/internals/measurement.md, HTTP/1.1: FCP 1275 (1273–1277; 1266–1286), LCP 1761 (1749–1774; 1574–1915). */
  quiet: random => {
    const fcp = toLogNormal(random, 1276, 0.003);
    const lcp = isTrue(random, 0.2) ? 1575 + 340 * random() : toLogNormal(random, 1761, 0.006);
    return {
      first_contentful_paint: fcp,
      largest_contentful_paint: lcp,
      total_blocking_time: isTrue(random, 0.85) ? 0 : random() * 5,
      cumulative_layout_shift: 0.012,
      speed_index: fcp,
    };
  },
  /** docs/internals/measurement.md, HTTP/2: FCP 1250 (1242–1257; 1239–1297), LCP anywhere between 1250 and 2900. */
  wideLcp: random => {
    const fcp = toLogNormal(random, 1250, 0.008);
    const lcp = isTrue(random, 0.5) ? 1245 + 320 * random() : 1560 + 1500 * random();
    return {
      first_contentful_paint: fcp,
      largest_contentful_paint: lcp,
      total_blocking_time: 0,
      cumulative_layout_shift: 0.001,
      speed_index: fcp,
    };
  },
  /** LCP of 1.1 s or 3.9 s, which scores 100 or 88. */
  evenModes: toTwoModes({ shareSlow: 0.5, slow: 3900 }),
  rareMode: toTwoModes({ shareSlow: 0.2, slow: 3900 }),
  /** A page with two fonts: FCP of 0.6 s or 4.5 s, on which the other metrics depend. */
  fonts: random => {
    const late = isTrue(random, 0.3);
    const fcp = late ? toLogNormal(random, 4500, 0.01) : toLogNormal(random, 620, 0.02);
    return {
      first_contentful_paint: fcp,
      largest_contentful_paint: fcp + (isTrue(random, 0.5) ? 0 : 150 * random()),
      total_blocking_time: 0,
      cumulative_layout_shift: isTrue(random, 0.8) ? 0.02 : 0.11,
      speed_index: fcp * (1 + 0.05 * random()),
    };
  },
  /** A page with much JavaScript on a busy machine: each metric varies widely and independently. */
  busy: random => {
    const fcp = toLogNormal(random, 1900, 0.04);
    return {
      first_contentful_paint: fcp,
      largest_contentful_paint: Math.max(fcp, toLogNormal(random, 3400, 0.1)),
      total_blocking_time: toLogNormal(random, 450, 0.3),
      cumulative_layout_shift: isTrue(random, 0.75) ? 0.05 : 0.13 + 0.05 * random(),
      speed_index: Math.max(fcp, toLogNormal(random, 3200, 0.1)),
    };
  },
  /** A usual page on an idle machine: a few per cent of noise, and one run in a hundred is an outlier. */
  usual: random => toUsual(random, 0.01),
  /** The same page on a busy machine: one run in twenty is an outlier. */
  disturbed: random => toUsual(random, 0.05),
  /** A page without any noise. */
  constant: () => ({
    first_contentful_paint: 1200,
    largest_contentful_paint: 1500,
    total_blocking_time: 0,
    cumulative_layout_shift: 0,
    speed_index: 1200,
  }),
} satisfies Record<string, SimulatedPage>;

export type SimulatedPageName = keyof typeof simulatedPages;
export const simulatedPageNames = Object.keys(simulatedPages) as SimulatedPageName[];

export type Planted = Partial<SimulatedMetrics>;

/** Simulates runs and adds the planted differences to each. */
export const simulateRuns = (
  name: SimulatedPageName,
  runs: number,
  { random, planted = {} }: { random: Random; planted?: Planted },
): SimulatedRun[] =>
  Array.from({ length: runs }, () => {
    const metrics = simulatedPages[name](random);
    const shifted = Object.entries(metrics).map(([metric, value]) => [
      metric,
      value + (planted[metric as keyof SimulatedMetrics] ?? 0),
    ]);
    return toSimulatedRun(Object.fromEntries(shifted) as SimulatedMetrics);
  });
