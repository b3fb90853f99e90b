/**
 * Measures how much of a page's layout shift depends on how fast its HTML and other files arrive: if the browser paints
 * a part of the page, the rest may push it away. So the same page may shift in one load and not in the next. Internal
 * modules of Lighthouse read the trace, so shifts count as in the metric; early-shift.test.ts detects when they move.
 */
import { CumulativeLayoutShift } from 'lighthouse/core/computed/metrics/cumulative-layout-shift.js';
import { TraceProcessor } from 'lighthouse/core/lib/tracehouse/trace-processor.js';

type Trace = Parameters<typeof TraceProcessor.processTrace>[0];
/** Time in microseconds. */
type TraceEvent = { name: string; ts: number };

/**
 * Max time in microseconds from the end of the HTML to the paint of its last part. If that part is empty, nothing is
 * painted, and a later shift has another cause.
 */
const lastPaintUs = 100_000;

/**
 * Returns by how much cumulative layout shift would be smaller without the shifts of the main frame that happened before
 * its whole HTML was painted; 0 if the trace lacks the data.
 */
export function toEarlyShift(trace: Trace): number {
  try {
    const processed = TraceProcessor.processTrace(trace);
    const { timestamps } = processed;
    const frameEvents: TraceEvent[] = processed.frameEvents;
    // The initial empty document is parsed before the page.
    const parsed = frameEvents.findLast(({ name, ts }) => name === 'domInteractive' && ts > timestamps.timeOrigin);
    if (!parsed) return 0;
    const painted = frameEvents.find(({ name, ts }) => name === 'Paint' && ts > parsed.ts);
    const end = Math.min(painted?.ts ?? Number.POSITIVE_INFINITY, parsed.ts + lastPaintUs);
    const shifts = CumulativeLayoutShift.getLayoutShiftEvents(processed);
    const later = shifts.filter(({ ts, isMainFrame }) => !isMainFrame || ts > end);
    return CumulativeLayoutShift.calculate(shifts) - CumulativeLayoutShift.calculate(later);
  } catch {
    return 0;
  }
}
