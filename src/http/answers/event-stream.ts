import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type JsonBytes, toJson } from '../report/json-bytes.ts';
import { CallerLeft } from './caller.ts';

/** The answer of long work while it is under way: server-sent events, the last of which is the answer itself. */

export const eventStream = 'text/event-stream';

/** As `/openapi.json` describes it. */
export const eventsSchema = {
  type: 'string',
  description:
    'Server-sent events, each with JSON data: `queued` (position), `started` and `progress` (stage) name the part they are of (`source`, `strategy`); ' +
    'of a batch `progress` tells each page that is through (`stage` `finished`, `url`, `done`, `total`); ' +
    'the last one is `result` with the body of the JSON answer, or `failed` with the Problem.',
};

/** Proxies close a connection on which nothing was heard for a minute. */
const heartbeatMs = 15_000;

export type Events = {
  send(event: string, data: unknown): void;
  /** The last event. @param data as JSON without would have carried it */
  end(event: 'result' | 'failed', data: JsonBytes): void;
};

/** JSON holds no line break, so it is one line of data. */
const toEvent = (event: string, data: JsonBytes): Buffer =>
  Buffer.concat([Buffer.from(`event: ${event}\ndata: `), data, Buffer.from('\n\n')]);

/** Runs long work and sends what it tells; headers go out at once. @param work must not throw but CallerLeft */
export function sendEvents(reply: FastifyReply, work: (events: Events) => Promise<void>): FastifyReply {
  const stream = new PassThrough();
  const heartbeat = setInterval(() => stream.write(': \n\n'), heartbeatMs);
  const events: Events = {
    send: (event, data) => void stream.write(toEvent(event, toJson(data))),
    end: (event, data) => void stream.end(toEvent(event, data)),
  };
  stream.once('close', () => clearInterval(heartbeat));
  // Sends the headers: the first event may take a while.
  stream.write(': \n\n');
  work(events).catch(error => stream.destroy(error instanceof CallerLeft ? undefined : error));
  return reply
    .code(200)
    .header('content-type', eventStream)
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(stream);
}
