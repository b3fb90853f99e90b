/** Converts a result, a failure of a page or a comparison into the form of the store: searchable facts and JSON. */

import type { AnalysisError } from '../../contract/errors.ts';
import { categoryNames, metricNames } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { toShown } from '../../presentation/undisturbed.ts';
import type { AnalyserIdentity, Entry, EntryFacts } from '../../storage/results/store.ts';

/** The request of a measurement: URL, settings and label. */
export type Measuring = Pick<Entry, 'url' | 'strategy' | 'profile' | 'label' | 'conditions'>;

type EntryPlace = Pick<Entry, 'id' | 'kind' | 'groupId'>;

export const valuesOf = <Name extends string>(names: readonly Name[], toValue: (name: Name) => number | null) =>
  Object.fromEntries(names.map(name => [name, toValue(name)])) as Record<Name, number | null>;

/** Facts of an entry without measured values. */
const unmeasured = {
  scores: valuesOf(categoryNames, () => null),
  metrics: valuesOf(metricNames, () => null),
  customMetrics: null,
  disturbed: null,
  cpuSlowdown: null,
  benchmarkIndex: null,
  performanceRange: null,
  errorCode: null,
  pageStatus: null,
};

const hostOf = (url: string): string => new URL(url).host;

/** Returns the analyser and its environment. The machine is known only for audits that run here. */
const toIdentity = ({ analyser, lighthouse_version, environment }: Result, machineId: string): AnalyserIdentity => {
  const isHere = analyser.kind === 'local' || analyser.kind === 'embedded';
  return {
    kind: analyser.kind,
    host: analyser.host ?? null,
    lighthouseVersion: lighthouse_version,
    browserVersion: /Chrome\/([\d.]+)/.exec(environment.user_agent ?? '')?.[1] ?? null,
    machineId: isHere ? machineId : null,
  };
};

/** Returns the range over the runs of a result, or over earlier results of its page. */
export const toPerformanceRange = ({ runs, spread }: Result): EntryFacts['performanceRange'] => {
  const range = runs?.scores.performance ?? spread?.scores.performance;
  return range ? { min: range.min, max: range.max } : null;
};

/** Returns the facts of a result. For a disturbed load, they are the known values without the disturbance. */
export const toResultFacts = (
  result: Result,
  { place, measuring, machineId }: { place: EntryPlace; measuring: Measuring; machineId: string },
): EntryFacts => ({
  ...unmeasured,
  ...place,
  ...measuring,
  host: hostOf(measuring.url),
  source: result.source,
  analyser: toIdentity(result, machineId),
  measuredAtMs: Date.parse(result.fetched_at),
  scores: valuesOf(categoryNames, name => toShown(result, name).value),
  metrics: valuesOf(metricNames, name => toShown(result, name).value),
  customMetrics: result.custom_metrics ?? null,
  disturbed: result.disturbed ?? null,
  cpuSlowdown: result.environment.cpu_slowdown_multiplier,
  benchmarkIndex: result.environment.benchmark_index,
  performanceRange: toPerformanceRange(result),
});

type UnmeasuredFacts = { place: EntryPlace; measuring: Measuring } & Pick<
  EntryFacts,
  'source' | 'analyser' | 'measuredAtMs'
>;

export const toFailureFacts = (error: AnalysisError, { place, measuring, ...facts }: UnmeasuredFacts): EntryFacts => ({
  ...unmeasured,
  ...place,
  ...measuring,
  ...facts,
  host: hostOf(measuring.url),
  errorCode: error.code,
  pageStatus: error.pageStatus ?? null,
});

/** Returns the facts of a comparison. Its two results are stored separately, with their values. */
export const toComparisonFacts = ({
  place,
  measuring,
  ...facts
}: Omit<UnmeasuredFacts, 'source'> & { disturbed: boolean | null }): EntryFacts => ({
  ...unmeasured,
  ...place,
  ...measuring,
  ...facts,
  host: hostOf(measuring.url),
  source: 'compare',
});
