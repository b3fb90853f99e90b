/**
 * Changes the graph of a load to that of another load: removes requests together with their work, or changes sizes and
 * script work. The graph is unchanged if more of the page may depend on a request than the graph shows.
 */

import { withoutQuery } from '../../../../contract/without-query.ts';
import type { PageChanges } from '../../messages.ts';
import { clockWaitOf, isScriptRun, scriptEvents } from './clock-loops.ts';
import { forgetLateParsing, moveTo, toFirstRuns } from './file-places.ts';
import {
  type CpuNode,
  collect,
  type GraphNode,
  type GraphNodes,
  type NetworkNode,
  type Paints,
  sumOnce,
} from './load-graph.ts';

/**
 * Request types that can be removed without changing the rest of the page, unlike style sheets, documents and requests
 * of scripts.
 */
const removable: ReadonlySet<string> = new Set(['Script', 'Image', 'Font', 'Media']);
/** Request types that no other node waits for. They are removed with the request that sent them. */
export const trailing: ReadonlySet<string> = new Set(['Ping', 'Preflight', 'CSPViolationReport', 'Other']);

const typeOf = ({ request }: NetworkNode): string => request.resourceType ?? 'Other';

/** Returns the key of a file. Requests that differ only in their query have the same key. */
export const keyOf = (url: string): string => withoutQuery(url).slice(0, 500);

/**
 * Returns the time that a task spent in these scripts, in microseconds. Nested calls count once.
 * @param urls of the scripts; all scripts if absent
 */
export const scriptWorkOf = ({ childEvents }: CpuNode, urls?: ReadonlySet<string>): number =>
  sumOnce(childEvents, ({ name, args }) => scriptEvents.has(name) && (!urls || urls.has(args.data?.url ?? '')));

/** Returns the script time of a task that names no file, such as code after a promise, in microseconds. */
function namelessWorkOf({ childEvents }: CpuNode): number {
  const isOfFile = childEvents.some(
    ({ name, args }) => scriptEvents.has(name) && /^https?:/.test(args.data?.url ?? ''),
  );
  return isOfFile ? 0 : sumOnce(childEvents, isScriptRun);
}

/**
 * Returns the time that a task waited for a CPU, in microseconds.
 * @param clocked scripts that end at a time, whose waits do not count
 */
const waitOf = (
  { event, childEvents }: CpuNode & { event: { tdur?: number } },
  clocked: ReadonlySet<string>,
): number =>
  event.tdur === undefined || event.tdur >= event.dur
    ? 0
    : Math.max(0, event.dur - event.tdur - clockWaitOf(childEvents, clocked));

/** Returns the share of a task during which its thread did not wait for a CPU, 0 to 1. */
export const cpuShareOf = (task: CpuNode, clocked: ReadonlySet<string>): number =>
  task.event.dur > 0 ? 1 - waitOf(task, clocked) / task.event.dur : 1;

/** Shortens a task. Its events are copied, because a trace is shared. */
export function shorten(task: CpuNode, us: number): void {
  const dur = Math.max(1, task.duration - us);
  task._event = { ...task.event, dur };
  if (task.correctedEndTs !== undefined) task.correctedEndTs = task.event.ts + dur;
}

/** Returns these requests, and those that were sent only because of them; undefined if they had other effects. */
function withTrailing(chosen: readonly NetworkNode[], tasks: readonly CpuNode[], urls: ReadonlySet<string>) {
  const all = new Set(chosen);
  const take = (started: readonly GraphNode[]): boolean =>
    started.every(node => {
      if (node.type !== 'network' || all.has(node as NetworkNode)) return true;
      if (!trailing.has(typeOf(node as NetworkNode))) return false;
      all.add(node as NetworkNode);
      return true;
    });
  for (const node of all) if (!take(node.getDependents() as GraphNode[])) return undefined;
  const own = tasks.filter(task => scriptWorkOf(task, urls) > task.duration / 2);
  return own.every(task => take(task.getDependents() as GraphNode[])) ? all : undefined;
}

/** Removes a node from the graph. Its dependents then depend on its dependencies. */
export function takeOut(node: NetworkNode): void {
  const [before, behind] = [node.getDependencies(), node.getDependents()];
  for (const dependency of before) node.removeDependency(dependency);
  for (const dependent of behind) {
    dependent.removeDependency(node);
    for (const dependency of before) if (dependent.canDependOn(dependency)) dependent.addDependency(dependency);
  }
}

