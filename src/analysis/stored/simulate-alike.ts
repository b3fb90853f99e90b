/** Simulates the stored loads of both sides under the same conditions. No page is loaded. */

import { LRUCache } from 'lru-cache';
import type { LoadFacts } from '../../contract/result/load-facts.ts';
import { type AlikeLoad, type AlikeLoads, averageAudits } from '../../explain/change/shared-conditions/alike-loads.ts';
import type { FileEffect, FoundFileChange } from '../../explain/change/shared-conditions/file-changes.ts';
import { findChanges } from '../../explain/change/shared-conditions/judge-alike.ts';
import { toAbsolute, toFileUrl, toRelative } from '../../explain/change/shared-conditions/page-relative.ts';
import { type Conditions, toSharedConditions } from '../../explain/change/shared-conditions/shared-conditions.ts';
import type { Sides } from '../../explain/change/shared-conditions/sides.ts';
import { type PageChanges, type ReAuditSettings, wholeScore } from '../../measure/lighthouse/messages.ts';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ReAuditResult } from '../../measure/lighthouse/replies.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';
import { settle } from '../outcome.ts';
import { adoptStored } from './adopt-stored.ts';
import type { FoundSide } from './find-sides.ts';

/** Max number of files that are simulated: each takes a fraction of a second. */
const mostFiles = 6;
/** Bytes of a response without content. */
const leastBytes = 300;

const scoreOf = ({ audited }: AlikeLoad): number => audited[wholeScore]?.score ?? 0;

/** Returns the index of the load in the middle of a side. */
const middleOf = (loads: readonly AlikeLoad[]): number =>
  [...loads.keys()].toSorted((one, other) => scoreOf(loads[one] as AlikeLoad) - scoreOf(loads[other] as AlikeLoad))[
    Math.floor(loads.length / 2)
  ] ?? 0;

/** Returns the ways to undo a change in a load, the best first; none if no simulation can. */
function undo({ kind, bytes, cpuMs }: FoundFileChange, url: string): Partial<PageChanges>[] {
  const [here, there] = kind === 'removed' ? (['before', 'after'] as const) : (['after', 'before'] as const);
  const scriptShares = cpuMs[here] > 0 ? { [url]: cpuMs[there] / cpuMs[here] } : {};
  const asThere = { transferSizes: { [url]: Math.max(leastBytes, Math.round(bytes[there])) }, scriptShares };
  if (kind === 'requests') return [];
  if (kind === 'work') return [{ scriptShares }];
  return kind === 'added' || kind === 'removed' ? [{ without: [url] }, asThere] : [asThere];
}

type AuditOf = (
  side: keyof Sides<unknown>,
  at: number,
  change: (settings: ReAuditSettings) => readonly ReAuditSettings[],
) => Promise<readonly ReAuditResult[] | undefined>;

function toEffect(base: ReAuditResult | undefined, undone: ReAuditResult, isBefore: boolean): FileEffect | undefined {
  const [one, other] = isBefore ? [undone, base] : [base, undone];
  const differenceOf = (id: string, key: 'score' | 'value') =>
    (one?.[id]?.[key] ?? Number.NaN) - (other?.[id]?.[key] ?? Number.NaN);
  const points = 100 * differenceOf(wholeScore, 'score');
  const [largestPaintMs, blockingMs] = ['largest-contentful-paint', 'total-blocking-time'].map(id =>
    differenceOf(id, 'value'),
  );
  if (Number.isNaN(points)) return undefined;
  return { points, largestPaintMs: largestPaintMs || 0, blockingMs: blockingMs || 0 };
}

/**
 * Returns what each of the largest changed files explains, by its name: a load of a side is simulated with the file as
 * on the other side, and the difference is the part of this file.
 * @param audit audits a load of a side with changed settings
 */
