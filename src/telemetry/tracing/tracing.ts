/**
 * Spans of what a request does, for OpenTelemetry. This file only says what there is: where traces are off, nothing of
 * OpenTelemetry is loaded, and no part of the service is wrapped.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { TracePath } from '../../contract/trace.ts';

export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export type OpenSpan = {
  /** In hexadecimal digits; the same for all spans of one request. */
  readonly traceId: string;
  /** Spans that the work starts are children of this span. */
  within<T>(work: () => T): T;
  /** Something that happens at one moment. */
  note(event: string): void;
  /** @param error the code of what failed; a client that disconnected is no error of ours */
  end(error?: string, facts?: SpanFacts): void;
};

export const disconnected = 'client_disconnected';

export type Tracing = TracePath & {
  /** Goes on with the trace that the client has started, or starts one. */
  openRequest(name: string, headers: IncomingHttpHeaders, facts: SpanFacts): OpenSpan;
  /** Part of what runs now. @param kind `client` for a call of another machine */
  open(name: string, facts: SpanFacts, kind?: 'internal' | 'client'): OpenSpan;
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>;
};
