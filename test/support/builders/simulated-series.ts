/** Simulated histories with one value a day and a planted change. */
import { medianOf, toSorted } from '../../../src/presentation/values.ts';
import { type Random, type SimulatedMetrics, simulatedPages, toPerformanceScore } from '../audits/lighthouse-noise.ts';

export type SimulatedHistory = {
  page: keyof typeof simulatedPages;
  measure: keyof SimulatedMetrics | 'performance';
  /** Added to every point of the segment. */
  step: number;
};

export const simulatedHistories = {
  'quiet FCP +100': { page: 'wideLcp', measure: 'first_contentful_paint', step: 100 },
  'usual LCP +300': { page: 'usual', measure: 'largest_contentful_paint', step: 300 },
  'busy LCP +1000': { page: 'busy', measure: 'largest_contentful_paint', step: 1000 },
  'busy TBT +400': { page: 'busy', measure: 'total_blocking_time', step: 400 },
  'busy score −10': { page: 'busy', measure: 'performance', step: -10 },
  'rare mode LCP +600': { page: 'rareMode', measure: 'largest_contentful_paint', step: 600 },
  'even modes LCP +600': { page: 'evenModes', measure: 'largest_contentful_paint', step: 600 },
} satisfies Record<string, SimulatedHistory>;

export type Stretch = { from: number; to: number };

/** Simulates the median of each day's runs. */
export const simulateHistory = (
  { page, measure, step }: SimulatedHistory,
  { days = 90, runs, stretch, random }: { days?: number; runs: number; stretch?: Stretch; random: Random },
): number[] =>
  Array.from({ length: days }, (_, day) => {
    const values = Array.from({ length: runs }, () => {
      const metrics = simulatedPages[page](random);
      return measure === 'performance' ? toPerformanceScore(metrics) : metrics[measure];
    });
    const isPlanted = stretch !== undefined && day >= stretch.from && day < stretch.to;
    return medianOf(toSorted(values)) + (isPlanted ? step : 0);
  });
