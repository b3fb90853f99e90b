/**
 * Measures layout shifts before the browser has painted the whole HTML. They depend on how fast the HTML and other
 * files arrive: if the browser paints a part of the page, the rest may push it away. So the same page may shift in one
 * load and not in the next.
 */
import { TraceProcessor } from 'lighthouse/core/lib/tracehouse/trace-processor.js';

/** The part of the trace format that this module reads. Times in microseconds. */
type TraceEvent = {
  name: string;
  cat: string;
  ts: number;
  args?: {
    frame?: string;
    data?: { frame?: string; documentLoaderURL?: string; is_main_frame?: boolean; weighted_score_delta?: number };
  };
};

/**
 * Max time from the end of the HTML to the paint of its last part. If that part is empty, nothing is painted, and a
 * later shift has another cause.
 */
const lastPaintUs = 100_000;

const wanted: ReadonlySet<string> = new Set(['navigationStart', 'domInteractive', 'Paint', 'LayoutShift']);

const isNavigation = ({ name, args }: TraceEvent): boolean =>
  name === 'navigationStart' && /^https?:/.test(args?.data?.documentLoaderURL ?? '');

/**
 * Returns the sum of all layout shifts of the main frame between its navigation and the first paint of its whole HTML;
 * 0 if there are none, or if the trace lacks the data.
 */
export function toEarlyShift({ traceEvents }: { traceEvents: TraceEvent[] }): number {
  try {
    const { frameId } = TraceProcessor.findMainFrameIds(traceEvents);
    const isOfFrame = ({ args }: TraceEvent) => (args?.frame ?? args?.data?.frame) === frameId;
    const events = traceEvents.filter(event => wanted.has(event.name) && isOfFrame(event));
    events.sort((one, other) => one.ts - other.ts);
    const start = events.findLastIndex(isNavigation);
    // The initial empty document is parsed before.
    const parsed = events.findLastIndex(({ name }, at) => start !== -1 && at > start && name === 'domInteractive');
    const parsedTs = events[parsed]?.ts;
    if (parsedTs === undefined) return 0;
    const painted = events.findIndex(
      ({ name, ts }, at) => at > parsed && (name === 'Paint' || ts > parsedTs + lastPaintUs),
    );
    return events
      .slice(start, painted === -1 ? events.length : painted)
      .filter(({ name, args }) => name === 'LayoutShift' && args?.data?.is_main_frame)
      .reduce((sum, { args }) => sum + (args?.data?.weighted_score_delta ?? 0), 0);
  } catch {
    return 0;
  }
}
