/**
 * Predicts scores of one stored load under different conditions: without its third parties, on other devices, with all
 * fixes.
 */
import type { Condition, Simulated, WhatIfFacts, WhatIfOrder } from '../../../../contract/stored/what-if-order.ts';
import { chooseFixes, openLoad } from './costs.ts';
import type { Artifacts } from './load-graph.ts';
import { removeGroups } from './removals.ts';
import { orderByGain, toBreakPoint, toCpuAt, toNetworkAt } from './search.ts';

/** Compares scores and, if they are equal, the times that determine them. */
const isBetter = (one: Simulated, other: Simulated): boolean => {
  const timesOf = ({ score: _, ...times }: Simulated) => Object.values(times).reduce((sum, ms) => sum + ms, 0);
  return one.score === other.score ? timesOf(one) < timesOf(other) : one.score > other.score;
};

/** Returns whether a score reaches a threshold after Lighthouse's rounding. */
const reaches = ({ score }: Simulated, threshold: number): boolean =>
  Math.round(score * 100) >= Math.round(threshold * 100);

/** @throws if Lighthouse cannot read the load */
export async function whatIf(artifacts: Artifacts, order: WhatIfOrder): Promise<WhatIfFacts> {
  const load = await openLoad(artifacts, order);
  const { simulation, largestImage, fixes, withFixes } = load;
  const { own, copyGraph, simulate } = simulation;
  const unchanged = copyGraph();
  const known = new Map<string, Simulated>();
  /**
   * Simulates the unchanged load under a condition. Results are cached, because the searches request some of them
   * several times.
   */
  const under = ({ cpu, rttMs, throughputKbps }: Condition): Simulated => {
    const key = `${cpu} ${rttMs} ${throughputKbps}`;
    const simulated = known.get(key) ?? simulate(unchanged, { cpu, rttMs, throughputKbps });
    known.set(key, simulated);
    return simulated;
  };
  return {
    own,
    base: under(own),
    cells: order.cells.map(under),
    breakPoints: order.thresholds.map(threshold => ({
      cpu: toBreakPoint(toCpuAt(order.slowestCpu), cpu => reaches(under({ ...own, cpu }), threshold)),
      network: toBreakPoint(toNetworkAt(order.networks), network => reaches(under({ ...own, ...network }), threshold)),
    })),
    removals: await removeGroups(artifacts, simulation, largestImage),
    fixes: orderByGain(chooseFixes(load), withFixes, isBetter).map(({ item, after }) => ({ id: item.id, after })),
    unusable: order.fixes.filter(fix => !fixes.some(({ id }) => id === fix.id)).map(({ id }) => id),
  };
}
