import type { MetricsRegistry } from '../../telemetry/metrics.ts';
import type { Route } from '../route.ts';

export const metricsRoute = ({ metrics }: { metrics: MetricsRegistry }): Route => ({
  operation: {
    method: 'GET',
    path: '/metrics',
    tag: 'system',
    summary: 'Metrics for Prometheus',
    description: 'Counters and gauges in the Prometheus text format. Labels never name a page or a client.',
    fileType: 'text/plain',
  },
  effort: 'read',
  handle: async (_request, reply) => reply.header('content-type', metrics.contentType).send(await metrics.toText()),
});
