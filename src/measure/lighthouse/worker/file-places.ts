/**
 * Where a file stands in a load: Lighthouse takes the files that had ended before an observed paint for those that the
 * paint waited for. On a fast network it is a coin toss whether a file ends just before or just after it, and the
 * simulated paint has two modes.
 */
import type * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import type { FilePlace } from '../../../contract/result/load-facts.ts';

type CpuNode = InstanceType<typeof Lantern.Graph.CPUNode>;
type NetworkNode = InstanceType<typeof Lantern.Graph.NetworkNode>;

/** Trace times of the observed paints, microseconds; the largest one is null when none was observed. */
export type Paints = { readonly first: number; readonly largest: number | null };

/** The first task that ran each script, by its URL. */
export function toFirstRuns(tasks: readonly CpuNode[]): Map<string, CpuNode> {
  const first = new Map<string, CpuNode>();
  for (const task of tasks)
    for (const url of task.getEvaluateScriptURLs())
      if (task.startTime < (first.get(url)?.startTime ?? Number.POSITIVE_INFINITY)) first.set(url, task);
  return first;
}

/** The condition of `getFirstPaintBasedGraph` in lantern/metrics/FirstContentfulPaint.js. */
function isBefore(node: NetworkNode, run: CpuNode | undefined, paint: number): boolean {
  const isLoaded = node.endTime <= paint && node.startTime <= paint;
  return isLoaded && (run === undefined || run.startTime <= paint);
}

export function toPlace(node: NetworkNode, run: CpuNode | undefined, { first, largest }: Paints): FilePlace {
  if (isBefore(node, run, first)) return 'first';
  return largest !== null && isBefore(node, run, largest) ? 'largest' : 'after';
}

/** A millisecond in microseconds: more than any rounding of trace times. */
const justAfter = 1000;

/** The events and requests of a trace are shared: what is moved gets its own. */
function endAt(node: NetworkNode, us: number): void {
  const rendererStartTime = Math.min(node.request.rendererStartTime, us / 1000);
  node._request = { ...node.request, networkEndTime: us / 1000, rendererStartTime };
}

function runAt(run: CpuNode, us: number): void {
  const moved = us - run.startTime;
  run._event = { ...run.event, ts: us };
  if (run.correctedEndTs !== undefined) run.correctedEndTs += moved;
}

/** Has a file end, and run, before the paints that the place says, and after the others. */
export function moveTo(
  place: FilePlace,
  node: NetworkNode,
  run: CpuNode | undefined,
  { first, largest }: Paints,
): void {
  const last = largest ?? first;
  // Only files that block rendering matter to the first paint, and those are there before it in every load.
  const until = place === 'first' || (place === 'largest' && last <= first) ? first : last;
  if (place === 'after') {
    if (isBefore(node, run, last)) endAt(node, last + justAfter);
    return;
  }
  if (place === 'largest' && last > first && isBefore(node, run, first)) endAt(node, Math.min(last, first + justAfter));
  if (!(node.endTime <= until && node.startTime <= until)) endAt(node, until);
  if (run && run.startTime > until) runAt(run, until);
}
