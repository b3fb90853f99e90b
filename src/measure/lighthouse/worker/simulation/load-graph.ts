/** Lighthouse's graph of a load, and the computations it is made from. The modules are internal to Lighthouse. */
import { PageDependencyGraph } from 'lighthouse/core/computed/page-dependency-graph.js';
import { ProcessedNavigation } from 'lighthouse/core/computed/processed-navigation.js';
import type * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import type { Runner } from 'lighthouse/core/runner.js';
import type { PageChanges } from '../../messages.ts';

export type CpuNode = InstanceType<typeof Lantern.Graph.CPUNode>;
export type NetworkNode = InstanceType<typeof Lantern.Graph.NetworkNode>;
export type GraphNode = CpuNode | NetworkNode;
export type GraphNodes = { readonly requests: NetworkNode[]; readonly tasks: CpuNode[] };

export type Artifacts = Parameters<typeof Runner.audit>[0];
/** Results of Lighthouse's own computations for a load. */
export type ComputedCache = Parameters<typeof Runner.audit>[1]['computedCache'];
export type Context = { computedCache: ComputedCache; settings: Artifacts['settings'] };

/** Trace times of the observed paints in microseconds. The largest one is null if it was not observed. */
export type Paints = { readonly first: number; readonly largest: number | null };

/** The same page without its waits for a CPU. */
export const withoutWait: PageChanges = { without: [], transferSizes: {}, scriptShares: {}, withoutWait: true };

export async function requestGraph(artifacts: Artifacts, context: Context): Promise<GraphNode> {
  const { Trace: trace, DevtoolsLog: devtoolsLog, URL, SourceMaps, HostDPR } = artifacts;
  const { settings } = context;
  const made = { trace, devtoolsLog, settings, URL, SourceMaps, HostDPR, fromTrace: false };
  return (await PageDependencyGraph.request(made, context)) as GraphNode;
}

export async function requestPaints({ Trace }: Artifacts, context: Context): Promise<Paints> {
  const { timestamps } = await ProcessedNavigation.request(Trace, context);
  return { first: timestamps.firstContentfulPaint, largest: timestamps.largestContentfulPaint ?? null };
}

/** Returns all nodes of the graph that contains this node. */
export function collect(root: GraphNode): GraphNodes {
  const nodes: GraphNodes = { requests: [], tasks: [] };
  root.getRootNode().traverse(node => {
    if (node.type === 'network') nodes.requests.push(node as NetworkNode);
    else nodes.tasks.push(node as CpuNode);
  });
  return nodes;
}

type TimedEvent = { readonly ts: number; readonly dur?: number | undefined };

/**
 * Adds up the time of events, in microseconds. Nested events count once.
 * @param events in the order of time
 * @param timeOf returns the time of an event, if it is not its duration
 */
export function sumOnce<Event extends TimedEvent>(
  events: readonly Event[],
  isCounted: (event: Event) => boolean,
  timeOf: (event: Event) => number = ({ dur = 0 }) => dur,
): number {
  let [sum, end] = [0, 0];
  for (const event of events) {
    if (event.ts < end || !isCounted(event)) continue;
    sum += timeOf(event);
    end = event.ts + (event.dur ?? 0);
  }
  return sum;
}
