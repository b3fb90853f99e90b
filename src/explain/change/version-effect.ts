/**
 * Determines which part of a difference is caused by different versions of Lighthouse: loads of one side are audited
 * again with the version of the other.
 */

import type { MetricName } from '../../contract/names.ts';
import type { MeasureChange, VersionEffect } from '../../contract/stored/change-verdict.ts';
import type { Lhr } from '../../measure/lhr/lhr.ts';
import { auditIds, toWeightedScore } from '../../measure/lhr/metrics.ts';
import type { EntryFacts } from '../../storage/results/store.ts';
import type { MeasuredValue } from '../statistics/values.ts';
import { medianOf, tidy, toSorted } from '../statistics/values.ts';

/** Values by audit id: score 0 to 1, value in the metric's own unit. */
type Audited = Readonly<Record<string, { score: number | null; value: number | null }>>;

/** Loads that were audited again, as plain data, because they are passed to a thread. */
export type AuditedAgain = {
  readonly side: 'before' | 'after';
  /** Versions of Lighthouse that measured these loads, and that audited them again. */
  readonly measuredWith: readonly string[];
  readonly auditedWith: string;
  readonly runs: readonly { readonly entry: EntryFacts; readonly audited: Audited }[];
};

/** Computes the performance score from the metrics, weighted and rounded like Lighthouse; null if one is missing. */
function toScore(audited: Audited, lhr: Lhr | undefined): number | null {
  const score = toWeightedScore(lhr?.categories.performance?.auditRefs ?? [], id => audited[id]?.score);
  return score === undefined ? null : Math.round(100 * score);
}

/** The audits, or the reason why there are none. */
export type AgainOutcome = AuditedAgain | { readonly reason: string };

type Pair = readonly [measured: MeasuredValue, again: MeasuredValue];

/** Returns the median of the changes that the newer version causes; the rest of the difference has other causes. */
function toPart(pairs: readonly Pair[], sign: number, change: MeasureChange | undefined) {
  const steps = pairs.flatMap(([measured, again]) =>
    typeof measured === 'number' && typeof again === 'number' ? [sign * (again - measured)] : [],
  );
  if (steps.length === 0 || typeof change?.difference !== 'number') return undefined;
  const byVersion = tidy(medianOf(toSorted(steps)));
  return { by_version: byVersion, rest: tidy(change.difference - byVersion) };
}

type Changes = {
  readonly scores: Readonly<Record<string, MeasureChange>>;
  readonly metrics: Readonly<Record<string, MeasureChange>>;
};

/** @param lhr result of the side that the same version measured, with the weights of its score */
export function toVersionEffect(
  { side, measuredWith, auditedWith, runs }: AuditedAgain,
  changes: Changes,
  lhr: Lhr | undefined,
): VersionEffect {
  const sign = side === 'before' ? 1 : -1;
  const partOf = (change: MeasureChange | undefined, toPair: (run: (typeof runs)[number]) => Pair) =>
    toPart(runs.map(toPair), sign, change);
  const performance = partOf(changes.scores.performance, ({ entry, audited }) => [
    entry.scores.performance,
    toScore(audited, lhr),
  ]);
  const metrics = Object.entries(auditIds).flatMap(([name, id]) => {
    const part = partOf(changes.metrics[name], ({ entry, audited }) => [
      entry.metrics[name as MetricName],
      audited[id]?.value,
    ]);
    return part ? [[name, part] as const] : [];
  });
  return {
    side,
    measured_with: [...measuredWith],
    audited_with: auditedWith,
    ids: runs.map(({ entry }) => entry.id),
    scores: performance ? { performance } : {},
    metrics: Object.fromEntries(metrics),
  };
}
