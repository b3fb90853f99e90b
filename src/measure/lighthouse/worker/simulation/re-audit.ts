/**
 * Audits the same load again with different settings, in the worker. Lighthouse's own files (`lighthouse -G`, `-A`) in
 * a folder of the run contain the artifacts, so no page is loaded and no browser is needed. The modules are internal to
 * Lighthouse: its version is pinned, and re-audit.test.ts detects changes.
 */

import type { Config } from 'lighthouse';
import { NetworkAnalysis } from 'lighthouse/core/computed/network-analysis.js';
import { ProcessedNavigation } from 'lighthouse/core/computed/processed-navigation.js';
import { Speedline } from 'lighthouse/core/computed/speedline.js';
import { initializeConfig } from 'lighthouse/core/config/config.js';
import { loadArtifacts, saveArtifacts } from 'lighthouse/core/lib/asset-saver.js';
import { Runner } from 'lighthouse/core/runner.js';
import type { FileFacts, LoadFacts } from '../../../../contract/result/load-facts.ts';
import type { WhatIfFacts } from '../../../../contract/stored/what-if-order.ts';
import { type PageChanges, type ReAuditOrder, type ReAuditSettings, wholeScore } from '../../messages.ts';
import type { ReAuditResult } from '../../replies.ts';
import { changeGraph, cpuShareOf, keyOf, scriptWorkOf } from './change-graph.ts';
import { findClockScripts } from './clock-loops.ts';
import { toFirstRuns, toPlace } from './file-places.ts';
import {
  type Artifacts,
  type ComputedCache,
  type Context,
  collect,
  type GraphNode,
  type NetworkNode,
  type Paints,
  requestGraph,
  requestPaints,
} from './load-graph.ts';
import { whatIf } from './what-if.ts';

/**
 * Extracts the facts that determine the simulation of a load from Lighthouse's graph: files with their sizes, which of
 * them ended before the observed paints, CPU time of tasks, and server latencies. Two loads of one page differ only in
 * these facts, so they show whether a difference is caused by the page or by chance.
 */
/** Converts to milliseconds, rounded to a hundredth. */
const toMs = (us: number): number => Math.round(us / 10) / 100;

const isOverNetwork = ({ request }: NetworkNode): boolean => /^https?:/.test(request.url);

/** @param root any node of a load's graph */
function toLoadFacts(
  root: GraphNode,
  paints: Paints,
  { clocked, ...conditions }: Omit<LoadFacts, 'files' | 'otherCpuMs'> & { clocked: ReadonlySet<string> },
): LoadFacts {
  const { requests, tasks } = collect(root);
  const runs = toFirstRuns(tasks);
  const files: Record<string, FileFacts> = {};
  const urls = new Map<string, Set<string>>();
  for (const node of requests.filter(isOverNetwork)) {
    const { url, resourceType = 'Other', transferSize, resourceSize, priority } = node.request;
    const key = keyOf(url);
    const known = files[key];
    urls.set(key, (urls.get(key) ?? new Set()).add(url));
    files[key] = {
      type: known?.type ?? resourceType,
      requests: (known?.requests ?? 0) + 1,
      bytes: (known?.bytes ?? 0) + transferSize,
      resourceBytes: (known?.resourceBytes ?? 0) + (resourceSize ?? 0),
      // The first request with a key represents all of them, because they are moved together.
      priority: known?.priority ?? priority,
      place: known?.place ?? toPlace(node, runs.get(url), paints),
      cpuMs: 0,
    };
  }
  let otherCpuMs = 0;
  for (const task of tasks) {
    const share = cpuShareOf(task, clocked);
    let script = 0;
    for (const [key, of] of urls) {
      const work = share * scriptWorkOf(task, of);
      if (work === 0) continue;
      const file = files[key] as FileFacts;
      files[key] = { ...file, cpuMs: file.cpuMs + toMs(work) };
      script += work;
    }
    otherCpuMs += toMs(Math.max(0, share * task.duration - script));
  }
  return { files, otherCpuMs, ...conditions };
}

