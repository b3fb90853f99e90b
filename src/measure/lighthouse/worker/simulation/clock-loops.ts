/**
 * Finds scripts that loop until a time, such as `while (performance.now() < end)`. Time passes for such a loop while its
 * thread waits for a CPU, so it ends at the same time with and without the wait. All other work takes longer.
 */

import { sumOnce } from './load-graph.ts';

/** The part of the trace format that this module reads. Times in microseconds. */
type ScriptEvent = {
  name: string;
  ts: number;
  dur?: number | undefined;
  /** CPU time of the thread. */
  tdur?: number | undefined;
  args?: { data?: { url?: string | undefined } } | undefined;
};
type SourceEvent = {
  name: string;
  args?: { data?: { isolate?: string; scriptId?: number; url?: string; sourceText?: string } };
};

const clock = String.raw`(?:\bnow\s*\(|\bnew\s+Date\b|\bgetTime\s*\()`;
/** A loop whose condition reads a clock, or an endless loop that reads one first. */
const clockLoop = new RegExp(
  [
    String.raw`\bwhile\s*\([^{};]{0,200}?${clock}`,
    String.raw`\bfor\s*\([^{};]{0,200};[^{};]{0,200}?${clock}`,
    String.raw`\b(?:while\s*\(\s*(?:true|1|!0)\s*\)|for\s*\(\s*;\s*;\s*\))\s*\{[^{}]{0,300}?${clock}`,
  ].join('|'),
);

const found = new WeakMap<readonly object[], ReadonlySet<string>>();

/** Returns the URLs of all scripts with such a loop. An inline script has the URL of its document. */
export function findClockScripts(trace: { readonly traceEvents: readonly SourceEvent[] }): ReadonlySet<string> {
  const known = found.get(trace.traceEvents);
  if (known) return known;
  const urls = new Map<string, string>();
  const clocked = new Set<string>();
  for (const { name, args } of trace.traceEvents) {
    // Chromium writes the URL of a script, then its source, in several parts if it is large.
    if (!name.endsWith('ScriptCatchup') || !args?.data) continue;
    const { isolate, scriptId, url, sourceText } = args.data;
    const id = `${isolate}/${scriptId}`;
    if (url) urls.set(id, url);
    else if (sourceText !== undefined && urls.has(id) && clockLoop.test(sourceText)) clocked.add(urls.get(id) ?? '');
  }
  found.set(trace.traceEvents, clocked);
  return clocked;
}

/** Names of trace events of a script's run, which have its URL. */
export const scriptEvents: ReadonlySet<string> = new Set(['EvaluateScript', 'FunctionCall', 'v8.compile']);

/** Returns whether an event is the run of a script, or code after a promise, which names no file. */
export const isScriptRun = ({ name }: ScriptEvent): boolean => scriptEvents.has(name) || name === 'RunMicrotasks';

/**
 * Returns how long these scripts waited for a CPU during a task, in microseconds. Code after a promise counts as theirs
 * if the task ran no file.
 * @param events of the task, in order
 */
export function clockWaitOf(events: readonly ScriptEvent[], clocked: ReadonlySet<string>): number {
  if (clocked.size === 0) return 0;
  const runs = events.filter(isScriptRun);
  const isNameless = !runs.some(({ args }) => /^https?:/.test(args?.data?.url ?? ''));
  return sumOnce(
    runs,
    ({ name, args }) => (name === 'RunMicrotasks' ? isNameless : clocked.has(args?.data?.url ?? '')),
    ({ dur = 0, tdur = dur }) => Math.max(0, dur - tdur),
  );
}
