/** Converts loads of both sides that were simulated under the same conditions into runs to compare. */

import type { LoadFacts } from '../../../contract/result/load-facts.ts';
import { auditIds } from '../../../measure/lhr/metrics.ts';
import type { EntryFacts } from '../../../storage/results/store.ts';
import type { MeasuredRun } from '../../statistics/compare-sets.ts';
import type { FileEffect } from './file-changes.ts';
import type { Sides } from './sides.ts';

/** Values by audit id, and by `performance` for the whole score: score 0 to 1, value in the metric's own unit. */
export type Audited = Readonly<Record<string, { readonly score: number | null; readonly value: number | null }>>;

export type AlikeLoad = {
  readonly entry: EntryFacts;
  readonly audited: Audited;
  readonly facts: LoadFacts;
  /** Factor of the CPU throttling, so that all loads have the same processor. */
  readonly cpuFactor: number;
};

/** Loads of both sides as plain data, because they are passed to a thread. */
export type AlikeLoads = Sides<readonly AlikeLoad[]> & {
  /** Typical factor of each side: 1 unless the processors differ. */
  readonly cpuFactor: Sides<number>;
  /** Shares that changed files explain, by their names. */
  readonly effects?: ReadonlyMap<string, FileEffect>;
};

/** Replaces measured values of a load with simulated ones; values that are not simulated stay as measured. */
export function toAlikeRun({
  entry,
  audited,
}: {
  readonly entry: Pick<EntryFacts, 'scores' | 'metrics'>;
  readonly audited: Audited;
}): MeasuredRun {
  const score = audited.performance?.score;
  const simulated = Object.entries(auditIds).flatMap(([name, id]) => {
    const value = audited[id]?.value;
    return typeof value === 'number' ? [[name, value] as const] : [];
  });
  const performance = typeof score === 'number' ? Math.round(100 * score) : null;
  return {
    scores: { ...entry.scores, performance },
    metrics: { ...entry.metrics, ...Object.fromEntries(simulated) },
  };
}

/** Returns null if any value is missing. */
function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const numbers = values.filter(value => typeof value === 'number');
  if (numbers.length < values.length) return null;
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** Returns the means over several simulations of one load; undefined if there are none, or one of them is empty. */
export function averageAudits(all: readonly Audited[]): Audited | undefined {
  const [first] = all;
  if (!first || all.some(audited => Object.keys(audited).length === 0)) return undefined;
  return Object.fromEntries(
    Object.keys(first).map(id => [
      id,
      { score: meanOf(all.map(audited => audited[id]?.score)), value: meanOf(all.map(audited => audited[id]?.value)) },
    ]),
  );
}
