import type { FastifyInstance } from 'fastify';
import type { MetricsRegistry } from '../../telemetry/metrics.ts';
import type { OpenSpan, Tracing } from '../../telemetry/tracing/tracing.ts';
import { onceClosed } from './client-signal.ts';

/** Status of a client that disconnected, as in nginx. */
const disconnected = '499';

/** Route name of unrouted paths. */
const routeless = 'none';

export function registerRequestCount(app: FastifyInstance, metrics: Pick<MetricsRegistry, 'countRequest'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    onceClosed(reply, () => {
      const status = reply.raw.writableFinished ? String(reply.statusCode) : disconnected;
      const route = request.routeOptions.url ?? routeless;
      metrics.countRequest({ method: request.method, route, status }, reply.elapsedTime / 1000);
    });
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Span of the request; undefined if tracing is off, and for monitoring requests. */
    span: OpenSpan | undefined;
  }
}

/** Monitoring paths, which are requested every few seconds. */
const untraced = new Set(['/health', '/health/ready', '/metrics']);

/** Creates one span for each request, named after its route. It contains no URL of a page. */
export function registerTracing(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url;
    if (route !== undefined && untraced.has(route)) return done();
    const facts = { 'http.request.method': method, ...(route === undefined ? {} : { 'http.route': route }) };
    const span = tracing.openRequest(route === undefined ? method : `${method} ${route}`, request.headers, facts);
    request.span = span;
    onceClosed(reply, () => {
      const { statusCode } = reply;
      if (!reply.raw.writableFinished) return span.end(request.notes?.cutOff ?? 'client_disconnected');
      const [code = String(statusCode)] = request.notes?.codes ?? [];
      span.end(statusCode < 500 ? undefined : code, { 'http.response.status_code': statusCode });
    });
    done();
  });
  // In this hook, the body has arrived: code that reads it runs in the context of the connection, not of the request.
  app.addHook('preHandler', (request, _reply, done) => (request.span ? request.span.within(done) : done()));
}
