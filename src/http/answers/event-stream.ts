import type { FastifyReply } from 'fastify';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { ClientDisconnected, onceClosed } from '../server/client-signal.ts';
import { heartbeatMs as usualHeartbeatMs } from './heartbeat.ts';
import { type JsonPart, mergeBytes, type PartSource } from './json-parts.ts';
import { streamParts } from './send-parts.ts';

/** Response of long work as server-sent events. The last event is the response itself. */

export const eventStream = 'text/event-stream';

export const eventsSchema = {
  type: 'string',
  description:
    'Server-sent events, each with JSON data: `queued` (position), `started` and `progress` (stage) name their part (`source`, `strategy`); ' +
    'in a batch, `progress` reports each finished page (`stage` `finished`, `index`, `url`, `done`, `total`); ' +
    'the last event is `result` with the body of the JSON response, or `failed` with the Problem.',
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Interval of heartbeats in streamed responses, in milliseconds; undefined for the default. */
    heartbeatMs: number | undefined;
  }
}

export type Events = {
  send(event: string, data: unknown): void;
  /** Sends the last event. @param data the same as in a plain JSON response */
  end(event: 'result' | 'failed', data: PartSource): void;
};

const heartbeat = Buffer.from(': \n\n');
const endOfEvent = Buffer.from('\n\n');

/** JSON contains no line break, so it is one `data` line. */
const startOfEvent = (event: string): Buffer => Buffer.from(`event: ${event}\ndata: `);

async function* toLastEvent(event: string, data: PartSource): AsyncGenerator<JsonPart> {
  if (Array.isArray(data)) return yield* mergeBytes([startOfEvent(event), ...data, endOfEvent]);
  yield startOfEvent(event);
  yield* data;
  yield endOfEvent;
}

/**
 * Event source that the reader pulls from: events wait for a slow reader, and a heartbeat is sent only if the reader
 * waits and there is no event. Thus no heartbeat follows the last event, and heartbeats never queue up.
 */
function createEventSource(heartbeatMs: number) {
  // The heartbeat sends the headers, because the first event may take a while.
  let waiting: Buffer[] = [heartbeat];
  let last: { event: string; data: PartSource } | undefined;
  let isHeartbeatDue = false;
  let end: { error?: unknown } | undefined;
  let wake = () => {};

  const clock = setInterval(() => {
    isHeartbeatDue = true;
    wake();
  }, heartbeatMs);

  const takeWaiting = (): Buffer => {
    const taken = waiting;
    waiting = [];
    isHeartbeatDue = false;
    return Buffer.concat(taken);
  };

  const untilWoken = () =>
    new Promise<void>(resolve => {
      wake = resolve;
    });

  async function* toParts(): AsyncGenerator<JsonPart> {
    while (!end) {
      if (isHeartbeatDue && waiting.length === 0) waiting.push(heartbeat);
      if (waiting.length > 0) yield takeWaiting();
      else if (last) return yield* toLastEvent(last.event, last.data);
      else await untilWoken();
    }
    if (end.error) throw end.error;
  }

  const events: Events = {
    send(event, data) {
      waiting.push(Buffer.concat([startOfEvent(event), toJson(data), endOfEvent]));
      wake();
    },
    end(event, data) {
      last = { event, data };
      wake();
    },
  };

  return {
    events,
    toParts,
    /** Ends the stream; an error marks it as cut off. */
    close(error?: unknown) {
      clearInterval(clock);
      end ??= { error };
      wake();
    },
  };
}

/**
 * Runs long work and sends its events; headers are sent immediately.
 * @param work must throw nothing but ClientDisconnected
 */
export function sendEvents(reply: FastifyReply, work: (events: Events) => Promise<void>): FastifyReply {
  const source = createEventSource(reply.server.heartbeatMs ?? usualHeartbeatMs);
  onceClosed(reply, () => source.close());
  work(source.events).catch(error => source.close(error instanceof ClientDisconnected ? undefined : error));
  reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
  return streamParts(reply, source.toParts(), eventStream);
}
