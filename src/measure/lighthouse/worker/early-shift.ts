/**
 * Measures how much of a page's layout shift depends on how fast its HTML and other files arrive: if the browser paints
 * a part of the page, the rest may push it away. So the same page may shift in one load and not in the next. Internal
 * modules of Lighthouse read the trace, so shifts count as in the metric; early-shift.test.ts detects when they move.
 */
import { CumulativeLayoutShift } from 'lighthouse/core/computed/metrics/cumulative-layout-shift.js';
import { TraceProcessor } from 'lighthouse/core/lib/tracehouse/trace-processor.js';

type EngineTrace = Parameters<typeof TraceProcessor.processTrace>[0];
type EngineEvent = EngineTrace['traceEvents'][number];
/** An event of which Lighthouse's types lack where the parsed HTML comes from. */
type ParseEvent = EngineEvent & { args: { beginData?: { frame?: string; url?: string; stackTrace?: unknown } } };
type Processed = ReturnType<typeof TraceProcessor.processTrace>;

/**
 * Max time in microseconds from the last part of the HTML to its paint. If that part shows nothing, nothing is painted,
 * and a later shift has another cause.
 */
const lastPaintUs = 100_000;

/** Min time in microseconds of a task that parses HTML received earlier. The task that ends an empty rest is shorter. */
const parseUs = 50;

/**
 * Returns when the browser began to parse the last part of the HTML, in microseconds. The end of the document does not
 * count: the answer may stay open after its last byte. Nor does HTML that a script inserts.
 */
function findLastPart({ mainThreadEvents, mainFrameInfo, timeOriginEvt }: Processed): number | undefined {
  const document = timeOriginEvt.args.data?.navigationId;
  let hasNew = false;
  let last: number | undefined;
  for (const { name, ts, dur = 0, args } of mainThreadEvents as ParseEvent[]) {
    if (name === 'ResourceReceivedData' && args.data?.requestId === document) hasNew = true;
    const begun = name === 'ParseHTML' && ts > timeOriginEvt.ts ? args.beginData : undefined;
    // The initial empty document has no URL.
    if (begun?.frame !== mainFrameInfo.frameId || !begun.url || begun.stackTrace) continue;
    if (hasNew || dur >= parseUs) last = ts;
    hasNew = false;
  }
  return last;
}

/**
 * Returns by how much cumulative layout shift would be smaller without the shifts of the main frame that happened before
 * its whole HTML was painted; 0 if the trace lacks the data.
 */
export function toEarlyShift(trace: EngineTrace): number {
  try {
    const processed = TraceProcessor.processTrace(trace);
    const part = findLastPart(processed);
    if (part === undefined) return 0;
    const painted = processed.frameEvents.find(({ name, ts }: EngineEvent) => name === 'Paint' && ts > part);
    const end = Math.min(painted?.ts ?? Number.POSITIVE_INFINITY, part + lastPaintUs);
    const shifts = CumulativeLayoutShift.getLayoutShiftEvents(processed);
    const later = shifts.filter(({ ts, isMainFrame }) => !isMainFrame || ts > end);
    return CumulativeLayoutShift.calculate(shifts) - CumulativeLayoutShift.calculate(later);
  } catch {
    return 0;
  }
}
