/** The part of a difference that another Lighthouse version causes: loads of one side are audited by the other. */

import type { MetricName } from '../../contract/names.ts';
import type { MeasureChange, VersionEffect } from '../../contract/stored/change-verdict.ts';
import type { Lhr } from '../../measure/lhr/lhr.ts';
import { auditIds, toWeightedPoints } from '../../measure/lhr/metrics.ts';
import { refsOf } from '../../measure/lhr/usefulness.ts';
import { counted, joinWords } from '../../presentation/numbers.ts';
import { type MeasuredValue, medianOf, tidy, toSorted } from '../../presentation/values.ts';
import type { EntryFacts } from '../../storage/results/store.ts';
import { isScore } from '../statistics/smallest-effect.ts';
import { nameOf, saySignedMeasure } from './explain.ts';
import type { Audited } from './shared-conditions/alike-loads.ts';

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
  const counted = [...refsOf(lhr?.categories.performance)].filter(([, { weight }]) => weight > 0);
  const points = toWeightedPoints(counted, id => audited[id]?.score);
  return points === null ? null : Math.round(points);
}

/** The audits, or the reason why there are none. */
export type AgainOutcome = AuditedAgain | { readonly reason: string };

type MeasuredTwice = readonly [measured: MeasuredValue, again: MeasuredValue];

/** Returns the median of the changes that the newer version causes; the rest of the difference has other causes. */
function toPart(pairs: readonly MeasuredTwice[], sign: number, change: MeasureChange | undefined) {
  const steps = pairs.flatMap(([measured, again]) =>
    typeof measured === 'number' && typeof again === 'number' ? [sign * (again - measured)] : [],
  );
  if (steps.length === 0 || typeof change?.difference !== 'number') return undefined;
  const byVersion = tidy(medianOf(toSorted(steps)));
  return { by_version: byVersion, rest: tidy(change.difference - byVersion) };
}

/** @param lhr result of the side that the same version measured, with the weights of its score */
export function toVersionEffect(
  { side, measuredWith, auditedWith, runs }: AuditedAgain,
  changes: {
    readonly scores: Readonly<Record<string, MeasureChange>>;
    readonly metrics: Readonly<Record<string, MeasureChange>>;
  },
  lhr: Lhr | undefined,
): VersionEffect {
  const sign = side === 'before' ? 1 : -1;
  const partOf = (change: MeasureChange | undefined, toPair: (run: (typeof runs)[number]) => MeasuredTwice) =>
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

/** Measures for which the share of the version is reported, if it is known. */
const explainingNames = ['performance', 'largest_contentful_paint', 'total_blocking_time'] as const;

/** Returns a sentence about the versions; empty if both sides have the same one. */
export function explainVersion(again: AgainOutcome | undefined, version: VersionEffect | null): string {
  if (!again) return '';
  if ('reason' in again) return ` The effect of the Lighthouse version is unknown: ${again.reason}.`;
  if (!version) return '';
  const parts = { ...version.scores, ...version.metrics };
  const loads = `${counted(version.ids.length, 'load')} of the side ${version.side}`;
  const said = explainingNames.flatMap(name => {
    const part = parts[name];
    return part ? [`${saySignedMeasure(name, part.by_version)} of ${isScore(name) ? 'the ' : ''}${nameOf(name)}`] : [];
  });
  if (said.length === 0)
    return ` The effect of the Lighthouse version is unknown: ${loads}, audited again with Lighthouse ${version.audited_with}, returned no value.`;
  return ` The Lighthouse version accounts for ${joinWords(said)} (${loads}, audited again with Lighthouse ${version.audited_with}).`;
}
