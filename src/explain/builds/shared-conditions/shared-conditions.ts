/**
 * Finds the same conditions for two sides. Each input of a simulation is caused either by the page or by chance: server
 * latencies, processor speed, whether a file ended just before a paint. A condition that clearly differs between the
 * sides applies only to the loads of its side. Any other difference is chance, so all loads get the same condition.
 */

import type { FileFacts, FilePlace, LoadFacts } from '../../../contract/result/load-facts.ts';
import { toAllowance } from '../../change/rank-test.ts';
import { medianOf, toSorted } from '../../change/values.ts';

/** Positions of files relative to the paints, by URL without query. */
type Places = Readonly<Record<string, { readonly place: FilePlace; readonly priority: string }>>;

/** Conditions for simulating the loads of one side. */
export type Conditions = {
  /** Latencies in milliseconds, by origin. */
  readonly latencyMs: Readonly<Record<string, number>>;
  /** Equally likely positions of files: the values of a load are the means over them. */
  readonly scenarios: readonly Places[];
  /** Factor of the CPU throttling: 2 on the side whose processor is twice as fast as the other's. */
  readonly cpuFactor: number;
};

export type Sides<T> = { readonly before: T; readonly after: T };
type Facts = readonly LoadFacts[];

/** Confidence of a clear difference: at most one comparison in a hundred finds one by chance. */
const clearConfidence = 0.99;
/** Min difference of server latencies: less is jitter. */
const leastLatencyMs = 20;
/** Min amount of shared work for comparing processors. */
const leastCommonMs = 30;
/** Min difference of speed: less is noise of the processor's clock. */
const leastSpeedRatio = 1.1;

/**
 * Returns whether the sides clearly differ, by ranks: with five values each, every value of one side is beyond the
 * other side.
 * @param least min difference of the medians
 */
export function isApart(before: readonly number[], after: readonly number[], least = 0): boolean {
  if (before.length === 0 || after.length === 0) return false;
  const { pairs } = toAllowance(before.length, after.length, clearConfidence);
  const count = (isInOrder: (one: number, other: number) => boolean) =>
    before.reduce((sum, one) => sum + after.filter(other => !isInOrder(one, other)).length, 0);
  const isClear = [count((one, other) => one < other), count((one, other) => one > other)].some(
    wrong => wrong <= pairs,
  );
  return isClear && Math.abs(medianOf(toSorted(after)) - medianOf(toSorted(before))) >= least;
}

/** Returns the median; of two middle values, the lower one. */
function middleOf(values: readonly number[]): number {
  const sorted = toSorted(values);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}

const keysOf = (facts: Facts, toKeys: (load: LoadFacts) => object): Set<string> =>
  new Set(facts.flatMap(load => Object.keys(toKeys(load))));

/** Returns the median of each side if they clearly differ, otherwise the median of all values for both. */
function share(before: readonly number[], after: readonly number[], least?: number): Sides<number> {
  if (isApart(before, after, least)) return { before: middleOf(before), after: middleOf(after) };
  const both = middleOf([...before, ...after]);
  return { before: both, after: both };
}

function toLatencies({ before, after }: Sides<Facts>): Sides<Record<string, number>> {
  const shared: Sides<Record<string, number>> = { before: {}, after: {} };
  const of = (facts: Facts, origin: string) => facts.flatMap(({ latencyMs }) => latencyMs[origin] ?? []);
  for (const origin of keysOf([...before, ...after], ({ latencyMs }) => latencyMs)) {
    const latency = share(of(before, origin), of(after, origin), leastLatencyMs);
    shared.before[origin] = latency.before;
    shared.after[origin] = latency.after;
  }
  return shared;
}

const places: readonly FilePlace[] = ['first', 'largest', 'after'];

/** Returns the most frequent value; of equally frequent ones the first by name. */
function toUsual(values: readonly string[]): string {
  const counts = Map.groupBy(values, value => value);
  return [...counts].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0]?.[0] ?? '';
}

