import type { PredictedError } from '../../contract/stored/what-if.ts';

export type PredictedKind = 'third_party' | 'script' | 'condition' | 'fix';

/**
 * Errors of predictions by kind: `bench/studies/what-if.ts` predicts changes to its own pages, then makes and measures
 * them. Null if not measured.
 */
export const measuredErrors: Readonly<Record<PredictedKind, PredictedError | null>> = {
  third_party: null,
  script: null,
  condition: null,
  fix: null,
};
