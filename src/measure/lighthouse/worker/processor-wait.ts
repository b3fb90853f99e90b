/**
 * Measures how long the page waited for a CPU, and scores the page without that wait. For each main-thread task,
 * Chromium's trace contains the duration and the CPU time of the thread. The difference is time that the thread waited:
 * for other programs, for the browser's own processes, or because of a container's CPU limit. An internal module of
 * Lighthouse reads the trace; processor-wait.test.ts detects when it moves.
 */
import type { RunnerResult } from 'lighthouse';
import { TraceProcessor } from 'lighthouse/core/lib/tracehouse/trace-processor.js';
import type { ProcessorWait } from '../../../contract/stored/run-facts.ts';
import { toWithoutWait } from '../../lhr/disturbances.ts';
import { toPercent } from '../../lhr/metrics.ts';
import { observedOf } from '../../lhr/values.ts';
import { wholeScore } from '../messages.ts';
import { clockWaitOf, findClockScripts, isScriptRun } from './simulation/clock-loops.ts';
import { withoutWait } from './simulation/load-graph.ts';
import { auditAgain } from './simulation/re-audit.ts';

/** The part of the trace format that this module reads. Times in microseconds. */
type TraceEvent = {
  name: string;
  cat: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** CPU time of the thread. */
  tdur?: number;
  args?: { data?: { url?: string } };
};
export type Trace = { traceEvents: TraceEvent[] };

/** Min wait, in simulated time, that can change a score noticeably. */
const leastWaitedMs = 150;
/** Score above which, with little blocking time, no noticeable gain is possible. */
const mostScore = 0.97;
const mostBlockingMs = 100;

const isKey = ({ cat }: TraceEvent): boolean =>
  cat === '__metadata' || cat.includes('loading') || cat.includes('devtools.timeline');

/** Returns the main threads of the page, by process. */
function toMainThreads(traceEvents: TraceEvent[]): Map<number, number> {
  const keyEvents: TraceEvent[] = TraceProcessor.filteredTraceSort(traceEvents, isKey);
  return TraceProcessor.findMainFramePidTids(TraceProcessor.findMainFrameIds(keyEvents), keyEvents);
}

/** Returns the events that start between two times. @param events in the order of time: a trace may have 100,000 */
function toRunsWithin(events: readonly TraceEvent[], from: number, to: number): readonly TraceEvent[] {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.ts ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < events.length && (events[end]?.ts ?? 0) < to) end += 1;
  return events.slice(low, end);
}

/**
 * Returns how long tasks of the page's main thread waited for a CPU, in milliseconds. Waits of loops that end at a time
 * do not count.
 * @returns undefined if the trace lacks the data
 */
export function toWaitedMs({ traceEvents }: Trace): number | undefined {
  try {
    const threads = toMainThreads(traceEvents);
    const clocked = findClockScripts({ traceEvents });
    const isOfPage = ({ pid, tid }: TraceEvent) => threads.get(pid) === tid;
    const runs = clocked.size === 0 ? [] : traceEvents.filter(event => isScriptRun(event) && isOfPage(event));
    const runsOf = Map.groupBy(runs, ({ pid }) => pid);
    for (const ofPage of runsOf.values()) ofPage.sort((one, other) => one.ts - other.ts);
    let [waited, count] = [0, 0];
    for (const event of traceEvents) {
      const { pid, ts, dur, tdur } = event;
      if (dur === undefined || tdur === undefined || !isOfPage(event)) continue;
      if (!TraceProcessor.isScheduleableTask(event)) continue;
      count += 1;
      if (tdur >= dur) continue;
      const within = toRunsWithin(runsOf.get(pid) ?? [], ts, ts + dur);
      waited += Math.max(0, dur - tdur - clockWaitOf(within, clocked));
    }
    return count === 0 ? undefined : waited / 1000;
  } catch {
    return undefined;
  }
}

/** Trace events of work that can make content visible. */
const revealing: ReadonlySet<string> = new Set([
  ...['TimerFire', 'FireAnimationFrame', 'FireIdleCallback', 'XHRReadyStateChange', 'XHRLoad', 'ParseHTML'],
]);
/**
 * Trace events of scripts. They count only if they have a URL, because this service's checks whether the page answers
 * have none.
 */
const scripts: ReadonlySet<string> = new Set(['EvaluateScript', 'FunctionCall']);

const isRevealing = ({ name, args }: TraceEvent): boolean =>
  revealing.has(name) || (scripts.has(name) && Boolean(args?.data?.url));

