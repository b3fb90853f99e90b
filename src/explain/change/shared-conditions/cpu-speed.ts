/**
 * Finds the speed of the processor during each load. The CPU time of the same work varies by half or more, because
 * other programs and other virtual machines share the caches and the memory of a processor. Benchmark indices are
 * measured at a different time, so they hardly show it.
 */

import type { FileFacts } from '../../../contract/result/load-facts.ts';
import { medianOf, toSorted } from '../../../presentation/values.ts';
import { type FoundFileChange, middle, toFileChanges } from './file-changes.ts';
import { type Facts, keysOf, mayDiffer, type Sides } from './sides.ts';

const leastCommonMs = 30;
/** Min ratio between the speeds of the sides: a smaller one may be noise from changes in the clock rate. */
const leastSpeedRatio = 1.1;
/** Min CPU time of a part of the load whose speed can be compared. */
const leastPartMs = 10;
/** Max share of the work in parts that are not slower. */
const mostOthers = 0.1;
/** Share of the overall slowdown, on a logarithmic scale, that every part of the load has on a slower processor. */
const leastPartShare = 1 / 3;
/** Max ratio of the speeds that the indices do not show: programs that share a processor slow its work down by less. */
const mostWithoutIndex = 2.5;
/** Max factor of a load relative to its side: beyond it, the load did different work. */
const mostOwnFactor = 2;

/**
 * Returns whether both sides have the same content: it does the same work unless it gets different data. A single byte
 * that every load of one side has more shows a new version of a script.
 */
function isSame(before: readonly FileFacts[], after: readonly FileFacts[]): boolean {
  if (before.length === 0 || after.length === 0) return false;
  const bytes = (files: readonly FileFacts[]) => files.map(file => file.resourceBytes);
  const [one, other] = [bytes(before), bytes(after)];
  return Math.max(...one) >= Math.min(...other) && Math.max(...other) >= Math.min(...one);
}

const toSharedScripts = ({ before, after }: Sides<Facts>): string[] =>
  [...keysOf(before, ({ files }) => files)].filter(key => {
    const of = (facts: Facts) => facts.flatMap(({ files }) => files[key] ?? []);
    const [one, other] = [of(before), of(after)];
    return one.length === before.length && other.length === after.length && isSame(one, other);
  });

/** Returns the larger parts of a load as medians of each side: shared scripts, and all work other than scripts. */
function toParts({ before, after }: Sides<Facts>, scripts: readonly string[]): (readonly [number, number])[] {
  const cpuOf = (key: string) => (load: Facts[number]) => load.files[key]?.cpuMs ?? 0;
  return [...scripts.map(cpuOf), ({ otherCpuMs }: Facts[number]) => otherCpuMs]
    .map(toMs => [middle(before.map(toMs)), middle(after.map(toMs))] as const)
    .filter(([one, other]) => Math.min(one, other) >= leastPartMs);
}

const toTotal = (parts: readonly (readonly [number, number])[]): number =>
  parts.reduce((sum, [one, other]) => sum + one + other, 0);

/** Returns whether all parts take longer on the slower side, except small ones, which vary more. */
function isSlowerThroughout(parts: readonly (readonly [number, number])[], ratio: number): boolean {
  const others = parts.filter(([one, other]) => Math.log(one / other) / Math.log(ratio) < leastPartShare);
  return toTotal(others) <= mostOthers * toTotal(parts);
}

const passiveTypes: ReadonlySet<string> = new Set(['Image', 'Font', 'Media', 'Stylesheet']);

/** Returns whether data, a document or a script grew or shrank, which may give more or less work to other scripts. */
const hasOtherInput = (changes: readonly FoundFileChange[], isMore: boolean): boolean =>
  changes.some(
    ({ kind, type, resourceBytes: { before, after } }) =>
      ['added', 'removed', 'size'].includes(kind) && !passiveTypes.has(type) && after > before === isMore,
  );

/**
 * Returns whether the processor of one side was slower, rather than its page: every part of a load takes longer then,
 * and the benchmark indices agree, or so do the parts besides the largest one, which got no more to do. A script with
 * more to do slows down alone, and the index is measured at another moment, so it says nothing by itself.
 * @param ratio shared work of the side before, divided by that of the side after
 */
