/** Simulates a load without each of its third parties and scripts. */
import { EntityClassification } from 'lighthouse/core/computed/entity-classification.js';
import type { Removal } from '../../../../contract/stored/what-if-order.ts';
import { withoutQuery } from '../../../../contract/without-query.ts';
import { scriptWorkOf, trailing } from './change-graph.ts';
import { findPageSheet, findTaken, leaveOut } from './changes.ts';
import { type Artifacts, collect, type NetworkNode } from './load-graph.ts';
import { takeHeaviest } from './search.ts';
import type { Simulation } from './simulate-load.ts';

const mostThirdParties = 50;
const mostScripts = 10;

/** Requests of one entity; its category is null if unknown. */
type RemovalGroup = Pick<Removal, 'kind' | 'name' | 'category'> & { readonly urls: ReadonlySet<string> };

type Sized = RemovalGroup & { readonly urls: Set<string>; readonly bytes: number };

/** Returns the third parties and scripts of the page that take the most time to transfer and run. */
async function toGroups(artifacts: Artifacts, { context, copyGraph, own }: Simulation): Promise<RemovalGroup[]> {
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
export function refusalOf(
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

export async function removeGroups(
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
    const { requests, workUs } = findTaken(nodes, urls);
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
