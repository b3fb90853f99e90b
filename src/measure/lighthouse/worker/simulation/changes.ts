/** Changes that a what-if makes to the graph of a load: removed groups of requests, and proposals of audits. */
import type { Fix } from '../../../../contract/stored/what-if-order.ts';
import { scriptWorkOf, shorten, takeOut } from './change-graph.ts';
import { moveTo, toFirstRuns } from './file-places.ts';
import type { CpuNode, GraphNode, GraphNodes, NetworkNode, Paints } from './load-graph.ts';
import type { Effect } from './simulate-load.ts';

const isNetwork = (node: GraphNode): node is NetworkNode => node.type === 'network';
const urlsOf = (nodes: Iterable<NetworkNode>): Set<string> => new Set([...nodes].map(({ request }) => request.url));

type Stack = { readonly callFrames?: readonly { readonly url: string }[]; readonly parent?: Stack };

/** Returns the URLs in the stack of a request, from the innermost call to the outermost. */
function callersOf({ request: { initiator } }: NetworkNode): string[] {
  const urls: string[] = [];
  for (let stack = initiator?.stack as Stack | undefined; stack; stack = stack.parent)
    urls.push(...(stack.callFrames ?? []).map(({ url }) => url));
  return urls;
}

/**
 * Returns the scripts that caused a request. Lighthouse makes a request depend on each script of its stack, but only
 * the outermost caused it: others may merely wrap `fetch` or a timer.
 */
function causesOf(node: NetworkNode): NetworkNode[] {
  const scripts = (node.getDependencies() as GraphNode[])
    .filter(isNetwork)
    .filter(({ request }) => request.resourceType === 'Script');
  const outermost = callersOf(node).findLast(url => scripts.some(({ request }) => request.url === url));
  return outermost === undefined ? scripts : scripts.filter(({ request }) => request.url === outermost);
}

/**
 * Returns these requests and everything that only they caused: their dependents, and requests of tasks that mostly run
 * their scripts.
 */
function withStarted(chosen: readonly NetworkNode[], tasks: readonly CpuNode[]): Set<NetworkNode> {
  const all = new Set(chosen);
  const isTheirs = (node: GraphNode): node is NetworkNode =>
    isNetwork(node) && causesOf(node).every(cause => all.has(cause));
  for (let size = -1; size < all.size; ) {
    size = all.size;
    const urls = urlsOf(all);
    const own: GraphNode[] = tasks.filter(task => scriptWorkOf(task, urls) > task.duration / 2);
    for (const node of [...all, ...own])
      for (const dependent of node.getDependents() as GraphNode[]) if (isTheirs(dependent)) all.add(dependent);
  }
  return all;
}

/**
 * Returns the requests that would be removed together with those of these URLs, and the script work of all of them in
 * microseconds. The graph stays unchanged.
 */
export function findTaken(nodes: GraphNodes, chosen: ReadonlySet<string>) {
  const { tasks } = nodes;
  const own = nodes.requests.filter(({ request }) => chosen.has(request.url));
  const requests: readonly NetworkNode[] = [...withStarted(own, tasks)];
  const urls = urlsOf(requests);
  return { requests, workUs: tasks.reduce((sum, task) => sum + scriptWorkOf(task, urls), 0) };
}

/** Max size of a style sheet that only names fonts, in bytes as transferred. */
const mostFontSheetBytes = 3_000;

/** Returns whether a style sheet probably only names fonts: it is small, and requested fonts and nothing else. */
function isFontSheet(node: NetworkNode): boolean {
  const requested = (node.getDependents() as GraphNode[]).filter(isNetwork);
  const isOfFonts = requested.length > 0 && requested.every(({ request }) => request.resourceType === 'Font');
  return isOfFonts && node.request.transferSize <= mostFontSheetBytes;
}

/**
 * Returns the first style sheet that the document itself requests: the page would look different without it. A style
 * sheet that a script requests is part of what the script inserts.
 */
export const findPageSheet = (requests: readonly NetworkNode[]): NetworkNode | undefined =>
  requests.find(
    node =>
      node.request.resourceType === 'Stylesheet' && node.request.initiator?.type === 'parser' && !isFontSheet(node),
  );

