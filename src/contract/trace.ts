/** Position of work in the trace of its request, as W3C Trace Context defines it. It is passed along with the work. */
export type TraceContext = { traceparent: string; tracestate?: string };

/** Passes the context of a trace to another process, and continues the trace there. */
export type TracePath = {
  /** Returns the current context; undefined outside of any trace. */
  current(): TraceContext | undefined;
  within<T>(context: TraceContext | undefined, work: () => T): T;
};
