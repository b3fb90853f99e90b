import { type Category, categoryNames, type MetricName, metricNames } from '../../contract/names.ts';
import type { MeasureChange } from '../../contract/stored/change-verdict.ts';
import { isMeasured, type MeasuredValue, tidy, toSorted } from '../../presentation/values.ts';
import { compareSamples, defaultConfidence, type SampleComparison, type SampleOptions } from './compare-samples.ts';
import { toFamilyPValues } from './family.ts';
import { type DecidingName, toOneSided, toVerdict, type Verdict } from './judge-change.ts';
import { toFewestRuns, toMoreRuns } from './more-runs.ts';
import {
  defaultSmallestEffects,
  directionOf,
  isScore,
  isTime,
  type MeasureName,
  type SmallestEffects,
  smallestEffectOf,
  toSmallest,
  unitOf,
} from './smallest-effect.ts';

/** Converts compared measures, by name, to those of the answer. */
export const toMeasures = (compared: Readonly<Partial<Record<MeasureName, MeasureComparison>>>) =>
  Object.fromEntries(
    Object.entries(compared).map(([name, { interval, confidence, ...measure }]): [string, MeasureChange] => [
      name,
      {
        unit: unitOf(name as MeasureName),
        ...measure,
        interval: interval && { low: interval[0], high: interval[1], confidence: confidence ?? 0 },
      },
    ]),
  );

/** Values of one run; null or absent if not measured. */
export type MeasuredRun = {
  readonly scores: { readonly [Name in Category]?: MeasuredValue };
  readonly metrics: { readonly [Name in MetricName]?: MeasuredValue };
};

export type MeasureComparison = SampleComparison & Pick<MeasureChange, 'p_value'>;

export type SetComparison = {
  readonly verdict: Verdict;
  readonly scores: { readonly [Name in Category]?: MeasureComparison };
  readonly metrics: { readonly [Name in MetricName]?: MeasureComparison };
  /** Deciding measures that only this side has. */
  readonly onlyOn: { readonly before: readonly DecidingName[]; readonly after: readonly DecidingName[] };
  /** Measures whose change is clear, but too small for a page whose files are the same. */
  readonly tooSmall: readonly MeasureName[];
};

export type SetOptions = {
  /** Measures to compare; default all scores and metrics. */
  readonly names?: readonly MeasureName[];
  readonly smallestEffects?: SmallestEffects;
  /** How often any measure is called better or worse if nothing changed; default 0.02. */
  readonly falseAlarms?: number;
  /** Sets of runs measured earlier, each of one unchanged page. */
  readonly earlier?: readonly (readonly MeasuredRun[])[];
  /** Whether conditions were the same in all runs, so that the score follows no random modes of a measure. */
  readonly isAlike?: boolean;
  /**
   * Multiple of the smallest effect that the whole interval of a score or a time must exceed to count as a change;
   * default 0, which only excludes zero. Larger values are for pages whose files are the same.
   */
  readonly sureEffects?: number;
  /** Multiple of the smallest effect that the interval of a time of the page may reach in `no_difference`; default 1. */
  readonly sameEffects?: number;
} & Pick<SampleOptions, 'usual'>;

const measureNames: readonly MeasureName[] = [...categoryNames, ...metricNames];
const valuesOf = (runs: readonly MeasuredRun[], name: MeasureName): (number | null)[] =>
  runs.map(({ scores, metrics }) => {
    const value = { ...scores, ...metrics }[name];
    return isMeasured(value) ? value : null;
  });

type SetSides = { readonly before: readonly MeasuredRun[]; readonly after: readonly MeasuredRun[] };

const toShared = ({ before, after }: SetSides, names: readonly MeasureName[]): MeasureName[] =>
  names.filter(name => [before, after].every(runs => valuesOf(runs, name).some(value => value !== null)));

const toPValues = (names: readonly MeasureName[], { before, after }: SetSides, effects: SmallestEffects): number[] =>
  toFamilyPValues(
    names.map(name => ({
      values: valuesOf([...before, ...after], name),
      smallest: median => toSmallest(smallestEffectOf(name, effects), median),
    })),
    before.length,
    after.length,
  );