/**
 * Imports Lighthouse's gatherers and audits in advance, which Lighthouse would import with the first audit. Never
 * throws: an audit that needs a missing module reports it.
 */
export const importLighthouse = (): Promise<unknown> =>
  initializeConfig('navigation', undefined, {}).catch(() => undefined);

/** Metrics with a weight in the performance score. No other audit affects it. */
export const metricAudits = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
  'speed-index',
];

/** Artifacts that those audits and Lighthouse's runner read. Others, such as scripts and images, are not stored. */
export const keptArtifacts = [
  ...['Trace', 'DevtoolsLog', 'URL', 'GatherContext', 'SourceMaps', 'HostDPR', 'HostUserAgent', 'HostFormFactor'],
  ...['NetworkUserAgent', 'BenchmarkIndex', 'settings', 'fetchTime', 'LighthouseRunWarnings', 'Timing'],
] as const satisfies readonly (keyof Artifacts)[];

/** Stores artifacts. Never throws: the audit itself succeeds even if the disk is full. */
export async function keepArtifacts(artifacts: Artifacts, folder: string): Promise<void> {
  try {
    const kept = Object.fromEntries(keptArtifacts.map(name => [name, artifacts[name]]));
    await saveArtifacts(kept as unknown as Artifacts, folder);
  } catch {
    // The service will find an incomplete set of files.
  }
}

const changeSettings = (gathered: Artifacts['settings'], changes: ReAuditSettings): Artifacts['settings'] => ({
  ...gathered,
  throttlingMethod: changes.throttlingMethod ?? gathered.throttlingMethod,
  throttling: {
    ...gathered.throttling,
    rttMs: changes.rttMs ?? gathered.throttling.rttMs,
    throughputKbps: changes.throughputKbps ?? gathered.throttling.throughputKbps,
    cpuSlowdownMultiplier:
      (changes.cpuFactor ?? 1) * (changes.cpuSlowdownMultiplier ?? gathered.throttling.cpuSlowdownMultiplier),
  },
  precomputedLanternData: changes.latency
    ? {
        additionalRttByOrigin: { ...changes.latency.additionalRttByOrigin },
        serverResponseTimeByOrigin: { ...changes.latency.serverResponseTimeByOrigin },
      }
    : gathered.precomputedLanternData,
});

/** Computations that do not depend on the graph, and take most of the time. */
const sharedComputations: ReadonlySet<string> = new Set([
  ...['ProcessedTrace', 'ProcessedNavigation', 'NetworkRecords', 'NetworkAnalysis', 'Speedline', 'TraceEngineResult'],
]);

/** Time between paints of different frames, in microseconds: long enough for files to end between them. */
const frameUs = 2000;

/**
 * Moves the largest paint behind the first one if both were the same frame. Otherwise the first paint of this load would
 * also wait for files that end between the two paints of another load. The result is an object of this cache, so no
 * other load sees it.
 */
async function separatePaints({ Trace }: Artifacts, context: Context): Promise<Paints> {
  const { timestamps } = await ProcessedNavigation.request(Trace, context);
  const { firstContentfulPaint: first, largestContentfulPaint: largest } = timestamps;
  if (largest !== undefined && largest < first + frameUs) timestamps.largestContentfulPaint = first + frameUs;
  return { first, largest: timestamps.largestContentfulPaint ?? null };
}

/**
 * Replaces the observed speed index, on which half of the simulated one depends. The result is an object of this cache,
 * so no other load sees it.
 */
async function replaceSpeedIndex({ Trace }: Artifacts, context: Context, ms: number): Promise<void> {
  const speedline = await Speedline.request(Trace, context);
  speedline.speedIndex = ms;
}

