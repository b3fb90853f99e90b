import { JobsQuery } from '../../../contract/jobs/job.ts';
import {
  CallbackTest,
  CallbackTested,
  ScheduleAnswer,
  ScheduleFacts,
  ScheduleList,
  SchedulePatch,
  ScheduleRemoved,
  ScheduleRequest,
} from '../../../contract/jobs/schedule.ts';
import { pickConditions } from '../../../contract/measuring-options.ts';
import { scheduleNotFound } from '../../../jobs/problems.ts';
import type { ScheduleState } from '../../../jobs/schedules/schedules.ts';
import { readIdempotencyKey } from '../../input/idempotency-key.ts';
import { readBody } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { noteTargets } from '../../server/request-log.ts';
import { listBodyLimit } from '../../server/server-limits.ts';
import { assertAccess } from '../access/assert-access.ts';
import { jsonRoute } from '../json-route.ts';
import type { StoreSources } from '../results/stored.ts';
import { type AcceptSources, onceForKey, toCallback } from './accept-job.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';
import { findPages } from './list-pages.ts';
import { assertMeasured, assertResumable, bodyOf, readScheduleRequest, toScheduleFacts } from './schedule-request.ts';

const shared = { tag: 'jobs' } as const;

export const addScheduleRoute = (sources: AcceptSources & StoreSources): Route => ({
  ...jsonRoute(
    {
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
    'measurement',
    async ({ request, reply }) => {
      const { pages, order } = readScheduleRequest(sources, request);
      const { schedules } = sources.jobs;
      const idempotency = readIdempotencyKey(request.headers, { ...pages, ...order });
      const earlier =
        idempotency && (await onceForKey(() => schedules.added(sources.toClientId(request), idempotency)));
      const add = async () => {
        const { urls, site } = await findPages(sources, request, reply, pages);
        assertMeasured(sources, order.request, urls);
        const client = await sources.admit(request, urls, order.request.kind);
        await assertAccess(sources, request, pickConditions(order.request), { pages: urls, isStored: true });
        const found = { ...order, urls, request: { ...order.request, site } };
        return onceForKey(() => schedules.add({ ...found, client, idempotency }));
      };
      const schedule = earlier ?? (await add());
      reply.header('location', `/schedules/${schedule.id}`);
      return { ...toScheduleFacts(schedule), urls: await askJobs(() => schedules.urls(schedule.id)) };
    },
  ),
  bodyLimit: listBodyLimit,
});

/** @throws AnalysisError `job_not_found` */
async function findSchedule<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const found = await askJobs(ask);
  if (!found) throw scheduleNotFound();
  return found;
}

export const schedulesRoute = ({
  jobs,
  toClientId,
  assertOperator,
}: Pick<AcceptSources, 'jobs' | 'toClientId' | 'assertOperator'>): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'GET',
      path: '/schedules',
      summary: 'List your schedules',
      description:
        'The schedules of this client, newest first, without their URLs. `all=true` lists those of every client (operators only).',
      query: JobsQuery,
      answer: ScheduleList,
    },
    'read',
    async ({ query: { limit, before, all }, request }) => {
      if (all) assertOperator(request);
      const schedules = await askJobs(() => jobs.schedules.list(all ? null : toClientId(request), { limit, before }));
      const toFacts = (schedule: ScheduleState) => ({
        ...toScheduleFacts(schedule),
        ...(all ? { client: schedule.client } : {}),
      });
      return { schedules: schedules.map(toFacts) };
    },
  );

export const scheduleRoute = ({ jobs }: JobsSource): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'GET',
      path: '/schedules/{id}',
      summary: 'Read a schedule',
      description: 'The next run, the pages, and the last job.',
      answer: ScheduleAnswer,
    },
    'read',
    async ({ id }) => {
      const schedule = await findSchedule(() => jobs.schedules.read(id));
      return { ...toScheduleFacts(schedule), urls: await askJobs(() => jobs.schedules.urls(id)) };
    },
  );

export const pauseScheduleRoute = (sources: AcceptSources & StoreSources): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'PATCH',
      path: '/schedules/{id}',
      summary: 'Pause or resume a schedule',
      description:
        'A paused schedule skips its runs, and no job makes up for them. A resumed schedule uses the `TARGETS` and the analyser of the instance that handles this request.',
      body: SchedulePatch,
      answer: ScheduleFacts,
    },
    'action',
    async ({ id, request }) => {
      const { paused } = readBody(SchedulePatch, bodyOf(request));
      const { schedules } = sources.jobs;
      const known = await findSchedule(() => schedules.read(id));
      if (!paused) assertResumable(sources, known, await askJobs(() => schedules.urls(id)));
      return toScheduleFacts(await findSchedule(() => schedules.pause(id, paused)));
    },
  );

export const runScheduleRoute = ({ jobs }: JobsSource): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'POST',
      path: '/schedules/{id}/run',
      summary: 'Run a schedule now',
      description: 'Starts the next run now, or as soon as the last run has ended. A paused schedule does not run.',
      answer: ScheduleFacts,
    },
    'action',
    async ({ id }) => toScheduleFacts(await findSchedule(() => jobs.schedules.runNow(id))),
  );

export const testCallbackRoute = (sources: AcceptSources): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'POST',
      path: '/callbacks/test',
      summary: 'Test a webhook',
      description: 'Sends one signed message of type `test` to a webhook, without retries.',
      body: CallbackTest,
      answer: CallbackTested,
    },
    'action',
    async ({ request }) => {
      const { callback, callback_format: format } = readBody(CallbackTest, bodyOf(request));
      const url = toCallback(sources, callback);
      await sources.admit(request, [url]);
      // The path of a webhook may be its secret.
      noteTargets(request, [new URL(url).origin]);
      return { error: await sources.jobs.testCallback(url, format, `${request.protocol}://${request.host}`) };
    },
  );

export const removeScheduleRoute = ({ jobs }: JobsSource): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'DELETE',
      path: '/schedules/{id}',
      summary: 'Remove a schedule',
      description: 'The schedule starts no further jobs. Running jobs continue, and stored results are not removed.',
      answer: ScheduleRemoved,
    },
    'action',
    async ({ id }) => {
      await findSchedule(async () => (await jobs.schedules.remove(id)) || undefined);
      return { removed: 1 };
    },
  );
