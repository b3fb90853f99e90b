/**
 * How long the page had to wait for a processor, and what it scores without that. Of each task of the main thread
 * Chromium writes into the trace how long it took, and how long its thread was running meanwhile. What lies between is
 * the time of others: programs beside the browser, its own other processes, a limit of the container.
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

/**
 * Milliseconds that tasks of the page's main thread had no processor for.
 * @returns undefined where the trace does not say
 */
export function toWaitedMs({ traceEvents }: Trace): number | undefined {
  try {
    const keyEvents: TraceEvent[] = TraceProcessor.filteredTraceSort(traceEvents, isKey);
    const threads = TraceProcessor.findMainFramePidTids(TraceProcessor.findMainFrameIds(keyEvents), keyEvents);
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

/** The same load, with a processor for every task at once; undefined where it cannot be simulated. */
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
  const { throttlingMethod, throttling } = lhr.configSettings;
  const score = lhr.categories.performance?.score ?? 1;
  const blockingMs = lhr.audits['total-blocking-time']?.numericValue ?? 0;
  const hasToGain = score <= mostScore || blockingMs >= mostBlockingMs;
  const isWorthIt = hasToGain && waitedMs * throttling.cpuSlowdownMultiplier >= leastWaitedMs;
  if (throttlingMethod !== 'simulate' || !isWorthIt) return { waitedMs };
  const without = await simulateWithout(artifacts);
  return { waitedMs, ...(without ? { without } : {}) };
}
