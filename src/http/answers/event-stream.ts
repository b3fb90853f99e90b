import type { FastifyReply } from 'fastify';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { ClientDisconnected, onceClosed } from '../server/client-signal.ts';
import { heartbeatMs as usualHeartbeatMs } from './heartbeat.ts';
import { type JsonPart, mergeBytes, type PartSource } from './json-parts.ts';
import { streamParts } from './send-parts.ts';

/** The answer of long work while it runs: server-sent events, the last of which is the answer itself. */

export const eventStream = 'text/event-stream';

/** As `/openapi.json` describes it. */
export const eventsSchema = {
  type: 'string',
  description:
    'Server-sent events, each with JSON data: `queued` (position), `started` and `progress` (stage) name their part (`source`, `strategy`); ' +
    'in a batch, `progress` reports each finished page (`stage` `finished`, `index`, `url`, `done`, `total`); ' +
    'the last event is `result` with the body of the JSON answer, or `failed` with the Problem.',
};

declare module 'fastify' {
  interface FastifyInstance {
    /** How long a stream of events is silent at most; undefined: as long as usual. */
    heartbeatMs: number | undefined;
  }
}

export type Events = {
  send(event: string, data: unknown): void;
  /** The last event. @param data as JSON without would have carried it */
  end(event: 'result' | 'failed', data: PartSource): void;
};

const heartbeat = Buffer.from(': \n\n');
const endOfEvent = Buffer.from('\n\n');

/** JSON holds no line break, so it is one line of data. */
const startOfEvent = (event: string): Buffer => Buffer.from(`event: ${event}\ndata: `);

async function* toLastEvent(event: string, data: PartSource): AsyncGenerator<JsonPart> {
  if (Array.isArray(data)) return yield* mergeBytes([startOfEvent(event), ...data, endOfEvent]);
  yield startOfEvent(event);
  yield* data;
  yield endOfEvent;
}

/**
 * What is sent, drawn by the reader: events wait for a slow one, and a heartbeat is made when it reads and there is
 * nothing else. So no heartbeat comes after the last event, and never two wait.
 */
function createEventSource(heartbeatMs: number) {
  // Sends the headers: the first event may take a while.
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
    /** Ends the stream where it is; with an error, as one that was cut off. */
    close(error?: unknown) {
      clearInterval(clock);
      end ??= { error };
      wake();
    },
  };
}

/** Runs long work and sends its events; headers go out at once. @param work must not throw but ClientDisconnected */
export function sendEvents(reply: FastifyReply, work: (events: Events) => Promise<void>): FastifyReply {
  const source = createEventSource(reply.server.heartbeatMs ?? usualHeartbeatMs);
  onceClosed(reply, () => source.close());
  work(source.events).catch(error => source.close(error instanceof ClientDisconnected ? undefined : error));
  reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
  return streamParts(reply, source.toParts(), eventStream);
}