function isProcessor(facts: Sides<Facts>, scripts: readonly string[], ratio: number): boolean {
  const parts = toParts(facts, scripts);
  if (!isSlowerThroughout(parts, ratio)) return false;
  const indexOf = (side: Facts) => medianOf(toSorted(side.map(({ benchmarkIndex }) => benchmarkIndex)));
  const indexRatio = indexOf(facts.after) / indexOf(facts.before);
  // The side after is faster if it needs less time and has the higher index.
  if (ratio > 1 ? indexRatio >= leastSpeedRatio : indexRatio <= 1 / leastSpeedRatio) return true;
  const [, ...others] = parts.toSorted((a, b) => toTotal([b]) - toTotal([a]));
  return (
    others.length > 0 &&
    Math.max(ratio, 1 / ratio) <= mostWithoutIndex &&
    isSlowerThroughout(others, ratio) &&
    !hasOtherInput(toFileChanges(facts), ratio < 1)
  );
}

/** Types of files that give a page hardly any work on its main thread. */
const idleTypes: ReadonlySet<string> = new Set(['Image', 'Font', 'Media']);

/** Returns whether any other file differs, even by a byte. */
const hasOtherWork = ({ before, after }: Sides<Facts>): boolean =>
  [...keysOf([...before, ...after], ({ files }) => files)].some(key => {
    const of = (facts: Facts) => facts.flatMap(({ files }) => files[key] ?? []);
    const [one, other] = [of(before), of(after)];
    return !idleTypes.has((one[0] ?? other[0])?.type ?? '') && !isSame(one, other);
  });

/**
 * Returns the CPU time of each load that all loads share: that of the same scripts. If these take little time, and no
 * file changed that gives the page work, it is that of all tasks.
 */
function toSharedWork(facts: Sides<Facts>, scripts: readonly string[]): Sides<number[]> {
  const ofScripts = ({ files }: Facts[number]) => scripts.reduce((sum, key) => sum + (files[key]?.cpuMs ?? 0), 0);
  const work = { before: facts.before.map(ofScripts), after: facts.after.map(ofScripts) };
  const isEnough = Math.min(middle(work.before), middle(work.after)) >= leastCommonMs;
  if (isEnough || hasOtherWork(facts)) return work;
  const ofAll = (load: Facts[number]) => ofScripts(load) + load.otherCpuMs;
  return { before: facts.before.map(ofAll), after: facts.after.map(ofAll) };
}

/** Returns the factor of each load, from the work of all loads of a side. */
function toLoadFactors(workMs: readonly number[], targetMs: number): number[] {
  const usualMs = middle(workMs);
  const toOwn = (ms: number) => Math.min(mostOwnFactor, Math.max(1 / mostOwnFactor, usualMs / ms));
  return workMs.map(ms => (targetMs / usualMs) * toOwn(ms));
}

/**
 * Returns factors with which the shared work of all loads takes the same CPU time: that of the slower side if the
 * sides may differ, otherwise the median. All factors are 1 if there is too little shared work, or if the page
 * itself gave its scripts different work.
 */
export function toCpuFactors(facts: Sides<Facts>) {
  const { before, after } = facts;
  const scripts = toSharedScripts(facts);
  const work = toSharedWork(facts, scripts);
  const [beforeMs, afterMs] = [middle(work.before), middle(work.after)];
  const alike = {
    loads: { before: before.map(() => 1), after: after.map(() => 1) },
    sides: { before: 1, after: 1 },
  };
  if (!(Math.min(beforeMs, afterMs) >= leastCommonMs)) return alike;
  const ratio = beforeMs / afterMs;
  const isClear = mayDiffer(work.before, work.after) && Math.max(ratio, 1 / ratio) >= leastSpeedRatio;
  if (isClear && !isProcessor(facts, scripts, ratio)) return alike;
  const targetMs = isClear ? Math.max(beforeMs, afterMs) : middle([...work.before, ...work.after]);
  return {
    loads: { before: toLoadFactors(work.before, targetMs), after: toLoadFactors(work.after, targetMs) },
    sides: isClear ? { before: targetMs / beforeMs, after: targetMs / afterMs } : alike.sides,
  };
}
