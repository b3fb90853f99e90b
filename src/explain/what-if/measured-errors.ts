import type { PredictedError } from '../../contract/stored/what-if.ts';

export type PredictedKind = 'third_party' | 'script' | 'condition' | 'fix';

/**
 * How wrong predictions were, by kind: `bench/studies/what-if.ts` predicts a change to its own pages, makes it, and measures.
 * Null: not measured.
 */
export const measuredErrors: Readonly<Record<PredictedKind, PredictedError | null>> = {
  third_party: null,
  script: null,
  condition: null,
  fix: null,
};
