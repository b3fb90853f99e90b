import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import type { OpenSpan, Tracing } from '../../telemetry/tracing/tracing.ts';

/** As nginx has it, for a client that disconnected. */
const disconnected = '499';

/** Paths without a route are one. */
const routeless = 'none';

export function registerRequestCount(app: FastifyInstance, metrics: Pick<Metrics, 'countRequest'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      const status = reply.raw.writableFinished ? String(reply.statusCode) : disconnected;
      const route = request.routeOptions.url ?? routeless;
      metrics.countRequest({ method: request.method, route, status }, reply.elapsedTime / 1000);
    });
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if traces are off, and for what only looks after the service. */
    span: OpenSpan | undefined;
  }
}

/** They are asked every few seconds, and do nothing. */
const untraced = new Set(['/health', '/health/ready', '/metrics']);

/** One span for each request, named after its route: no address of a page is in it. */
export function registerTracing(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url;
    if (route !== undefined && untraced.has(route)) return done();
    const facts = { 'http.request.method': method, ...(route === undefined ? {} : { 'http.route': route }) };
    const span = tracing.openRequest(route === undefined ? method : `${method} ${route}`, request.headers, facts);
    request.span = span;
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      if (!reply.raw.writableFinished) return span.end(request.notes?.cutOff ?? 'client_disconnected');
      const [code = String(statusCode)] = request.notes?.codes ?? [];
      span.end(statusCode < 500 ? undefined : code, { 'http.response.status_code': statusCode });
    });
    done();
  });
  // Here, because the body has come: what reads it runs for the connection, not for the request.
  app.addHook('preHandler', (request, _reply, done) => (request.span ? request.span.within(done) : done()));
}
