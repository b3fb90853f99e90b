/** The position of work in the trace of its request, as W3C Trace Context defines it. It travels with the work. */
export type TraceContext = { traceparent: string; tracestate?: string };

/** For code that hands work to another process: the context to pass on, and the way to continue there. */
export type TracePath = {
  /** Returns the current context; undefined outside of any trace. */
  current(): TraceContext | undefined;
  /** Runs work within that trace. */
  within<T>(context: TraceContext | undefined, work: () => T): T;
};