/** Removes requests from a graph, with the work of their scripts. */
export function leaveOut({ tasks }: GraphNodes, requests: readonly NetworkNode[]): void {
  const urls = urlsOf(requests);
  for (const task of tasks) {
    const work = scriptWorkOf(task, urls);
    if (work > 0) shorten(task, work);
  }
  for (const node of requests) takeOut(node);
}

/** Min size of a response: headers and a very short body. */
const leastBytes = 300;

/** Returns all requests for a file, because a file that is loaded repeatedly is one change. */
const findAll = ({ requests }: GraphNodes, url: string): NetworkNode[] =>
  requests.filter(({ request }) => request.url === url);

/** Returns the first request of the image of the largest contentful paint. */
const findImage = (nodes: GraphNodes, largestImage: string | undefined): NetworkNode | undefined =>
  largestImage === undefined ? undefined : findAll(nodes, largestImage)[0];

/** Returns whether a fix affects anything in this load. */
export const isUsable = (nodes: GraphNodes, fix: Fix, largestImage: string | undefined): boolean =>
  [...Object.keys(fix.savedBytes ?? {}), ...(fix.unblocked ?? [])].some(url => findAll(nodes, url).length > 0) ||
  (fix.serverMs ?? 0) > 0 ||
  fix.isStill === true ||
  (fix.startsLargestImage === true && findImage(nodes, largestImage) !== undefined);

function startWithDocument(node: NetworkNode, document: NetworkNode): void {
  for (const dependency of node.getDependencies()) node.removeDependency(dependency);
  node.addDependency(document);
  node._request = { ...node.request, priority: 'High' };
}

/** Removes the work of some scripts, or all work other than scripts, from each task. */
function leaveOutWork(tasks: readonly CpuNode[], fixes: readonly Fix[]): void {
  const idle = new Set(fixes.flatMap(fix => fix.idle ?? []));
  const onlyScripts = fixes.some(fix => fix.onlyScripts);
  for (const task of tasks) {
    const other = onlyScripts ? task.duration - scriptWorkOf(task) : 0;
    const gone = other + (idle.size > 0 ? scriptWorkOf(task, idle) : 0);
    if (gone > 0) shorten(task, gone);
  }
}

/**
 * Makes several changes at once. Each saving of one file leaves its share of what the others leave: unused bytes are also
 * minified. The headers of a file remain.
 */
export function makeFixes(
  whole: GraphNodes,
  fixes: readonly Fix[],
  known: { paints: Paints; largestImage?: string },
): Effect {
  leaveOutWork(whole.tasks, fixes);
  const without = new Set(fixes.flatMap(fix => fix.without ?? []));
  const gone = new Set(without.size === 0 ? [] : findTaken(whole, without).requests);
  leaveOut(whole, [...gone]);
  const nodes = { ...whole, requests: whole.requests.filter(node => !gone.has(node)) };
  const savings = Map.groupBy(
    fixes.flatMap(({ savedBytes = {} }) => Object.entries(savedBytes)),
    ([url]) => url,
  );
  for (const [url, saved] of savings)
    for (const node of findAll(nodes, url)) {
      const { transferSize } = node.request;
      const share = saved.reduce((left, [, bytes]) => left * (1 - Math.min(1, bytes / transferSize)), 1);
      const left = Math.max(Math.min(transferSize, leastBytes), Math.round(share * transferSize));
      node._request = { ...node.request, transferSize: left };
    }
  const runs = toFirstRuns(nodes.tasks);
  for (const url of new Set(fixes.flatMap(({ unblocked = [] }) => unblocked)))
    for (const node of findAll(nodes, url)) {
      node._request = { ...node.request, priority: 'Low' };
      moveTo('after', node, runs.get(url), known.paints);
    }
  const image = fixes.some(({ startsLargestImage }) => startsLargestImage) && findImage(nodes, known.largestImage);
  const document = nodes.requests.find(node => node.isMainDocument());
  if (image && document && image !== document) startWithDocument(image, document);
  return {
    serverMs: fixes.reduce((sum, { serverMs = 0 }) => sum + serverMs, 0),
    isStill: fixes.some(({ isStill }) => isStill),
  };
}