/** @param isOtherPage if false, both sides get the same priority, as they get the same positions */
function sharePriority(before: readonly string[], after: readonly string[], isOtherPage: boolean): Sides<string> {
  const usual = { before: toUsual(before), after: toUsual(after) };
  const isSteady = before.every(value => value === usual.before) && after.every(value => value === usual.after);
  // The numbers 0 and 1 represent the two priorities.
  const isOwn = isApart(
    before.map(() => 0),
    after.map(() => 1),
  );
  if (before.length === 0 || after.length === 0 || (isOtherPage && isSteady && isOwn)) return usual;
  const both = toUsual([...before, ...after]);
  return { before: both, after: both };
}

/** Value for a load that lacks the file. */
const missing = -1;

/** Returns whether any file differs: all loads of one side have it, or have more of it than all loads of the other. */
function hasOtherFiles({ before, after }: Sides<Facts>): boolean {
  const bytesOf = (facts: Facts, key: string) => facts.map(({ files }) => files[key]?.resourceBytes ?? missing);
  return [...keysOf([...before, ...after], ({ files }) => files)].some(key => {
    const [one, other] = [bytesOf(before, key), bytesOf(after, key)];
    return Math.max(...one) < Math.min(...other) || Math.max(...other) < Math.min(...one);
  });
}

/** Number of simulated scenarios: each takes a tenth of a second or more. */
const scenarioCount = 4;

const middle = (of: readonly FileFacts[], toValue: (file: FileFacts) => number): number => middleOf(of.map(toValue));

/** Returns the size of the shared files that were loaded before the largest contentful paint, in bytes. */
const toWeight = ({ files }: LoadFacts, shared: ReadonlySet<string>, bytes: ReadonlyMap<string, number>): number =>
  Object.entries(files).reduce(
    (sum, [key, { place }]) => sum + (shared.has(key) && place !== 'after' ? (bytes.get(key) ?? 0) : 0),
    0,
  );

/** Orders the loads of both sides by weight, and selects some at equal distances. */
function chooseLoads({ before, after }: Sides<Facts>, shared: ReadonlySet<string>): number[] {
  const all = [...before, ...after];
  const bytes = new Map(
    [...shared].map(key => [
      key,
      middle(
        all.flatMap(({ files }) => files[key] ?? []),
        file => file.bytes,
      ),
    ]),
  );
  const order = all
    .map((load, at) => ({ at, weight: toWeight(load, shared, bytes) }))
    .sort((one, other) => one.weight - other.weight || one.at - other.at)
    .map(({ at }) => at);
  const count = Math.min(scenarioCount, order.length);
  return Array.from({ length: count }, (_, at) => order[Math.floor(((at + 0.5) * order.length) / count)] as number);
}

/** Returns a single scenario if all are equal, and all of them otherwise. */
const withoutRepeats = (scenarios: readonly Places[]): readonly Places[] =>
  new Set(scenarios.map(places => JSON.stringify(places))).size === 1 ? scenarios.slice(0, 1) : scenarios;

/**
 * Returns scenarios of file positions. The files that a paint waited for vary randomly, and together, so the positions
 * in some loads of both sides are applied to all loads. A busy machine also moves files, in all of its loads. The sides
 * therefore have their own positions only if the files of the page differ: any cause in the page is in one of its
 * files.
 */
