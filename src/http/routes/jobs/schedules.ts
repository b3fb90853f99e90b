import { JobsQuery } from '../../../contract/jobs/job.ts';
import {
  ScheduleAnswer,
  ScheduleFacts,
  ScheduleList,
  SchedulePatch,
  ScheduleRemoved,
  ScheduleRequest,
} from '../../../contract/jobs/schedule.ts';
import { scheduleNotFound } from '../../../jobs/problems.ts';
import type { ScheduleState } from '../../../jobs/schedules/schedules.ts';
import { sendJson } from '../../answers/answer.ts';
import { readIdempotencyKey } from '../../input/idempotency-key.ts';
import { createQueryReader, readBody } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { listBodyLimit } from '../../server/server-limits.ts';
import type { StoreSources } from '../results/stored.ts';
import { type AcceptSources, onceForKey } from './accept-job.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';
import { assertResumable, readScheduleRequest, toScheduleFacts } from './schedule-request.ts';

const shared = { tag: 'jobs' } as const;

const bodyOf = ({ body, contentType }: { body: unknown; contentType: string | undefined }) => ({
  bytes: body as Buffer | undefined,
  contentType,
});

export const addScheduleRoute = (sources: AcceptSources & StoreSources): Route => ({
  operation: {
    ...shared,
    method: 'POST',
    path: '/schedules',
    summary: 'Measure pages on a schedule',
    description:
      'Starts a job for these pages on a cron schedule or at an interval. A single job makes up for all missed runs. With the same `Idempotency-Key`, the same request returns the same schedule.',
    body: ScheduleRequest,
    answer: ScheduleAnswer,
    status: 201,
  },
  bodyLimit: listBodyLimit,
  effort: 'action',
  handle: async (request, reply) => {
    const order = readScheduleRequest(sources, bodyOf(request));
    const { schedules } = sources.jobs;
    const idempotency = readIdempotencyKey(request.headers, order);
    const earlier = idempotency && (await onceForKey(() => schedules.added(sources.toClientId(request), idempotency)));
    const add = async () => {
      const client = await sources.admit(request, order.urls, order.request.kind);
      return onceForKey(() => schedules.add({ ...order, client, idempotency }));
    };
    const schedule = earlier ?? (await add());
    reply.header('location', `/schedules/${schedule.id}`);
    return sendJson(reply, JSON.stringify({ ...toScheduleFacts(schedule), urls: order.urls }), 201);
  },
});

const readListQuery = createQueryReader(JobsQuery);

export const schedulesRoute = ({
  jobs,
  toClientId,
  assertOperator,
}: Pick<AcceptSources, 'jobs' | 'toClientId' | 'assertOperator'>): Route => ({
  operation: {
    ...shared,
    method: 'GET',
    path: '/schedules',
    summary: 'List your schedules',
    description:
      'The schedules of this client, newest first, without their URLs. `all=true` lists those of every client (operators only).',
    query: JobsQuery,
    answer: ScheduleList,
  },
  effort: 'read',
  handle: async (request, reply) => {
    const { limit, before, all } = readListQuery(request.query as string);
    if (all) assertOperator(request);
    const schedules = await askJobs(() => jobs.schedules.list(all ? null : toClientId(request), { limit, before }));
    const toFacts = (schedule: ScheduleState) => ({
      ...toScheduleFacts(schedule),
      ...(all ? { client: schedule.client } : {}),
    });
    return sendJson(reply, JSON.stringify({ schedules: schedules.map(toFacts) }));
  },
});

const idOf = ({ params }: { params: unknown }): string => (params as { id: string }).id;

export const scheduleRoute = ({ jobs }: JobsSource): Route => ({
  operation: {
    ...shared,
    method: 'GET',
    path: '/schedules/{id}',
    summary: 'Read a schedule',
    description: 'The next run, the pages, and the last job.',
    answer: ScheduleAnswer,
  },
  effort: 'read',
  handle: async (request, reply) => {
    const id = idOf(request);
    const schedule = await askJobs(() => jobs.schedules.read(id));
    if (!schedule) throw scheduleNotFound();
    const urls = await askJobs(() => jobs.schedules.urls(id));
    return sendJson(reply, JSON.stringify({ ...toScheduleFacts(schedule), urls }));
  },
});

export const pauseScheduleRoute = (sources: AcceptSources & StoreSources): Route => ({
  operation: {
    ...shared,
    method: 'PATCH',
    path: '/schedules/{id}',
    summary: 'Pause or resume a schedule',
    description:
      'A paused schedule skips its runs, and no job makes up for them. A resumed schedule uses the `TARGETS` and the analyser of the instance that handles this request.',
    body: SchedulePatch,
    answer: ScheduleFacts,
  },
  effort: 'action',
  handle: async (request, reply) => {
    const { paused } = readBody(SchedulePatch, bodyOf(request));
    const { schedules } = sources.jobs;
    const id = idOf(request);
    const known = await askJobs(() => schedules.read(id));
    if (!known) throw scheduleNotFound();
    if (!paused) assertResumable(sources, known, await askJobs(() => schedules.urls(id)));
    const schedule = await askJobs(() => schedules.pause(id, paused));
    if (!schedule) throw scheduleNotFound();
    return sendJson(reply, JSON.stringify(toScheduleFacts(schedule)));
  },
});

export const runScheduleRoute = ({ jobs }: JobsSource): Route => ({
  operation: {
    ...shared,
    method: 'POST',
    path: '/schedules/{id}/run',
    summary: 'Run a schedule now',
    description: 'Starts the next run now, or as soon as the last run has ended. A paused schedule does not run.',
    answer: ScheduleFacts,
  },
  effort: 'action',
  handle: async (request, reply) => {
    const schedule = await askJobs(() => jobs.schedules.runNow(idOf(request)));
    if (!schedule) throw scheduleNotFound();
    return sendJson(reply, JSON.stringify(toScheduleFacts(schedule)));
  },
});

export const removeScheduleRoute = ({ jobs }: JobsSource): Route => ({
  operation: {
    ...shared,
    method: 'DELETE',
    path: '/schedules/{id}',
    summary: 'Remove a schedule',
    description: 'The schedule starts no further jobs. Running jobs continue, and stored results are not removed.',
    answer: ScheduleRemoved,
  },
  effort: 'action',
  handle: async (request, reply) => {
    if (!(await askJobs(() => jobs.schedules.remove(idOf(request))))) throw scheduleNotFound();
    return sendJson(reply, JSON.stringify({ removed: 1 }));
  },
});
