import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AnalysisError } from '../../contract/errors.ts';
import { onceClosed } from '../server/client-signal.ts';
import type { Connections } from '../server/connections.ts';
import { maxConnections } from '../server/server-limits.ts';
import type { ToClientId } from './api-keys.ts';

/** Max number of parallel requests of one client, so that it cannot lock out others. */
const maxAnswersPerClient = Math.ceil(maxConnections * 0.75);
const maxStreams = Math.ceil(maxConnections / 2);
const maxStreamsPerClient = Math.ceil(maxConnections / 8);
/** Paths that always get a response, from memory: monitoring must work under any load. */
const probes = new Set(['/health', '/health/ready', '/metrics']);

const retryAfterSeconds = 5;
export const tooMany = (detail: string) =>
  new AnalysisError('rate_limited', `${detail} Retry in ${retryAfterSeconds} s.`, { retryAfterSeconds });
export const isBusy = (detail: string) =>
  new AnalysisError('queue_full', `${detail} Retry in ${retryAfterSeconds} s.`, { retryAfterSeconds });

/** Counts by name; a name with a count of zero is removed. */
export function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    add(name: string, change: number): void {
      const count = (counts.get(name) ?? 0) + change;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
  };
}

/** Returns whether the response may stay open for minutes: events, or JSON lines. */
const isStream = ({ headers: { accept = '' }, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  url.endsWith('/events') || accept.includes('text/event-stream') || accept.includes('application/x-ndjson');

export function registerClientLimits(
  app: FastifyInstance,
  { connections, toClientId }: { connections: Connections; toClientId: ToClientId },
): void {
  const answers = createCounts();
  const streams = createCounts();
  let streamCount = 0;

  const refusalOf = (client: string, isOfStream: boolean): AnalysisError | undefined => {
    if (connections.isFull()) return isBusy('The service has no free connection.');
    if (answers.of(client) >= maxAnswersPerClient)
      return tooMany(`This client already has ${maxAnswersPerClient} requests in flight.`);
    if (isOfStream && streams.of(client) >= maxStreamsPerClient)
      return tooMany(`This client already has ${maxStreamsPerClient} streams open: close one.`);
    if (isOfStream && streamCount >= maxStreams) return isBusy('The service has no free stream.');
    return undefined;
  };

  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404 || probes.has(request.routeOptions.url ?? '')) return done();
    const client = toClientId(request);
    const isOfStream = isStream(request);
    const refusal = refusalOf(client, isOfStream);
    if (refusal) {
      // The connection is closed, because too many are open.
      reply.header('connection', 'close');
      return done(refusal);
    }
    answers.add(client, 1);
    if (isOfStream) {
      streams.add(client, 1);
      streamCount += 1;
    }
    onceClosed(reply, () => {
      answers.add(client, -1);
      if (isOfStream) {
        streams.add(client, -1);
        streamCount -= 1;
      }
    });
    done();
  });
}
