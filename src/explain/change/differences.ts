/** Finds differences in how two sides were measured. A verdict about the page must exclude or name them. */

import { type Category, categoryNames } from '../../contract/names.ts';
import type { FailedAudit, Result } from '../../contract/result/result.ts';
import type { Difference } from '../../contract/stored/change.ts';
import type { FlippedAudit } from '../../contract/stored/changed-loads.ts';
import type { HistoryChange } from '../../contract/stored/history.ts';
import { toFailedAudits } from '../../measure/lhr/failed-audits.ts';
import type { Lhr, LhrAudit } from '../../measure/lhr/lhr.ts';
import { medianOf, toSorted } from '../../presentation/values.ts';
import type { EntryFacts } from '../../storage/results/store.ts';

/* Reads the settings and the failed audits of a run from its JSON. Absent or malformed values are null. */

type RunSettings = ReturnType<typeof readRunSettings>;

const parse = (json: string): Partial<Result> => {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};

/** Formats settings as `simulate, 150 ms, 1638 kbit/s, CPU 4×`. */
function toThrottling(environment: Partial<Result['environment']>): string | null {
  const { throttling_method: method, cpu_slowdown_multiplier: cpu, network_throttling: network } = environment;
  if (typeof method !== 'string') return null;
  const parts = [
    method,
    ...(network ? [`${network.rtt_ms} ms`, `${Math.round(network.throughput_kbps)} kbit/s`] : []),
    ...(typeof cpu === 'number' ? [`CPU ${cpu}×`] : []),
  ];
  return parts.join(', ');
}

export function readRunSettings(json: string) {
  const { environment: given, failed_audits } = parse(json);
  const environment: Partial<Result['environment']> = given ?? {};
  const index = environment.benchmark_index;
  return {
    throttling: toThrottling(environment),
    benchmarkIndex: typeof index === 'number' && index > 0 ? index : null,
    failedAudits: Array.isArray(failed_audits) ? new Set(failed_audits.map(audit => audit?.id)) : null,
  };
}

type AuditedSide = { readonly lhr: Lhr; readonly settings: readonly RunSettings[] };

/** Max number of listed audits, to keep the answer small: enough for any real page. */
const maxListed = 60;
const maxTitle = 200;

type State = FlippedAudit['before'];

function toState(audit: LhrAudit): State {
  if (audit.scoreDisplayMode === 'notApplicable') return 'not_applicable';
  return audit.score === null ? 'not_scored' : 'passed';
}

/** Returns whether all runs of a side agree: for an audit near its threshold, one run proves nothing. */
const isSteady = (id: string, hasFailed: boolean, settings: readonly RunSettings[]): boolean =>
  settings.every(({ failedAudits }) => failedAudits === null || failedAudits.has(id) === hasFailed);

const toFailed = (lhr: Lhr, categories: readonly Category[]): Map<string, FailedAudit> =>
  new Map(toFailedAudits(lhr, categories).map(audit => [audit.id, audit]));

/** Returns audits that fail on one side only, in categories of both; audits that only one side has are not included. */
export function toFlippedAudits(before: AuditedSide, after: AuditedSide): FlippedAudit[] {
  const categories = categoryNames.filter(name => [before, after].every(({ lhr }) => lhr.categories[name]));
  const [failedBefore, failedAfter] = [toFailed(before.lhr, categories), toFailed(after.lhr, categories)];
  const toFlip = (failed: FailedAudit, other: AuditedSide): State | undefined => {
    const counterpart = other.lhr.audits[failed.id];
    return counterpart && toState(counterpart);
  };
  const isSure = (id: string, hadFailed: boolean) =>
    isSteady(id, hadFailed, before.settings) && isSteady(id, !hadFailed, after.settings);
  const flips = [
    ...[...failedAfter.values()]
      .filter(({ id }) => !failedBefore.has(id) && isSure(id, false))
      .map(failed => ({ failed, before: toFlip(failed, before), after: 'failed' as const })),
    ...[...failedBefore.values()]
      .filter(({ id }) => !failedAfter.has(id) && isSure(id, true))
      .map(failed => ({ failed, before: 'failed' as const, after: toFlip(failed, after) })),
  ];
  return flips
    .flatMap(({ failed: { id, title, categories: of }, before: was, after: is }) =>
      was && is ? [{ id, title: title.slice(0, maxTitle).toWellFormed(), categories: of, before: was, after: is }] : [],
    )
    .slice(0, maxListed);
}

export type MeasuredWith = { readonly entries: readonly EntryFacts[]; readonly settings: readonly RunSettings[] };

/** Returns a fact of an entry; null if unknown, in which case it is not compared. */
type ToValue = (entry: EntryFacts) => string | null;

/** Returns the minor version: scoring changes with it, while patches only fix bugs. */
export const toMinor = (version: string | null): string | null => version?.split('.').slice(0, 2).join('.') ?? null;

/** The URL of the embedded analyser is that of this service, which may change with each start. */
export const sayAnalyser = ({ kind, host }: EntryFacts['analyser']): string =>
  kind === 'custom' && host !== null ? `${kind} ${host}` : kind;