/** Returns the only request with this URL; undefined if there is no request or more than one. */
const findOne = (requests: readonly NetworkNode[], url: string): NetworkNode | undefined => {
  const [found, other] = requests.filter(({ request }) => request.url === url);
  return other ? undefined : found;
};

/** Finds the nodes to change. Undefined if one of the changes is impossible. */
function find(
  { requests, tasks }: GraphNodes,
  { without, transferSizes, scriptShares }: PageChanges,
): { without: ReadonlySet<NetworkNode>; sized: readonly (readonly [NetworkNode, number])[] } | undefined {
  const urls = new Set(without);
  const chosen = requests.filter(({ request }) => urls.has(request.url));
  const isWhole = without.every(url => chosen.some(({ request }) => request.url === url));
  if (!isWhole || !chosen.every(node => removable.has(typeOf(node)) && node.getDependencies().length > 0))
    return undefined;
  const sized = Object.entries(transferSizes).map(([url, bytes]) => [findOne(requests, url), bytes] as const);
  const shared = Object.keys(scriptShares).map(url => findOne(requests, url));
  if ([...sized.map(([node]) => node), ...shared].includes(undefined)) return undefined;
  const all = withTrailing(chosen, tasks, urls);
  return all && { without: all, sized: sized.flatMap(([node, bytes]) => (node ? [[node, bytes] as const] : [])) };
}

/** Moves files in the graph. Files that this load lacks are ignored. */
function placeFiles({ requests, tasks }: GraphNodes, places: NonNullable<PageChanges['places']>, paints: Paints): void {
  const runs = toFirstRuns(tasks);
  for (const node of requests) {
    const wanted = places[keyOf(node.request.url)];
    if (!wanted) continue;
    moveTo(wanted.place, node, runs.get(node.request.url), paints);
    node._request = { ...node.request, priority: wanted.priority as NetworkNode['request']['priority'] };
  }
  forgetLateParsing(tasks, requests.find(node => node.isMainDocument())?.request.url);
}

/** Replaces URLs without a query by the only requested URL that has one. */
function withQueries(requests: readonly NetworkNode[], changes: PageChanges): PageChanges {
  const toUrl = (url: string): string => {
    if (requests.some(({ request }) => request.url === url)) return url;
    const urls = new Set(requests.flatMap(({ request }) => (keyOf(request.url) === url ? [request.url] : [])));
    const [only] = urls;
    return urls.size === 1 && only !== undefined ? only : url;
  };
  const rename = (amounts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(amounts).map(([url, amount]) => [toUrl(url), amount]));
  return {
    ...changes,
    without: changes.without.map(toUrl),
    transferSizes: rename(changes.transferSizes),
    scriptShares: rename(changes.scriptShares),
  };
}

/**
 * Changes the graph of a load.
 * @param root any node of a graph that no other code uses
 * @param paints required for moving files
 * @param clocked scripts that end at a time, which waits for a CPU do not delay
 * @returns whether the changes were possible; otherwise the graph is unchanged
 */
export function changeGraph(
  root: GraphNode,
  given: PageChanges,
  { paints, clocked = new Set() }: { paints?: Paints | undefined; clocked?: ReadonlySet<string> } = {},
): boolean {
  const graph = collect(root);
  const changes = withQueries(graph.requests, given);
  const found = find(graph, changes);
  if (!found) return false;
  const removed = new Set(changes.without);
  for (const task of graph.tasks) {
    const gone = removed.size > 0 ? scriptWorkOf(task, removed) : 0;
    const saved = Object.entries(changes.scriptShares).reduce(
      (sum, [url, share]) => sum + (1 - share) * scriptWorkOf(task, new Set([url])),
      gone,
    );
    const nameless = changes.namelessShare === undefined ? 0 : (1 - changes.namelessShare) * namelessWorkOf(task);
    const waited = changes.withoutWait ? waitOf(task, clocked) : 0;
    const less = saved + nameless + waited;
    if (less > 0) shorten(task, less);
  }
  for (const [node, transferSize] of found.sized) node._request = { ...node.request, transferSize };
  for (const node of found.without) takeOut(node);
  if (changes.places && paints) placeFiles(graph, changes.places, paints);
  return true;
}
