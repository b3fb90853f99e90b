/**
 * Moves files in the graph of a load. Lighthouse assumes that an observed paint waited for the files that had ended
 * before it. On a fast network, chance decides whether a file ends just before or just after the paint, so the
 * simulated paint has two modes.
 */
import type { FilePlace } from '../../../../contract/result/load-facts.ts';
import type { CpuNode, NetworkNode, Paints } from './load-graph.ts';

/** Returns the first task that ran each script, by URL. */
export function toFirstRuns(tasks: readonly CpuNode[]): Map<string, CpuNode> {
  const first = new Map<string, CpuNode>();
  for (const task of tasks)
    for (const url of task.getEvaluateScriptURLs())
      if (task.startTime < (first.get(url)?.startTime ?? Number.POSITIVE_INFINITY)) first.set(url, task);
  return first;
}

/** The same condition as in `getFirstPaintBasedGraph` in lantern/metrics/FirstContentfulPaint.js. */
function isBefore(node: NetworkNode, run: CpuNode | undefined, paint: number): boolean {
  const isLoaded = node.endTime <= paint && node.startTime <= paint;
  return isLoaded && (run === undefined || run.startTime <= paint);
}

export function toPlace(node: NetworkNode, run: CpuNode | undefined, { first, largest }: Paints): FilePlace {
  if (isBefore(node, run, first)) return 'first';
  return largest !== null && isBefore(node, run, largest) ? 'largest' : 'after';
}

/** A millisecond in microseconds, which exceeds the rounding of trace times. */
const justAfter = 1000;

/** Sets the end of a request, in microseconds. The request is copied, because a trace is shared. */
function endAt(node: NetworkNode, us: number): void {
  const rendererStartTime = Math.min(node.request.rendererStartTime, us / 1000);
  node._request = { ...node.request, networkEndTime: us / 1000, rendererStartTime };
}

function runAt(run: CpuNode, us: number): void {
  const moved = us - run.startTime;
  run._event = { ...run.event, ts: us };
  if (run.correctedEndTs !== undefined) run.correctedEndTs += moved;
}

/**
 * Moves a file, so that it ends before the paints of its new place and after the others. Its script runs before those
 * paints too.
 */
export function moveTo(
  place: FilePlace,
  node: NetworkNode,
  run: CpuNode | undefined,
  { first, largest }: Paints,
): void {
  const last = largest ?? first;
  // Only render-blocking files delay the first paint, and they end before it in every load.
  const until = place === 'first' || (place === 'largest' && last <= first) ? first : last;
  if (place === 'after') {
    if (isBefore(node, run, last)) endAt(node, last + justAfter);
    return;
  }
  if (place === 'largest' && last > first && isBefore(node, run, first)) endAt(node, Math.min(last, first + justAfter));
  if (!(node.endTime <= until && node.startTime <= until)) endAt(node, until);
  if (run && run.startTime > until) runAt(run, until);
}

const parses = ({ childEvents }: CpuNode): boolean => childEvents.some(({ name }) => name === 'ParseHTML');

/**
 * Makes the paint independent of the first task that parsed the document, if the graph lacks that task. Lighthouse lets
 * the paint wait for the first task that parses. With a fast server the document may be parsed before the trace begins;
 * the next such task runs a script, so chance would decide whether the paint waits for that script.
 */
export function forgetLateParsing(tasks: readonly CpuNode[], documentUrl: string | undefined): void {
  const [first] = tasks.filter(parses).toSorted((one, other) => one.startTime - other.startTime);
  if (!first || [...first.getEvaluateScriptURLs()].every(url => url === documentUrl)) return;
  for (const task of tasks)
    if (parses(task)) task._childEvents = task.childEvents.filter(({ name }) => name !== 'ParseHTML');
}