function toScenarios({ before, after }: Sides<Facts>): Sides<readonly Places[]> {
  const isOtherPage = hasOtherFiles({ before, after });
  const all = [...before, ...after];
  const of = (facts: Facts, key: string): FileFacts[] => facts.flatMap(({ files }) => files[key] ?? []);
  const keys = keysOf(all, ({ files }) => files);
  const placesOf = (files: readonly FileFacts[]) => files.map(({ place }) => places.indexOf(place));
  const shared = new Set([...keys].filter(key => of(before, key).length > 0 && of(after, key).length > 0));
  const isOwn = (key: string) =>
    isOtherPage && shared.has(key) && isApart(placesOf(of(before, key)), placesOf(of(after, key)));
  const own = new Set([...keys].filter(isOwn));
  const chosen = chooseLoads({ before, after }, shared);
  const priorities = new Map(
    [...keys].map(key => {
      const [one, other] = [before, after].map(facts => of(facts, key).map(({ priority }) => priority));
      return [key, sharePriority(one ?? [], other ?? [], isOtherPage)];
    }),
  );

  const toSide = (side: keyof Sides<unknown>, facts: Facts, offset: number): Places[] =>
    chosen.map(at => {
      const load = all[at] as LoadFacts;
      // Files of one side are positioned as in a load of that side: this load, or a different one.
      const ownLoad = at >= offset && at < offset + facts.length ? load : (facts[at % facts.length] as LoadFacts);
      const entries = [...keys].flatMap(key => {
        const files = of(facts, key);
        if (files.length === 0) return [];
        const usual = places[middleOf(placesOf(files))] ?? 'after';
        const from = shared.has(key) ? load : ownLoad;
        const place = own.has(key) ? usual : (from.files[key]?.place ?? usual);
        return [[key, { place, priority: priorities.get(key)?.[side] ?? '' }] as const];
      });
      return Object.fromEntries(entries);
    });
  return {
    before: withoutRepeats(toSide('before', before, 0)),
    after: withoutRepeats(toSide('after', after, before.length)),
  };
}

/** Bytes by which documents may differ because of headers and a date. */
const leastBytes = 1024;

/**
 * Returns whether both sides have the same script: it does the same work, so its CPU time shows the speed of the
 * processor.
 */
function isSameScript(before: readonly FileFacts[], after: readonly FileFacts[]): boolean {
  if (before.length === 0 || after.length === 0) return false;
  const bytes = (files: readonly FileFacts[]) => middleOf(files.map(file => file.resourceBytes));
  return Math.abs(bytes(before) - bytes(after)) < leastBytes;
}

/** Returns the CPU time of shared work for each load, in milliseconds. */
function toCommonWork({ before, after }: Sides<Facts>): Sides<number[]> {
  const keys = [...keysOf(before, ({ files }) => files)].filter(key =>
    isSameScript(
      before.flatMap(({ files }) => files[key] ?? []),
      after.flatMap(({ files }) => files[key] ?? []),
    ),
  );
  const sum = ({ files }: LoadFacts) => keys.reduce((work, key) => work + (files[key]?.cpuMs ?? 0), 0);
  return { before: before.map(sum), after: after.map(sum) };
}

/**
 * Returns factors of the CPU throttling that give both sides the slower processor. The benchmark indices must agree in
 * direction: otherwise the page changed the work of its scripts.
 */
function toCpuFactors(facts: Sides<Facts>): Sides<number> {
  const work = toCommonWork(facts);
  const indexOf = (side: Facts) => medianOf(toSorted(side.map(({ benchmarkIndex }) => benchmarkIndex)));
  const alike = { before: 1, after: 1 };
  const [before, after] = [medianOf(toSorted(work.before)), medianOf(toSorted(work.after))];
  const indexRatio = indexOf(facts.after) / indexOf(facts.before);
  if (Math.min(before, after) < leastCommonMs || !isApart(work.before, work.after) || !(indexRatio > 0)) return alike;
  const ratio = before / after;
  // The side after is faster if it needs less time and has the higher index.
  if (ratio >= leastSpeedRatio && indexRatio >= leastSpeedRatio) return { before: 1, after: ratio };
  if (ratio <= 1 / leastSpeedRatio && indexRatio <= 1 / leastSpeedRatio) return { before: 1 / ratio, after: 1 };
  return alike;
}

/** @param facts facts of each load, at least one for each side */
export function toSharedConditions(facts: Sides<Facts>): Sides<Conditions> {
  const [latencyMs, scenarios, cpuFactor] = [toLatencies(facts), toScenarios(facts), toCpuFactors(facts)];
  const of = (side: keyof Sides<unknown>): Conditions => ({
    latencyMs: latencyMs[side],
    scenarios: scenarios[side],
    cpuFactor: cpuFactor[side],
  });
  return { before: of('before'), after: of('after') };
}
