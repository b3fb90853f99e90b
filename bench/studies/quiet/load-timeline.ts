/** When what happened in a load of plain `lighthouse()`: read from its trace, its network log and `/proc`. */
import type { RunnerResult } from 'lighthouse';
import { TraceProcessor } from 'lighthouse/core/lib/tracehouse/trace-processor.js';
import { readCpuMs } from '../../../src/measure/lighthouse/worker/browser-processes.ts';

/** A main-thread task. All times of a timeline are in milliseconds after the start of the navigation. */
export type Task = { readonly at: number; readonly ms: number };

export type LoadTimeline = {
  readonly firstPaint: number;
  readonly load: number;
  /** Time when Lighthouse stops waiting for the page. */
  readonly end: number;
  /** Tasks of at least 12.5 ms: simulated mobile throttling makes them long tasks. */
  readonly tasks: readonly Task[];
  readonly requests: readonly { readonly at: number; readonly end: number }[];
  readonly shifts: readonly number[];
  readonly paints: readonly number[];
  /** Last change of the picture, by Lighthouse's speed index. */
  readonly lastChange: number;
  /** CPU time of the browser since it started, in milliseconds. */
  readonly cpu: readonly { readonly at: number; readonly ms: number }[];
  /** Durations: before the navigation without the benchmark, from its end to the first artifact, then the rest. */
  readonly phases: {
    readonly setup: number;
    readonly finish: number;
    readonly gather: number;
    readonly compute: number;
  };
};

type CpuSample = { readonly monotonicMs: number; readonly ms: number };

/** A task that takes this long is long after a slowdown of 4. */
const leastTaskMs = 12.5;
const sampleMs = 50;

const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Samples the CPU time of a browser. Linux uses the same clock for traces and for `process.hrtime`. */
export function sampleCpu(group: number): { stop(): readonly CpuSample[] } {
  const samples: CpuSample[] = [];
  const timer = setInterval(() => {
    samples.push({ monotonicMs: monotonicMs(), ms: readCpuMs(group) ?? 0 });
  }, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      return samples;
    },
  };
}

type TraceEvent = {
  name: string;
  ts: number;
  dur?: number;
  args: { data?: { had_recent_input?: boolean; isMainFrame?: boolean; isOutermostMainFrame?: boolean } };
};
type Processed = { processEvents: TraceEvent[]; mainThreadEvents: TraceEvent[]; timestamps: { timeOrigin: number } };
type LogEntry = { method: string; params: { requestId?: string; timestamp?: number; request?: { url: string } } };

/** Reads the times of requests, because Lighthouse's records lack those that have not ended. */
function toRequests(log: readonly LogEntry[], fromOrigin: (monotonicMs: number) => number, end: number) {
  const requests = new Map<string, { at: number; end: number }>();
  for (const { method, params } of log) {
    const { requestId = '', timestamp = 0, request } = params;
    const at = fromOrigin(timestamp * 1000);
    const known = requests.get(requestId);
    if (method === 'Network.requestWillBeSent' && !known && /^http/.test(request?.url ?? ''))
      requests.set(requestId, { at, end });
    if (known && (method === 'Network.loadingFinished' || method === 'Network.loadingFailed'))
      requests.set(requestId, { ...known, end: at });
  }
  return [...requests.values()];
}

type Timing = { name: string; startTime: number; duration: number };
const endOf = ({ startTime, duration }: Timing) => startTime + duration;

/** @throws Error if Lighthouse's log lacks a phase */
function toPhases(timing: readonly Timing[]) {
  const find = (name: string) => {
    const found = timing.findLast(entry => entry.name === name);
    if (!found) throw new Error(`no timing of ${name}`);
    return found;
  };
  const [gather, compute] = [find('lh:runner:gather'), find('lh:runner:audit')];
  // The service has a benchmark of the last minutes.
  const benchmark = find('lh:gather:getBenchmarkIndex');
  const navigate = find('lh:driver:navigate');
  const firstArtifact = Math.min(
    ...timing.filter(({ name }) => name.startsWith('lh:gather:getArtifact')).map(({ startTime }) => startTime),
  );
  return {
    navigateMs: navigate.duration,
    phases: {
      setup: navigate.startTime - gather.startTime - benchmark.duration,
      finish: firstArtifact - endOf(navigate),
      gather: endOf(gather) - firstArtifact,
      compute: compute.duration,
    },
  };
}

/** @throws Error if the trace or the log lacks what a load has */
export function toTimeline({ artifacts, lhr }: RunnerResult, cpu: readonly CpuSample[]): LoadTimeline {
  const trace = artifacts.Trace;
  const { processEvents, mainThreadEvents, timestamps } = TraceProcessor.processTrace(trace) as unknown as Processed;
  const fromOrigin = (monotonicMs: number) => monotonicMs - timestamps.timeOrigin / 1000;
  const { navigateMs: end, phases } = toPhases(lhr.timing.entries as Timing[]);
  const { details } = lhr.audits.metrics ?? {};
  const [observed = {}] = details?.type === 'debugdata' ? (details.items as Record<string, number>[]) : [];
  const named = (name: string, isWanted: (event: TraceEvent) => boolean = () => true) =>
    processEvents.filter(event => event.name === name && isWanted(event)).map(({ ts }) => fromOrigin(ts / 1000));
  return {
    firstPaint: observed.observedFirstContentfulPaint ?? Number.NaN,
    load: observed.observedLoad ?? Number.NaN,
    end,
    tasks: mainThreadEvents
      .filter(event => TraceProcessor.isScheduleableTask(event) && (event.dur ?? 0) / 1000 >= leastTaskMs)
      .map(({ ts, dur = 0 }) => ({ at: fromOrigin(ts / 1000), ms: dur / 1000 }))
      .filter(({ at, ms }) => at + ms > 0),
    requests: toRequests(artifacts.DevtoolsLog as unknown as LogEntry[], fromOrigin, end),
    shifts: named('LayoutShift', ({ args }) => args.data?.had_recent_input !== true),
    paints: named('largestContentfulPaint::Candidate'),
    lastChange: observed.observedLastVisualChange ?? Number.NaN,
    cpu: cpu.map(({ monotonicMs, ms }) => ({ at: fromOrigin(monotonicMs), ms })),
    phases,
  };
}