/** Marks changes as undecided if they may be false alarms, given the number of measures. */
function holdBack(
  sides: SetSides,
  compared: ReadonlyMap<MeasureName, SampleComparison>,
  options: Required<Pick<SetOptions, 'smallestEffects' | 'falseAlarms'>>,
) {
  const { smallestEffects, falseAlarms } = options;
  const names = [...compared.keys()];
  const isClaimed = (name: MeasureName) => {
    const { by, status } = compared.get(name) as SampleComparison;
    return by === 'ranks' && (status === 'better' || status === 'worse');
  };
  const pValues = names.some(isClaimed) ? toPValues(names, sides, smallestEffects) : [];
  return names.map((name, at): [MeasureName, MeasureComparison] => {
    const comparison = compared.get(name) as SampleComparison;
    const pValue = isClaimed(name) ? tidy(pValues[at] ?? 1) : null;
    if (pValue === null || pValue <= falseAlarms) return [name, { ...comparison, p_value: pValue }];
    const [before, after] = [toSorted(valuesOf(sides.before, name)), toSorted(valuesOf(sides.after, name))];
    const smallest = comparison.min_effect ?? 0;
    const more_runs = toMoreRuns(before, after, { smallest, confidence: toShare(falseAlarms, names.length) });
    return [name, { ...comparison, status: 'undecided', more_runs, p_value: pValue }];
  });
}

/** Server response time is excluded: it does not depend on the files of the page. */
const isOfPage = (name: MeasureName): boolean =>
  name === 'performance' || (isTime(name) && name !== 'server_response_time');

/** Marks a change as undecided if its interval is too close to zero. @param effects `sureEffects` */
function toSure(
  [name, comparison]: [MeasureName, MeasureComparison],
  effects: number,
): [MeasureName, MeasureComparison] {
  const { status, interval, min_effect: smallest } = comparison;
  if ((status !== 'better' && status !== 'worse') || !isOfPage(name) || effects === 0) return [name, comparison];
  const nearest = interval ? Math.min(...interval.map(Math.abs)) : 0;
  // The variation of an unchanged page does not depend on the smallest effect that the user chose.
  const usual = toSmallest(smallestEffectOf(name), comparison.before ?? 0);
  return nearest >= effects * Math.max(smallest ?? 0, usual)
    ? [name, comparison]
    : [name, { ...comparison, status: 'undecided', more_runs: null }];
}

/** Confidence that each measure needs, if all share the false alarms equally. */
const toShare = (falseAlarms: number, measures: number): number => 1 - falseAlarms / Math.max(1, measures);

/** Number of runs by which one side lacks a measure more often for this to count. */
const fewestLost = 2;

/** Factor of the false-alarm rate at which the score overrules a measure that contradicts it. */
const overruling = 0.1;

/** Decides whether a page changed: every measure with its interval, and the verdict over all of them. */
export function compareSets(
  before: readonly MeasuredRun[],
  after: readonly MeasuredRun[],
  {
    names: wanted = measureNames,
    smallestEffects = defaultSmallestEffects,
    falseAlarms = 1 - defaultConfidence,
    earlier = [],
    isAlike = false,
    sureEffects = 0,
    sameEffects = 1,
    usual,
  }: SetOptions = {},
): SetComparison {
  const sides = { before, after };
  const names = toShared(sides, wanted);
  const alone = names.map((name): [MeasureName, SampleComparison] => [
    name,
    compareSamples(valuesOf(before, name), valuesOf(after, name), {
      direction: directionOf(name),
      smallestEffect: smallestEffectOf(name, smallestEffects),
      confidence: 1 - falseAlarms,
      familyConfidence: toShare(falseAlarms, names.length),
      hasOwnSame: isAlike,
      sameEffects: isTime(name) && isOfPage(name) ? sameEffects : 1,
      earlier: earlier.map(runs => valuesOf(runs, name)),
      ...(usual && { usual }),
    }),
  ]);
  const clear = holdBack(sides, new Map(alone), { smallestEffects, falseAlarms });
  const compared = clear.map(measure => toSure(measure, sureEffects));
  const tooSmall = clear.flatMap(([name, { status }], at) => (compared[at]?.[1].status === status ? [] : [name]));
  const areScores = (are: boolean) => Object.fromEntries(compared.filter(([name]) => isScore(name) === are));
  const overruleAt = isAlike ? falseAlarms : overruling * falseAlarms;
  const fewest = toFewestRuns(1 - overruleAt) - Math.min(before.length, after.length);
  const toMissing = (name: MeasureName, side: keyof SetSides) =>
    valuesOf(sides[side], name).filter(value => value === null).length / sides[side].length;
  /** Returns whether a side has a measure about as often as the other: two runs more may lack it on one side only. */
  const hasValue = (name: MeasureName, side: keyof SetSides) => {
    const missing = toMissing(name, side);
    const more = missing - toMissing(name, side === 'before' ? 'after' : 'before');
    return missing < 1 && more * sides[side].length < fewestLost;
  };
  const oneSided = toOneSided(hasValue);
  const verdict = toVerdict(new Map(compared), {
    overruleAt,
    moreRunsToOverrule: fewest > 0 ? fewest : null,
    oneSided,
    sameEffects,
  });
  const onlyOn = {
    before: oneSided.filter(name => hasValue(name, 'before')),
    after: oneSided.filter(name => hasValue(name, 'after')),
  };
  return { verdict, scores: areScores(true), metrics: areScores(false), onlyOn, tooSmall };
}