async function toFileEffects(
  sides: Sides<readonly AlikeLoad[]>,
  audit: AuditOf,
): Promise<ReadonlyMap<string, FileEffect>> {
  const effects = new Map<string, FileEffect>();
  const changes = findChanges(sides).files.slice(0, mostFiles);
  for (const side of ['before', 'after'] as const) {
    const at = middleOf(sides[side]);
    const url = sides[side][at]?.entry.url ?? '';
    const tried = changes
      .filter(({ kind }) => (kind === 'removed') === (side === 'before'))
      .flatMap(change => undo(change, toFileUrl(change.url, url)).map(page => ({ name: change.url, page })));
    if (tried.length === 0) continue;
    const [base, ...undone] =
      (await audit(side, at, settings => [
        settings,
        ...tried.map(({ page }) => ({
          ...settings,
          page: { without: [], transferSizes: {}, scriptShares: {}, ...settings.page, ...page },
        })),
      ])) ?? [];
    for (const [index, { name }] of tried.entries()) {
      const effect = toEffect(base, undone[index] ?? {}, side === 'before');
      if (effect && !effects.has(name)) effects.set(name, effect);
    }
  }
  return effects;
}

export type AlikeSources = { local: Pick<LocalAnalyser, 'adopt' | 'readFacts' | 'reAudit' | 'release'> };

/**
 * Simulates the loads of both sides; undefined if they cannot be simulated again, because their artifacts were removed
 * or they were not simulated.
 */
export type SimulateAlike = (
  store: ResultStore,
  sides: readonly [before: FoundSide, after: FoundSide],
  options: { readonly signal: AbortSignal; readonly areBuilds: boolean },
) => Promise<AlikeLoads | undefined>;

/** Max number of loads per side, newest first. Each takes a slot for about a second. */
const mostLoads = 10;
/** Max duration in milliseconds; after it, the comparison uses the measured values. */
const mostMs = 60_000;
/** Size of the cache: the facts of a load are a few kilobytes. */
const mostFacts = 1000;
const mostSimulated = 200;

type Load = { readonly entry: EntryFacts; readonly facts: LoadFacts };

/** Returns the settings for each scenario. @param at index of the load on its side */
const toAlikeSettings = (
  { latencyMs, scenarios, cpuFactors, speedIndexMs }: Conditions,
  at: number,
): ReAuditSettings[] =>
  scenarios.map(places => ({
    cpuFactor: cpuFactors[at] ?? 1,
    ...(speedIndexMs === null ? {} : { observedSpeedIndex: speedIndexMs }),
    latency: {
      additionalRttByOrigin: Object.fromEntries(Object.keys(latencyMs).map(origin => [origin, 0])),
      serverResponseTimeByOrigin: latencyMs,
    },
    page: { without: [], transferSizes: {}, scriptShares: {}, withoutWait: true, places },
  }));

/**
 * Returns the means of one load over its scenarios. Equal scenarios are simulated once.
 * @param audit audits the load with each of these settings
 * @returns undefined if the load cannot be simulated
 */
export async function simulateScenarios(
  settings: readonly ReAuditSettings[],
  audit: (distinct: readonly ReAuditSettings[]) => Promise<readonly ReAuditResult[] | undefined>,
): Promise<ReAuditResult | undefined> {
  const keys = settings.map(one => JSON.stringify(one));
  const distinct = [...new Set(keys)];
  const results = (await audit(distinct.map(key => settings[keys.indexOf(key)] as ReAuditSettings))) ?? [];
  return averageAudits(keys.map(key => results[distinct.indexOf(key)] ?? {}));
}

/** Returns whether the loads represent their side: all of its runs, or enough of them. */
const isEnough = (loads: readonly Load[], { entries }: FoundSide): boolean =>
  loads.length >= Math.min(entries.length, mostLoads, 3);

/** @param areBuilds whether two URLs are two builds of one page */
const isComparable = ([before, after]: readonly [FoundSide, FoundSide], areBuilds: boolean): boolean => {
  const [first] = before.entries;
  return [...before.entries, ...after.entries].every(
    ({ source, url, strategy, profile }) =>
      source === 'lighthouse' &&
      (areBuilds || url === first?.url) &&
      strategy === first?.strategy &&
      profile === first.profile,
  );
};

