import type { PredictedError } from '../../contract/stored/what-if.ts';

export type PredictedKind = 'third_party' | 'script' | 'condition' | 'fix';

/** Errors that `bench/studies/what-if.ts` measured by making the predicted changes; null if not measured. */
export const measuredErrors: Readonly<Record<PredictedKind, PredictedError | null>> = {
  third_party: { pairs: 12, pages: 12, points: { median: 1, p90: 4.8, p95: 13.9 }, is_preliminary: true },
  script: { pairs: 55, pages: 22, points: { median: 0.7, p90: 3.1, p95: 6.8 }, is_preliminary: false },
  condition: { pairs: 11, pages: 11, points: { median: 1, p90: 2, p95: 3 }, is_preliminary: true },
  fix: { pairs: 9, pages: 9, points: { median: 2.5, p90: 3.6, p95: 3.6 }, is_preliminary: true },
};
