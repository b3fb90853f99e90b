/**
 * Predicts scores of one stored load under different conditions: without its third parties, on other devices, with all
 * proposals of its audits.
 */

import { EntityClassification } from 'lighthouse/core/computed/entity-classification.js';
import type * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import type {
  Condition,
  Removal,
  Simulated,
  WhatIfFacts,
  WhatIfOrder,
} from '../../../../contract/stored/what-if-order.ts';
import { withoutQuery } from '../../../../contract/without-query.ts';
import { collect, scriptWorkOf, trailing } from '../change-graph.ts';
import { findPageSheet, findTaken, isUsable, leaveOut, makeFixes } from './changes.ts';
import { orderByGain, takeHeaviest, toBreakPoint, toCpuAt, toNetworkAt } from './search.ts';
import { type Artifacts, openSimulation, type Simulation } from './simulate-load.ts';

type NetworkNode = InstanceType<typeof Lantern.Graph.NetworkNode>;

const mostThirdParties = 50;
const mostScripts = 10;

/** Requests of one entity; its category is null if unknown. */
type Group = Pick<Removal, 'kind' | 'name' | 'category'> & { readonly urls: ReadonlySet<string> };

type TraceEvent = { name: string; pid: number; args?: { data?: Record<string, unknown> } };

/** Returns the URL of the image that is the main frame's largest contentful paint; undefined for text. */
function findLargestImage(traceEvents: readonly TraceEvent[]): string | undefined {
  const largest = traceEvents.findLast(
    ({ name, args }) => name === 'largestContentfulPaint::Candidate' && args?.data?.isMainFrame !== false,
  );
  const nodeId = largest?.args?.data?.nodeId;
  const image = traceEvents.findLast(
    ({ name, pid, args }) =>
      name === 'LargestImagePaint::Candidate' && pid === largest?.pid && args?.data?.DOMNodeId === nodeId,
  );
  const url = image?.args?.data?.imageUrl;
  return typeof url === 'string' ? url : undefined;
}

type Sized = Group & { readonly urls: Set<string>; readonly bytes: number };

/** Returns the third parties and scripts of the page that take the most time to transfer and run. */
async function toGroups(artifacts: Artifacts, { context, copyGraph, own }: Simulation): Promise<Group[]> {
  const { URL: pageUrl, DevtoolsLog: devtoolsLog } = artifacts;
  const { entityByUrl, isFirstParty } = await EntityClassification.request({ URL: pageUrl, devtoolsLog }, context);
  const { requests, tasks } = collect(copyGraph());
  const parties = new Map<string, Sized>();
  const scripts = new Map<string, Sized>();
  for (const { request } of requests) {
    const { url, resourceType, transferSize } = request;
    // A script in a data: URL is part of its document.
    if (!/^https?:/.test(url)) continue;
    const entity = entityByUrl.get(url);
    if (entity && !isFirstParty(url)) {
      const { name, category } = entity;
      const fresh: Sized = { kind: 'third_party', name, category: category || null, urls: new Set(), bytes: 0 };
      const known = parties.get(name) ?? fresh;
      parties.set(name, { ...known, urls: known.urls.add(url), bytes: known.bytes + transferSize });
    } else if (resourceType === 'Script')
      scripts.set(url, { kind: 'script', name: url, category: null, urls: new Set([url]), bytes: transferSize });
  }
  const weightOf = ({ urls, bytes }: Sized): number => {
    const workMs = tasks.reduce((sum, task) => sum + scriptWorkOf(task, urls), 0) / 1000;
    return workMs * own.cpu + (8 * bytes) / own.throughputKbps;
  };
  return [
    ...takeHeaviest([...parties.values()], weightOf, mostThirdParties),
    ...takeHeaviest([...scripts.values()], weightOf, mostScripts),
  ];
}

const nameOf = (url: string): string => withoutQuery(url).slice(0, 200);

