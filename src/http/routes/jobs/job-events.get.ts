import type { FollowedEvent } from '../../../jobs/follow-job.ts';
import { jobNotFound } from '../../../jobs/problems.ts';
import { eventStream } from '../../answers/event-stream.ts';
import { withHeartbeats } from '../../answers/heartbeat.ts';
import { streamParts } from '../../answers/send-parts.ts';
import type { Route } from '../../route.ts';
import { clientSignal } from '../../server/client-signal.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';

const heartbeat = Buffer.from(': \n\n');

/** JSON contains no line break, so it is one `data` line. */
const toBytes = ({ number, event, data }: FollowedEvent): Buffer =>
  Buffer.from(`id: ${number}\nevent: ${event}\ndata: ${data}\n\n`);

async function* toParts(events: AsyncIterable<FollowedEvent>): AsyncGenerator<Buffer> {
  // The heartbeat sends the headers, because the first event may take a while.
  yield heartbeat;
  for await (const event of events) yield toBytes(event);
}

const toNumber = (lastEventId: string | string[] | undefined): number =>
  typeof lastEventId === 'string' && /^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : 0;

export const jobEventsRoute = ({ jobs }: JobsSource): Route => ({
  operation: {
    method: 'GET',
    path: '/jobs/{id}/events',
    tag: 'jobs',
    summary: 'Follow a job',
    description:
      'The events of the job from its start, or after `Last-Event-ID`. The last one is `result` with the job, or `failed` with the Problem.',
    isEventStream: true,
  },
  effort: 'action',
  handle: async (request, reply) => {
    const { id } = request.params as { id: string };
    const after = toNumber(request.headers['last-event-id']);
    if (!(await askJobs(() => jobs.read(id)))) throw jobNotFound();
    if (await askJobs(() => jobs.hasAllEvents(id, after))) return reply.code(204).send();
    const events = jobs.follow(id, after, clientSignal(reply));
    reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
    return streamParts(reply, withHeartbeats(toParts(events), reply.server.heartbeatMs, heartbeat), eventStream);
  },
});