/** Returns a computed-artifact cache with the changed graph of the load; undefined if the change is impossible. */
async function withChangedGraph(
  artifacts: Artifacts,
  { settings, page, computed }: { settings: Artifacts['settings']; page: PageChanges; computed: ComputedCache },
): Promise<ComputedCache | undefined> {
  const computedCache: ComputedCache = new Map([...computed].filter(([name]) => sharedComputations.has(name)));
  const context = { computedCache, settings };
  const graph = await requestGraph(artifacts, context);
  const paints = page.places && (await separatePaints(artifacts, context));
  return changeGraph(graph, page, { paints, clocked: findClockScripts(artifacts.Trace) }) ? computedCache : undefined;
}

/**
 * Audits one load with each of these settings, in order.
 * @throws if Lighthouse cannot audit it
 */
export async function auditAgain(artifacts: Artifacts, settings: readonly ReAuditSettings[]): Promise<ReAuditResult[]> {
  const config: Config = { extends: 'lighthouse:default', settings: { onlyAudits: metricAudits } };
  const { resolvedConfig } = await initializeConfig('navigation', config);
  // Computations that do not depend on the settings (trace processing, frame comparison) are shared.
  const computed: ComputedCache = new Map();
  const results: ReAuditResult[] = [];
  for (const changes of settings) {
    const changed = changeSettings(artifacts.settings, changes);
    const { page, observedSpeedIndex } = changes;
    if (observedSpeedIndex !== undefined)
      await replaceSpeedIndex(artifacts, { computedCache: computed, settings: changed }, observedSpeedIndex);
    const computedCache = page
      ? await withChangedGraph(artifacts, { settings: changed, page, computed }).catch(() => undefined)
      : computed;
    if (!computedCache) {
      results.push({});
      continue;
    }
    const outcome = await Runner.audit(
      { ...artifacts, settings: changed },
      { resolvedConfig: { ...resolvedConfig, settings: changed }, computedCache },
    );
    if (!outcome) throw new Error('Lighthouse returned nothing');
    const { audits, categories } = outcome.lhr;
    results.push({
      ...Object.fromEntries(
        metricAudits.map(id => [id, { score: audits[id]?.score ?? null, value: audits[id]?.numericValue ?? null }]),
      ),
      [wholeScore]: { score: categories.performance?.score ?? null, value: null },
    });
  }
  return results;
}

/**
 * Extracts the facts that determine the simulation of a load.
 * @throws if Lighthouse cannot read the load
 */
async function readFacts(artifacts: Artifacts): Promise<LoadFacts> {
  const context: Context = { computedCache: new Map(), settings: artifacts.settings };
  const graph = await requestGraph(artifacts, context);
  const paints = await requestPaints(artifacts, context);
  const { serverResponseTimeByOrigin } = await NetworkAnalysis.request(artifacts.DevtoolsLog, context);
  const speedline = await Speedline.request(artifacts.Trace, context).catch(() => undefined);
  const { BenchmarkIndex: benchmarkIndex, settings } = artifacts;
  return toLoadFacts(graph, paints, {
    latencyMs: Object.fromEntries(serverResponseTimeByOrigin),
    benchmarkIndex: benchmarkIndex > 0 ? benchmarkIndex : null,
    observedSpeedIndex: speedline?.speedIndex ?? null,
    isSimulated: settings.throttlingMethod === 'simulate',
    clocked: findClockScripts(artifacts.Trace),
  });
}

/**
 * Carries out an order with the artifacts in a folder.
 * @throws if Lighthouse cannot read them, or the folder does not contain them
 */
export async function reAudit({
  folder,
  settings,
  wantsFacts,
  whatIf: order,
}: ReAuditOrder): Promise<ReAuditResult[] | LoadFacts | WhatIfFacts> {
  const artifacts = loadArtifacts(folder);
  if (order) return whatIf(artifacts, order);
  return wantsFacts ? readFacts(artifacts) : auditAgain(artifacts, settings);
}