/**
 * Returns the time between the page's last work before its first contentful paint and that paint, in milliseconds. A
 * page that a timer reveals is painted immediately, while a browser that paints late is idle before the paint.
 * @param paintTs trace time of the paint, in microseconds
 * @returns undefined if the trace lacks the data
 */
export function toPaintWaitMs({ traceEvents }: Trace, paintTs: number): number | undefined {
  try {
    const threads = toMainThreads(traceEvents);
    let last: number | undefined;
    for (const event of traceEvents) {
      const { pid, tid, ts, dur = 0 } = event;
      if (threads.get(pid) === tid && ts <= paintTs && isRevealing(event))
        last = Math.max(last ?? 0, Math.min(paintTs, ts + dur));
    }
    return last === undefined ? undefined : Math.round((paintTs - last) / 1000);
  } catch {
    return undefined;
  }
}

/** Min delay of the first paint after the load event for which the wait is examined. */
const leastLateMs = 1000;

function findPaintWait(trace: Trace, lhr: RunnerResult['lhr']): Pick<ProcessorWait, 'paintWaitMs'> {
  const { load, firstPaint: paint, firstPaintTs } = observedOf(lhr);
  if (load === null || paint === null || firstPaintTs === null || paint - load < leastLateMs) return {};
  const paintWaitMs = toPaintWaitMs(trace, firstPaintTs);
  return paintWaitMs === undefined ? {} : { paintWaitMs };
}

/** Min change of a paint in milliseconds by which the wait made it unreliable. */
const leastPaintMs = 100;
const paints = {
  'first-contentful-paint': 'first_contentful_paint',
  'largest-contentful-paint': 'largest_contentful_paint',
  'speed-index': 'speed_index',
} as const;

/** Simulates the same load without waiting for a CPU; undefined if it cannot be simulated. */
async function simulateWithout({
  artifacts,
  lhr,
}: Pick<RunnerResult, 'artifacts' | 'lhr'>): Promise<ProcessorWait['without']> {
  const [again = {}] = await auditAgain(artifacts, [{ page: withoutWait }]).catch(() => []);
  const performance = again[wholeScore]?.score;
  const totalBlockingMs = again['total-blocking-time']?.value;
  const laterPaints = Object.fromEntries(
    Object.entries(paints).flatMap(([id, name]) => {
      const without = again[id]?.value;
      const lateBy = (lhr.audits[id]?.numericValue ?? 0) - (without ?? 0);
      return typeof without === 'number' && lateBy >= leastPaintMs ? [[name, without]] : [];
    }),
  );
  return typeof performance === 'number' && typeof totalBlockingMs === 'number'
    ? { performance, totalBlockingMs, laterPaints }
    : undefined;
}

/** Returns whether a load would have been faster without its wait, so that its result is the one without. */
export const wasFelt = ({ lhr }: Pick<RunnerResult, 'lhr'>, wait: ProcessorWait | undefined): boolean =>
  toWithoutWait(
    {
      score: toPercent(lhr.categories.performance?.score),
      blockingMs: lhr.audits['total-blocking-time']?.numericValue,
    },
    {
      processor_wait: wait?.without
        ? {
            main_thread_ms: wait.waitedMs,
            without: {
              performance: Math.round(100 * wait.without.performance),
              total_blocking_time: Math.round(wait.without.totalBlockingMs),
            },
          }
        : null,
    },
  ) !== undefined;

/**
 * Returns the wait and, if it can change the score noticeably, the score without it. For a load without simulation,
 * returns only the wait, because all its times are observed and include it.
 */
export async function toProcessorWait({ artifacts, lhr }: RunnerResult): Promise<ProcessorWait | undefined> {
  const waitedMs = artifacts.Trace && toWaitedMs(artifacts.Trace);
  if (waitedMs === undefined) return undefined;
  const waits = { waitedMs, ...findPaintWait(artifacts.Trace as Trace, lhr) };
  const { throttlingMethod, throttling } = lhr.configSettings;
  const score = lhr.categories.performance?.score ?? 1;
  const blockingMs = lhr.audits['total-blocking-time']?.numericValue ?? 0;
  const hasToGain = score <= mostScore || blockingMs >= mostBlockingMs;
  const isWorthIt = hasToGain && waitedMs * throttling.cpuSlowdownMultiplier >= leastWaitedMs;
  if (throttlingMethod !== 'simulate' || !isWorthIt) return waits;
  const without = await simulateWithout({ artifacts, lhr });
  return { ...waits, ...(without ? { without } : {}) };
}
