import type { PredictedError } from '../../contract/stored/what-if.ts';

export type PredictedKind = 'third_party' | 'script' | 'condition' | 'fix';

/**
 * Errors of predictions by kind: `bench/studies/what-if.ts` predicts changes to its own pages, then makes and measures
 * them. Null if not measured.
 */
export const measuredErrors: Readonly<Record<PredictedKind, PredictedError | null>> = {
  third_party: { pairs: 8, pages: 8, points: { median: 1.5, p90: 13.9, p95: 13.9 }, is_preliminary: true },
  script: { pairs: 30, pages: 11, points: { median: 0.8, p90: 4.7, p95: 7.1 }, is_preliminary: false },
  condition: { pairs: 7, pages: 7, points: { median: 2, p90: 3, p95: 3 }, is_preliminary: true },
  fix: { pairs: 5, pages: 5, points: { median: 2.4, p90: 3.6, p95: 3.6 }, is_preliminary: true },
};
