/** Records of the study of verdicts. */

import type { LoadFacts } from '../../../src/contract/result/load-facts.ts';
import type { Sides } from '../../../src/explain/change/shared-conditions/sides.ts';
import type { EntryFacts } from '../../../src/storage/results/store.ts';
import type { LoadValues } from '../load-values.ts';

export type RecordedLoad = {
  page: string;
  kind: string;
  /** Name of the block: consecutive loads of one page and kind. */
  block: string;
  /** CPU share of the service: 1 is one CPU; null without a limit. */
  cpuShare: number | null;
  /** Other programs used the processors. */
  isBusy?: boolean;
  id: string;
  time: string;
  benchmarkIndex: number | null;
  /** Load average of the last minute. */
  machineLoad: number;
  values: LoadValues;
};

export type PairedEntry = Pick<EntryFacts, 'scores' | 'metrics'>;
export type PairedLoad = {
  entry: PairedEntry;
  audited: Record<string, { score: number | null; value: number | null }>;
  facts: LoadFacts;
  cpuFactor: number;
};
export type RecordedPair = {
  page: string;
  kind: string;
  before: string;
  after: string;
  loads: Sides<PairedLoad[]>;
};
