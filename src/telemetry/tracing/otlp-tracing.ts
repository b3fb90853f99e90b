/**
 * OpenTelemetry traces, sent with OTLP over HTTP. OpenTelemetry's packages read their environment variables
 * themselves.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TraceContext } from '../../contract/trace.ts';
import { disconnected, type OpenSpan, type SpanFacts, type Tracing } from './tracing.ts';

export type OtlpProtocol = { protocol: 'http/protobuf' | 'http/json' };

export type OtlpSettings = OtlpProtocol & {
  version: string;
  role: string;
  /** Called with the outcome of the first transmission, and with every change. */
  onState: (isSent: boolean, error?: unknown) => void;
};

/** Timeout for the last transmission when the service stops, because the collector may be unavailable. */
const lastSendMs = 2_000;

const createExporter = async (protocol: OtlpProtocol['protocol']): Promise<SpanExporter> => {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
};

/** Wraps an exporter to report when it fails, and when it works again. */
function withState(exporter: SpanExporter, onState: OtlpSettings['onState']): SpanExporter {
  let wasSent: boolean | undefined;
  const learn = ({ code, error }: ExportResult): void => {
    const isSent = code === ExportResultCode.SUCCESS;
    if (isSent !== wasSent) onState(isSent, error);
    wasSent = isSent;
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        learn(result);
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

const toResource = (version: string, role: string) =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'rangelight',
        'service.version': version,
        'service.instance.id': randomUUID(),
        'rangelight.role': role,
      }),
    )
    // Names set by the operator take precedence.
    .merge(detectResources({ detectors: [envDetector] }));

/** Creates tracing without globals, so that each of several services in one process has its own. */
export async function createOtlpTracing({ protocol, version, role, onState }: OtlpSettings): Promise<Tracing> {
  const provider = new BasicTracerProvider({
    resource: toResource(version, role),
    spanProcessors: [new BatchSpanProcessor(withState(await createExporter(protocol), onState))],
  });
  const tracer = provider.getTracer('rangelight', version);
  const propagator = new W3CTraceContextPropagator();
  const storage = new AsyncLocalStorage<Context>();
  const here = (): Context => storage.getStore() ?? ROOT_CONTEXT;
  const extract = (carrier: unknown): Context => propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);

  function end(span: Span, error: string | undefined, facts: SpanFacts): void {
    span.setAttributes({ ...facts, ...(error === undefined ? {} : { 'error.type': error }) });
    if (error !== undefined && error !== disconnected) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  function open(name: string, kind: SpanKind, attributes: SpanFacts, parent: Context): OpenSpan {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    const context = trace.setSpan(parent, span);
    return {
      traceId: span.spanContext().traceId,
      within: work => storage.run(context, work),
      note: event => void span.addEvent(event),
      end: (error, facts = {}) => end(span, error, facts),
    };
  }

  return {
    openRequest: (name, headers, facts) => open(name, SpanKind.SERVER, facts, extract(headers)),
    open: (name, facts, kind = 'internal') =>
      open(name, kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, facts, here()),
    current() {
      const carrier: Partial<TraceContext> = {};
      propagator.inject(here(), carrier, defaultTextMapSetter);
      return carrier.traceparent === undefined ? undefined : { ...carrier, traceparent: carrier.traceparent };
    },
    within: (context, work) => (context ? storage.run(extract(context), work) : work()),
    async close() {
      const isOver = new AbortController();
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, delay(lastSendMs, undefined, { signal: isOver.signal }).catch(() => {})]);
      isOver.abort();
    },
  };
}
