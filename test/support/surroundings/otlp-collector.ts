/** Receives traces as an OpenTelemetry collector does, over HTTP on loopback. It reads OTLP as JSON. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Arrivals, createArrivals } from '../arrivals.ts';
import type { Scope } from '../start-service.ts';

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string; boolValue?: boolean } };
type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
  events?: { name: string }[];
  status?: { code?: number };
};
type Sent = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[] };

export type Facts = Readonly<Record<string, unknown>>;
export type TracedSpan = Omit<SentSpan, 'attributes'> & { readonly facts: Facts; readonly resource: Facts };

export type Collector = {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: Arrivals<TracedSpan>;
  /** Content types, paths and bodies, as received. */
  readonly posts: Arrivals<{ type: string; path: string; body: Buffer }>;
  /** Waits for the first matching span of this name. */
  find(name: string, isWanted?: (span: TracedSpan) => boolean): Promise<TracedSpan>;
};

const toFacts = (attributes: readonly Attribute[]): Facts =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const toSpans = ({ resourceSpans }: Sent): TracedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, ...span }) => ({
        ...span,
        facts: toFacts(attributes),
        resource: toFacts(resource.attributes),
      })),
    ),
  );

export async function startCollector(scope: Scope): Promise<Collector> {
  const spans = createArrivals<TracedSpan>();
  const posts: Collector['posts'] = createArrivals();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const type = request.headers['content-type'] ?? '';
    posts.add({ type, path: request.url ?? '', body });
    if (type === 'application/json') for (const span of toSpans(JSON.parse(body.toString()))) spans.add(span);
    response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    posts,
    async find(name, isWanted = () => true) {
      const [span] = await spans.waitFor(1, each => each.name === name && isWanted(each));
      return span as TracedSpan;
    },
  };
}

/** The environment variables of OpenTelemetry's packages, which send to this collector. */
export const toTraceVariables = ({ endpoint }: Collector, protocol = 'http/json') => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  // Exports almost at once, because the test waits for the spans.
  OTEL_BSP_SCHEDULE_DELAY: '20',
});

/** Sets those variables in this process, where OpenTelemetry's packages read them, and returns them. */
export function sendTracesTo(collector: Collector): Record<string, string> {
  const environment = toTraceVariables(collector);
  Object.assign(process.env, environment);
  return environment;
}
