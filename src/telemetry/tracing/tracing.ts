/**
 * Interface for spans of a request, for OpenTelemetry. If tracing is off, no code of OpenTelemetry is loaded, and no
 * part of the service is wrapped.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { TracePath } from '../../contract/trace.ts';

export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export type OpenSpan = {
  /** Hexadecimal id, the same for all spans of one request. */
  readonly traceId: string;
  /** Runs work whose spans are children of this span. */
  within<T>(work: () => T): T;
  note(event: string): void;
  /** @param error code of a failure; a disconnected client is not an error */
  end(error?: string, facts?: SpanFacts): void;
};

export const disconnected = 'client_disconnected';

export type Tracing = TracePath & {
  /** Continues the client's trace, or starts one. */
  openRequest(name: string, headers: IncomingHttpHeaders, facts: SpanFacts): OpenSpan;
  /** Opens a span for a part of the current work. @param kind `client` for a call to another machine */
  open(name: string, facts: SpanFacts, kind?: 'internal' | 'client'): OpenSpan;
  /** Sends the remaining spans, within two seconds. */
  close(): Promise<void>;
};
