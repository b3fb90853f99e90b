import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';

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
