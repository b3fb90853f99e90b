/** Where work stands in the trace of its request, as W3C Trace Context writes it. It travels with the work. */
export type TraceContext = { traceparent: string; tracestate?: string };

/** For a part that hands work to another process: what to give along, and how to go on there. */
export type TracePath = {
  /** Undefined outside of any trace. */
  current(): TraceContext | undefined;
  /** What the work begins belongs to that trace. */
  within<T>(context: TraceContext | undefined, work: () => T): T;
};
