/**
 * Simulates one load many times, with Lighthouse's own metrics but without its audits, which takes a few milliseconds
 * each time. The modules are internal to Lighthouse: its version is pinned, and what-if.test.ts compares the result
 * with Lighthouse's own score.
 */
import { Audit } from 'lighthouse/core/audits/audit.js';
import FirstContentfulPaint from 'lighthouse/core/audits/metrics/first-contentful-paint.js';
import LargestContentfulPaint from 'lighthouse/core/audits/metrics/largest-contentful-paint.js';
import SpeedIndex from 'lighthouse/core/audits/metrics/speed-index.js';
import TotalBlockingTime from 'lighthouse/core/audits/metrics/total-blocking-time.js';
import { NetworkAnalysis } from 'lighthouse/core/computed/network-analysis.js';
import { ProcessedNavigation } from 'lighthouse/core/computed/processed-navigation.js';
import { ProcessedTrace } from 'lighthouse/core/computed/processed-trace.js';
import { Speedline } from 'lighthouse/core/computed/speedline.js';
import * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import type { Condition, FixOrder, Simulated } from '../../../../contract/stored/what-if-order.ts';
import { toWeightedPoints } from '../../../lhr/metrics.ts';
import { changeGraph } from './change-graph.ts';
import { findClockScripts } from './clock-loops.ts';
import {
  type Artifacts,
  type ComputedCache,
  type Context,
  type GraphNode,
  requestGraph,
  requestPaints,
  withoutWait,
} from './load-graph.ts';

type Scoring = {
  mobile: { scoring: { p10: number; median: number } };
  desktop: { scoring: { p10: number; median: number } };
};

/** Changes of fixes outside the graph. */
export type Effect = {
  /** Milliseconds by which the server of the document responds sooner. */
  readonly serverMs: number;
  /** Whether nothing shifts. */
  readonly isStill: boolean;
};

const optionsOf = (audit: { defaultOptions: unknown }): Scoring => audit.defaultOptions as Scoring;
const scoring = {
  'first-contentful-paint': optionsOf(FirstContentfulPaint),
  'largest-contentful-paint': optionsOf(LargestContentfulPaint),
  'total-blocking-time': optionsOf(TotalBlockingTime),
  'speed-index': optionsOf(SpeedIndex),
};

/** Rounds a score to hundredths, as Lighthouse does for an audit. */
const toHundredth = (score: number): number => Math.round(score * 100) / 100;

/** @throws if a metric with a weight has no score */
function toScore(
  values: Readonly<Record<keyof typeof scoring, number>>,
  formFactor: keyof Scoring,
  { weights, unchanged }: Pick<FixOrder, 'weights' | 'unchanged'>,
): number {
  const scores: Record<string, number> = { ...unchanged };
  for (const [id, options] of Object.entries(scoring)) {
    const value = values[id as keyof typeof scoring];
    scores[id] = toHundredth(Audit.computeLogNormalScore(options[formFactor].scoring, value));
  }
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  const shares = Object.entries(weights).map(([id, weight]) => [id, { weight: (100 * weight) / total }] as const);
  const points = toWeightedPoints(shares, id => scores[id]);
  if (points === null) throw new Error('a metric has no score');
  return points / 100;
}

type Simulator = ReturnType<typeof Lantern.Simulation.Simulator.createSimulator>;

/**
 * Simulates each graph once, because Interactive, Total Blocking Time and Speed Index request the whole load five
 * times.
 */
function simulateOnce(simulator: Simulator): Simulator {
  const simulate = simulator.simulate.bind(simulator);
  const known = new Map<object, ReturnType<typeof simulate>>();
  simulator.simulate = (graph, options) => {
    const simulated = known.get(graph) ?? simulate(graph, options);
    known.set(graph, simulated);
    return simulated;
  };
  return simulator;
}

const withSooner = (latencies: ReadonlyMap<string, number>, origin: string, ms: number): Map<string, number> =>
  new Map([...latencies].map(([name, value]) => [name, name === origin ? Math.max(0, value - ms) : value]));

const noEffect: Effect = { serverMs: 0, isStill: false };
const still = { 'cumulative-layout-shift': 1 };

/**
 * @param computedCache results of Lighthouse's own computations for this load
 * @throws if Lighthouse cannot read the load
 */
export async function openSimulation(
  artifacts: Artifacts,
  order: Omit<FixOrder, 'fixes'>,
  computedCache: ComputedCache = new Map(),
) {
  const { settings, Trace: trace, DevtoolsLog: devtoolsLog, URL: pageUrl } = artifacts;
  const context: Context = { computedCache, settings };
  const graph = (await requestGraph(artifacts, context)).cloneWithRelationships() as GraphNode;
  if (order.withoutWait) changeGraph(graph, withoutWait, { clocked: findClockScripts(trace) });
  const processedNavigation = await ProcessedNavigation.request(await ProcessedTrace.request(trace, context), context);
  const networkAnalysis = await NetworkAnalysis.request(devtoolsLog, context);
  const { speedIndex: observedSpeedIndex } = await Speedline.request(trace, context);
  const documentOrigin = new URL(pageUrl.mainDocumentUrl ?? pageUrl.finalDisplayedUrl).origin;
  const { Metrics, Simulation: lantern } = Lantern;

  function simulate(changed: GraphNode, condition: Condition, effect: Effect = noEffect): Simulated {
    const { cpu: cpuSlowdownMultiplier, rttMs, throughputKbps } = condition;
    const throttling = { ...settings.throttling, cpuSlowdownMultiplier, rttMs, throughputKbps };
    const analysis = {
      ...networkAnalysis,
      serverResponseTimeByOrigin: withSooner(
        networkAnalysis.serverResponseTimeByOrigin,
        documentOrigin,
        effect.serverMs,
      ),
    };
    const simulator = simulateOnce(
      lantern.Simulator.createSimulator({ ...settings, throttling, networkAnalysis: analysis }),
    );
    const data = { simulator, graph: changed as never, processedNavigation };
    const fcpResult = Metrics.FirstContentfulPaint.compute(data);
    const lcpResult = Metrics.LargestContentfulPaint.compute(data, { fcpResult });
    const interactiveResult = Metrics.Interactive.compute(data, { lcpResult });
    const tbt = Metrics.TotalBlockingTime.compute(data, { fcpResult, interactiveResult });
    const speed = Metrics.SpeedIndex.compute(data, { fcpResult, observedSpeedIndex });
    const values = {
      'first-contentful-paint': fcpResult.timing,
      'largest-contentful-paint': lcpResult.timing,
      'total-blocking-time': tbt.timing,
      'speed-index': speed.timing,
    };
    return {
      score: toScore(values, settings.formFactor, effect.isStill ? { ...order, unchanged: still } : order),
      first_contentful_paint: fcpResult.timing,
      largest_contentful_paint: lcpResult.timing,
      total_blocking_time: tbt.timing,
      speed_index: speed.timing,
    };
  }

  const { cpuSlowdownMultiplier: cpu, rttMs, throughputKbps } = settings.throttling;
  return {
    own: { cpu, rttMs, throughputKbps },
    paints: await requestPaints(artifacts, context),
    /** Returns a copy of the load's graph, which may be changed. */
    copyGraph: (): GraphNode => graph.cloneWithRelationships() as GraphNode,
    simulate,
    context,
  };
}
export type Simulation = Awaited<ReturnType<typeof openSimulation>>;