/** Returns the reason why the load cannot be simulated without these requests; undefined if it can be. */
function refusalOf(
  taken: readonly NetworkNode[],
  {
    urls,
    largestImage,
    isFirstParty,
  }: { urls: ReadonlySet<string>; largestImage: string | undefined; isFirstParty: (url: string) => boolean },
): string | undefined {
  if (taken.some(node => node.getDependencies().length === 0)) return 'it serves the document itself';
  if (taken.some(({ request }) => request.url === largestImage))
    return 'it serves the largest image of the page, so another element would become the largest';
  const sheet = findPageSheet(taken);
  if (sheet) return `it serves the style sheet ${nameOf(sheet.request.url)}, so the page would look different`;
  const own = taken.filter(
    ({ request }) =>
      !urls.has(request.url) && isFirstParty(request.url) && !trailing.has(request.resourceType ?? 'Other'),
  );
  const [first] = own;
  if (!first) return undefined;
  const others = own.length > 1 ? ` and ${own.length - 1} more of its files` : '';
  return `it requests ${nameOf(first.request.url)}${others}, so the page may not work without it`;
}

async function removeGroups(
  artifacts: Artifacts,
  simulation: Simulation,
  largestImage: string | undefined,
): Promise<Removal[]> {
  const { URL: pageUrl, DevtoolsLog: devtoolsLog } = artifacts;
  const data = { URL: pageUrl, devtoolsLog };
  const { entityByUrl, isFirstParty } = await EntityClassification.request(data, simulation.context);
  const groups = await toGroups(artifacts, simulation);
  return groups.map(({ urls, ...group }) => {
    const graph = simulation.copyGraph();
    const nodes = collect(graph);
    const { requests, workUs } = findTaken(
      nodes,
      nodes.requests.filter(({ request }) => urls.has(request.url)),
    );
    const others = requests.flatMap(({ request }) =>
      isFirstParty(request.url) ? [] : (entityByUrl.get(request.url)?.name ?? []),
    );
    const refusal = refusalOf(requests, { urls, largestImage, isFirstParty });
    const counted = {
      ...group,
      requests: requests.length,
      bytes: requests.reduce((sum, { request }) => sum + request.transferSize, 0),
      mainThreadMs: (workUs / 1000) * simulation.own.cpu,
      takesWith: [...new Set(others)].filter(name => name !== group.name),
    };
    if (refusal !== undefined) return { ...counted, without: { reason: refusal } };
    leaveOut(nodes, requests);
    return { ...counted, without: simulation.simulate(graph, simulation.own) };
  });
}

/** Compares scores and, if they are equal, the times that determine them. */
const isBetter = (one: Simulated, other: Simulated): boolean => {
  const timesOf = (of: Simulated) =>
    of.firstContentfulPaintMs + of.largestContentfulPaintMs + of.totalBlockingMs + of.speedIndexMs;
  return one.score === other.score ? timesOf(one) < timesOf(other) : one.score > other.score;
};

/** Returns whether a score reaches a threshold after Lighthouse's rounding. */
const reaches = ({ score }: Simulated, threshold: number): boolean =>
  Math.round(score * 100) >= Math.round(threshold * 100);

/** @throws if Lighthouse cannot read the load */
export async function whatIf(artifacts: Artifacts, order: WhatIfOrder): Promise<WhatIfFacts> {
  const simulation = await openSimulation(artifacts, order);
  const { own, paints, copyGraph, simulate } = simulation;
  const unchanged = copyGraph();
  const largestImage = findLargestImage(artifacts.Trace.traceEvents as TraceEvent[]);
  const usable = order.fixes.filter(fix => isUsable(collect(unchanged), fix, largestImage));
  const withFixes = (fixes: WhatIfOrder['fixes']): Simulated => {
    const graph = copyGraph();
    const serverMs = makeFixes(collect(graph), fixes, {
      paints,
      ...(largestImage === undefined ? {} : { largestImage }),
    });
    return simulate(graph, own, serverMs);
  };
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
    fixes: orderByGain(usable, withFixes, isBetter).map(({ item, after }) => ({ id: item.id, after })),
    unusable: order.fixes.filter(fix => !usable.includes(fix)).map(({ id }) => id),
  };
}