export function createSimulateAlike({ local }: AlikeSources): SimulateAlike {
  const known = new LRUCache<string, LoadFacts>({ max: mostFacts });
  // Simulations are cached, because the page requests the same comparison repeatedly.
  const simulated = new LRUCache<string, ReAuditResult>({ max: mostSimulated });
  const effectsOf = new LRUCache<string, readonly ReAuditResult[]>({ max: mostSimulated });

  async function using<T>(
    { store, id, signal }: { store: ResultStore; id: string; signal: AbortSignal },
    work: (artifacts: string) => Promise<T>,
  ): Promise<T | undefined> {
    const artifacts = await adoptStored(store, local, id);
    if (artifacts === undefined) return undefined;
    try {
      const outcome = await settle(work(artifacts), signal);
      return outcome.ok ? outcome.value : undefined;
    } finally {
      await local.release(artifacts);
    }
  }

  async function readLoad(store: ResultStore, entry: EntryFacts, signal: AbortSignal): Promise<Load | undefined> {
    const { id } = entry;
    const facts =
      known.get(id) ?? (await using({ store, id, signal }, artifacts => local.readFacts(artifacts, signal)));
    if (!facts?.isSimulated) return undefined;
    known.set(id, facts);
    return { entry, facts: toRelative(facts, entry.url) };
  }

  async function readSide(store: ResultStore, side: FoundSide, signal: AbortSignal): Promise<Load[] | undefined> {
    const loads: Load[] = [];
    for (const entry of [...side.entries, ...side.history]) {
      if (loads.length === mostLoads) break;
      const load = await readLoad(store, entry, signal);
      if (load) loads.push(load);
    }
    return isEnough(loads, side) ? loads : undefined;
  }

  /** Audits a load with each of these settings. */
  async function auditCached(store: ResultStore, id: string, all: readonly ReAuditSettings[], signal: AbortSignal) {
    const key = JSON.stringify([id, all]);
    const audited =
      effectsOf.get(key) ?? (await using({ store, id, signal }, artifacts => local.reAudit(artifacts, all, signal)));
    if (audited) effectsOf.set(key, audited);
    return audited;
  }

  async function simulate(store: ResultStore, loads: readonly Load[], conditions: Conditions, signal: AbortSignal) {
    const runs: AlikeLoads['before'][number][] = [];
    for (const [at, { entry, facts }] of loads.entries()) {
      const settings = toAlikeSettings(toAbsolute(conditions, entry.url), at);
      const key = JSON.stringify([entry.id, settings]);
      const audit = (distinct: readonly ReAuditSettings[]) =>
        using({ store, id: entry.id, signal }, artifacts => local.reAudit(artifacts, distinct, signal));
      const audited = simulated.get(key) ?? (await simulateScenarios(settings, audit));
      if (!audited) continue;
      simulated.set(key, audited);
      runs.push({ entry, audited, facts, cpuFactor: conditions.cpuFactors[at] ?? 1 });
    }
    return runs;
  }

  async function simulateBoth(store: ResultStore, sides: Parameters<SimulateAlike>[1], signal: AbortSignal) {
    const before = await readSide(store, sides[0], signal);
    const after = before && (await readSide(store, sides[1], signal));
    if (!before || !after) return undefined;
    const factsOf = (loads: readonly Load[]) => loads.map(({ facts }) => facts);
    const conditions: Sides<Conditions> = toSharedConditions({ before: factsOf(before), after: factsOf(after) });
    const runsBefore = await simulate(store, before, conditions.before, signal);
    const runsAfter = await simulate(store, after, conditions.after, signal);
    const isWhole = runsBefore.length === before.length && runsAfter.length === after.length;
    if (!isWhole) return undefined;
    const cpuFactor = { before: conditions.before.cpuFactor, after: conditions.after.cpuFactor };
    const runs = { before: runsBefore, after: runsAfter };
    const effects = await toFileEffects(runs, async (side, at, change) => {
      const { entry } = runs[side][at] as AlikeLoad;
      const scenarios = toAlikeSettings(toAbsolute(conditions[side], entry.url), at);
      const each: (readonly ReAuditResult[])[] = [];
      for (const settings of new Map(scenarios.map(one => [JSON.stringify(one), one])).values())
        each.push((await auditCached(store, entry.id, change(settings), signal)) ?? []);
      // In some scenarios, a file ends after the paint that it delays in others.
      return each[0]?.map((_, index) => averageAudits(each.map(results => results[index] ?? {})) ?? {});
    });
    return { ...runs, cpuFactor, effects };
  }

  return async (store, sides, { signal, areBuilds }) => {
    if (!isComparable(sides, areBuilds)) return undefined;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(mostMs)]);
    const both = await settle(simulateBoth(store, sides, ends), signal);
    return both.ok ? both.value : undefined;
  };
}
