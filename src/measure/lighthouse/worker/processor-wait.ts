/**
 * How long the page had to wait for a processor, and what it scores without that. Of each task of the main thread
 * Chromium writes into the trace how long it took, and how long its thread was running meanwhile. What lies between is
 * the time of others: programs next to the browser, its own other processes, a limit of the container.
 * The trace is read by an inner module of Lighthouse: processor-wait.test.ts notices when it moves.
 */
import type { RunnerResult } from 'lighthouse';
import { TraceProcessor } from 'lighthouse/core/lib/tracehouse/trace-processor.js';
import { type PageChanges, type ProcessorWait, wholeScore } from '../messages.ts';
import { auditAgain } from './re-audit.ts';

/** Of the trace format, what is read here; times in microseconds. */
type TraceEvent = {
  name: string;
  cat: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** How long the thread was running. */
  tdur?: number;
  args?: { data?: { url?: string } };
};
export type Trace = { traceEvents: TraceEvent[] };

/** Where tasks waited less, as the simulation counts them, no score changes by what is worth a word. */
const leastWaitedMs = 150;
/** The same of a score that has not so much left to gain, with little blocking time. */
const mostScore = 0.97;
const mostBlockingMs = 100;

const withoutWait: PageChanges = { without: [], transferSizes: {}, scriptShares: {}, withoutWait: true };

const isKey = ({ cat }: TraceEvent): boolean =>
  cat === '__metadata' || cat.includes('loading') || cat.includes('devtools.timeline');

/** The main threads of the page, by their processes. */
function toMainThreads(traceEvents: TraceEvent[]): Map<number, number> {
  const keyEvents: TraceEvent[] = TraceProcessor.filteredTraceSort(traceEvents, isKey);
  return TraceProcessor.findMainFramePidTids(TraceProcessor.findMainFrameIds(keyEvents), keyEvents);
}

/**
 * Milliseconds that tasks of the page's main thread had no processor for.
 * @returns undefined if the trace does not say
 */
export function toWaitedMs({ traceEvents }: Trace): number | undefined {
  try {
    const threads = toMainThreads(traceEvents);
    let [waited, count] = [0, 0];
    for (const event of traceEvents) {
      const { pid, tid, dur, tdur } = event;
      if (dur === undefined || tdur === undefined || threads.get(pid) !== tid) continue;
      if (!TraceProcessor.isScheduleableTask(event)) continue;
      waited += Math.max(0, dur - tdur);
      count += 1;
    }
    return count === 0 ? undefined : waited / 1000;
  } catch {
    return undefined;
  }
}

/** Work of a page that can make something visible. */
const revealing: ReadonlySet<string> = new Set([
  ...['TimerFire', 'FireAnimationFrame', 'FireIdleCallback', 'XHRReadyStateChange', 'XHRLoad', 'ParseHTML'],
]);
/**
 * Of a script with an address only: the page is asked whether it answers all the time, and that is a script without
 * one.
 */
const scripts: ReadonlySet<string> = new Set(['EvaluateScript', 'FunctionCall']);

const isRevealing = ({ name, args }: TraceEvent): boolean =>
  revealing.has(name) || (scripts.has(name) && Boolean(args?.data?.url));

/**
 * Milliseconds between the page's last work before its first contentful paint and that paint: a page that a timer
 * reveals paints at once then, and a browser that paints late does nothing for a while.
 * @param paintTs trace time of the paint, in microseconds
 * @returns undefined if the trace does not say
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

/** A first paint that comes later after the load event is looked into. */
const leastLateMs = 1000;

function findPaintWait(trace: Trace, { audits }: RunnerResult['lhr']): Pick<ProcessorWait, 'paintWaitMs'> {
  const { details } = audits.metrics ?? {};
  const [observed] = details?.type === 'debugdata' ? (details.items as Record<string, number>[]) : [];
  const { observedLoad, observedFirstContentfulPaint: paint, observedFirstContentfulPaintTs: paintTs } = observed ?? {};
  if (observedLoad === undefined || paint === undefined || paintTs === undefined) return {};
  const paintWaitMs = paint - observedLoad < leastLateMs ? undefined : toPaintWaitMs(trace, paintTs);
  return paintWaitMs === undefined ? {} : { paintWaitMs };
}

/** The same load, with a processor for every task at once; undefined if it cannot be simulated. */
async function simulateWithout(artifacts: RunnerResult['artifacts']): Promise<ProcessorWait['without']> {
  const [again = {}] = await auditAgain(artifacts, [{ page: withoutWait }]).catch(() => []);
  const performance = again[wholeScore]?.score;
  const totalBlockingMs = again['total-blocking-time']?.value;
  return typeof performance === 'number' && typeof totalBlockingMs === 'number'
    ? { performance, totalBlockingMs }
    : undefined;
}

/** Of a load that is not simulated the wait alone is told: it is in all that was observed. */
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
  const without = await simulateWithout(artifacts);
  return { ...waits, ...(without ? { without } : {}) };
}
