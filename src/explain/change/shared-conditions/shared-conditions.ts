/**
 * Finds the same conditions for two sides. Each input of a simulation is caused either by the page or by chance: server
 * latencies, processor speed, whether a file ended just before a paint. A condition that clearly differs between the
 * sides applies only to the loads of its side. Any other difference is chance, so all loads get the same condition.
 */

import type { FileFacts, FilePlace, LoadFacts } from '../../../contract/result/load-facts.ts';
import { toCpuFactors } from './cpu-speed.ts';
import { alignNames, type Facts, isApart, keysOf, mayDiffer, middleOf, type Sides } from './sides.ts';

/** Positions of files relative to the paints, by URL without query. */
type Places = Readonly<Record<string, { readonly place: FilePlace; readonly priority: string }>>;

export type Conditions = {
  /** Latencies in milliseconds, by origin. */
  readonly latencyMs: Readonly<Record<string, number>>;
  /** Observed speed index in milliseconds; null if a load has none. */
  readonly speedIndexMs: number | null;
  /** Equally likely positions of files: the values of a load are the means over them. */
  readonly scenarios: readonly Places[];
  /** Factor of the CPU throttling of each load, in the order of the facts. */
  readonly cpuFactors: readonly number[];
  /** Typical factor of the side: 2 if its processor is twice as fast as the other's. */
  readonly cpuFactor: number;
};

/** Min difference of times: less is jitter. */
const leastMs = 20;
/** A slower processor also serves the proxy: half a processor for 25 requests at once added 80 ms of latency. */
const leastMsIfSlower = 100;
/**
 * Min ratios of benchmark indices that may show a slower processor: work that waits for one takes no more CPU time. An
 * index varies by chance, and a real change of latency must not be lost for that.
 */
const [leastIndexRatioForFrames, leastIndexRatioForLatency] = [1.1, 1.5];

/** Returns the side that may have had a slower processor, by the CPU time of the same work, or by benchmark indices. */
function toSlowerSide(
  { before, after }: Sides<Facts>,
  cpu: Sides<number>,
  leastIndexRatio: number,
): keyof Sides<unknown> | undefined {
  if (cpu.before !== cpu.after) return cpu.before < cpu.after ? 'before' : 'after';
  const of = (side: Facts) => side.flatMap(({ benchmarkIndex }) => benchmarkIndex ?? []);
  const [one, other] = [of(before), of(after)];
  const least = (leastIndexRatio - 1) * Math.min(middleOf(one), middleOf(other));
  if (!isApart(one, other, least)) return undefined;
  return middleOf(one) < middleOf(other) ? 'before' : 'after';
}

/** Returns the median of each side if they may differ, otherwise the median of all values for both. */
function share(before: readonly number[], after: readonly number[], least?: number): Sides<number> {
  if (mayDiffer(before, after, least)) return { before: middleOf(before), after: middleOf(after) };
  const both = middleOf([...before, ...after]);
  return { before: both, after: both };
}

function toLatencies(
  { before, after }: Sides<Facts>,
  slower: keyof Sides<unknown> | undefined,
): Sides<Record<string, number>> {
  const shared: Sides<Record<string, number>> = { before: {}, after: {} };
  const of = (facts: Facts, origin: string) => facts.flatMap(({ latencyMs }) => latencyMs[origin] ?? []);
  for (const origin of keysOf([...before, ...after], ({ latencyMs }) => latencyMs)) {
    const own = { before: of(before, origin), after: of(after, origin) };
    const later = middleOf(own.before) > middleOf(own.after) ? 'before' : 'after';
    const latency = share(own.before, own.after, later === slower ? leastMsIfSlower : leastMs);
    shared.before[origin] = latency.before;
    shared.after[origin] = latency.after;
  }
  return shared;
}

const places: readonly FilePlace[] = ['first', 'largest', 'after'];

/** Returns the most frequent value; in a tie, the first by name. */
function toUsual(values: readonly string[]): string {
  const counts = Map.groupBy(values, value => value);
  return [...counts].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0]?.[0] ?? '';
}

/** @param isOtherPage if false, both sides get the same priority, just as they get the same positions */
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

  const toSide = (side: keyof Sides<unknown>, facts: Facts): Places[] =>
    chosen.map(at => {
      const load = all[at] as LoadFacts;
      const entries = [...keys].flatMap(key => {
        const found = placesOf(of(facts, key));
        // A file of one side has its place there. If chance decides that, each of these loads keeps its own.
        if (found.length === 0 || (!shared.has(key) && new Set(found).size > 1)) return [];
        const usual = places[middleOf(found)] as FilePlace;
        const place = own.has(key) ? usual : (load.files[key]?.place ?? usual);
        return [[key, { place, priority: priorities.get(key)?.[side] ?? '' }] as const];
      });
      return Object.fromEntries(entries);
    });
  return {
    before: withoutRepeats(toSide('before', before)),
    after: withoutRepeats(toSide('after', after)),
  };
}

/**
 * Returns the observed speed index of each side. The moments at which frames are painted vary, so the sides differ only
 * if the files of the page do, and not if one side had a slower processor.
 */
function toSpeedIndices(facts: Sides<Facts>, isSameSpeed: boolean): Sides<number | null> {
  const of = (side: Facts) => side.flatMap(({ observedSpeedIndex }) => observedSpeedIndex ?? []);
  const [before, after] = [of(facts.before), of(facts.after)];
  if (before.length < facts.before.length || after.length < facts.after.length) return { before: null, after: null };
  if (isSameSpeed && hasOtherFiles(facts)) return share(before, after, leastMs);
  const both = middleOf([...before, ...after]);
  return { before: both, after: both };
}

/** @param given facts of each load, at least one for each side */
export function toSharedConditions(given: Sides<Facts>): Sides<Conditions> {
  const { facts, toNameBefore } = alignNames(given);
  const rename = (places: Places): Places =>
    Object.fromEntries(Object.entries(places).map(([url, place]) => [toNameBefore(url), place]));
  const [scenarios, cpu] = [toScenarios(facts), toCpuFactors(facts)];
  const latencyMs = toLatencies(facts, toSlowerSide(facts, cpu.sides, leastIndexRatioForLatency));
  const speedIndexMs = toSpeedIndices(facts, toSlowerSide(facts, cpu.sides, leastIndexRatioForFrames) === undefined);
  const of = (side: keyof Sides<unknown>): Conditions => ({
    latencyMs: latencyMs[side],
    speedIndexMs: speedIndexMs[side],
    scenarios: side === 'before' ? scenarios.before.map(rename) : scenarios.after,
    cpuFactors: cpu.loads[side],
    cpuFactor: cpu.sides[side],
  });
  return { before: of('before'), after: of('after') };
}