const facts: readonly (readonly [name: Difference['name'], toValue: ToValue, effect: Difference['effect']])[] = [
  ['url', ({ url }) => url, 'no_verdict'],
  ['strategy', ({ strategy }) => strategy, 'no_verdict'],
  ['source', ({ source }) => source, 'no_verdict'],
  // Local and uploaded results come from Lighthouse; settings, version and machine are compared separately.
  ['analyser', ({ analyser }) => (analyser.kind === 'uploaded' ? 'local' : sayAnalyser(analyser)), 'no_verdict'],
  ['profile', ({ profile }) => profile, 'no_verdict'],
  // No conditions are conditions, too.
  ['conditions', ({ conditions }) => conditions ?? 'none', 'no_verdict'],
];

/** Returns whether the points after a change of a history were measured otherwise. An unknown fact is no difference. */
export const isMeasuredOtherwise = ({ differences }: Pick<HistoryChange, 'differences'>): boolean =>
  differences.some(({ name, before, after }) => {
    if (before === null || after === null) return false;
    if (name === 'lighthouse_version') return toMinor(before) !== toMinor(after);
    return name === 'throttling' || facts.some(fact => fact[0] === name);
  });

const toSet = (values: readonly (string | null)[]): string[] =>
  [...new Set(values.filter(value => value !== null))].sort();

function toDifference(
  name: Difference['name'],
  [before, after]: readonly [(string | null)[], (string | null)[]],
  effect: Difference['effect'],
): Difference[] {
  const sets = { before: toSet(before), after: toSet(after) };
  const isUnknown = sets.before.length === 0 || sets.after.length === 0;
  const isSame = sets.before.join('\n') === sets.after.join('\n');
  return isUnknown || isSame ? [] : [{ name, ...sets, effect }];
}

/** @param isAlike whether all loads were audited again by one version */
function toVersions(before: readonly EntryFacts[], after: readonly EntryFacts[], isAlike: boolean): Difference[] {
  const versionsOf = (entries: readonly EntryFacts[]) => entries.map(({ analyser }) => analyser.lighthouseVersion);
  const [one, other] = [versionsOf(before), versionsOf(after)];
  const isMinor = toDifference('lighthouse_version', [one.map(toMinor), other.map(toMinor)], 'no_verdict').length > 0;
  return toDifference('lighthouse_version', [one, other], isMinor && !isAlike ? 'no_verdict' : 'possible_cause');
}

/** Max ratio of benchmark indices: beyond it, scores of the same page differ. */
const mostBenchmarkRatio = 1.2;

/**
 * A faster machine makes no page slower, and a slower one makes none faster.
 * @param isAlike whether all loads were simulated with one processor
 * @param direction of the change
 */
function toBenchmark(
  before: readonly RunSettings[],
  after: readonly RunSettings[],
  isAlike: boolean,
  direction: 'better' | 'worse' | undefined,
): Difference[] {
  const [one, other] = [before, after].map(settings => toSorted(settings.map(({ benchmarkIndex }) => benchmarkIndex)));
  if (!one?.length || !other?.length) return [];
  const [slow, fast] = toSorted([medianOf(one), medianOf(other)]) as [number, number];
  if (fast / slow <= mostBenchmarkRatio) return [];
  const isFaster = medianOf(other) > medianOf(one);
  if (direction === (isFaster ? 'worse' : 'better')) return [];
  const say = (sorted: readonly number[]) => [String(Math.round(medianOf(sorted)))];
  return [
    { name: 'benchmark_index', before: say(one), after: say(other), effect: isAlike ? 'possible_cause' : 'no_verdict' },
  ];
}

/**
 * Returns differences, those that prevent a verdict first.
 * @param isAlike whether all loads were simulated again under the same conditions
 * @param areBuilds whether two URLs are two builds of one page
 * @param direction of the change: what points the other way is no cause
 */
export function toDifferences(
  before: MeasuredWith,
  after: MeasuredWith,
  {
    isAlike = false,
    areBuilds = false,
    direction,
  }: { isAlike?: boolean; areBuilds?: boolean; direction?: 'better' | 'worse' | undefined } = {},
): Difference[] {
  const both = <T>(toValues: (side: MeasuredWith) => T[]): [T[], T[]] => [toValues(before), toValues(after)];
  const ofEntries = (toValue: ToValue) => both(({ entries }) => entries.map(toValue));
  const found = [
    ...facts
      .filter(([name]) => !(areBuilds && name === 'url'))
      .flatMap(([name, toValue, effect]) => toDifference(name, ofEntries(toValue), effect)),
    ...toDifference(
      'throttling',
      both(({ settings }) => settings.map(({ throttling }) => throttling)),
      'no_verdict',
    ),
    ...toVersions(before.entries, after.entries, isAlike),
    ...toBenchmark(before.settings, after.settings, isAlike, direction),
    ...toDifference(
      'browser_version',
      ofEntries(({ analyser }) => analyser.browserVersion),
      'possible_cause',
    ),
    ...toDifference(
      'machine_id',
      ofEntries(({ analyser }) => analyser.machineId),
      'possible_cause',
    ),
  ];
  return found.toSorted((a, b) => Number(a.effect === 'possible_cause') - Number(b.effect === 'possible_cause'));
}
