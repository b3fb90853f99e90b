import Type from 'typebox';
import { CompareResult, Failure, StrategiesResult } from '../../../contract/analysis/answers.ts';
import { JobAnswer, JobList, JobQuery, JobsQuery } from '../../../contract/jobs/job.ts';
import { Result } from '../../../contract/result/result.ts';
import type { JobPage } from '../../../jobs/job.ts';
import { jobNotFound, pageNotFound } from '../../../jobs/problems.ts';
import { type JobState, toJobAnswer, toJobFacts } from '../../../jobs/to-answer.ts';
import { sendJson } from '../../answers/answer.ts';
import { createQueryReader } from '../../input/read-input.ts';
import { ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { Route, RouteParts } from '../../route.ts';
import type { StoreSources } from '../results/stored.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';
import { toPageJson } from './page-json.ts';

const shared = { method: 'GET', tag: 'jobs', access: 'key', fails: true } as const;

const readJobQuery = createQueryReader(JobQuery);

/** @throws ValidationFailure */
const toAfter = (cursor: string | null): number => {
  if (cursor === null) return -1;
  if (/^\d{1,6}$/.test(cursor)) return Number(cursor);
  throw new ValidationFailure([valueError('it is not a cursor that an answer gave')(['query', 'cursor'])]);
};

export const jobRoute = ({ jobs }: JobsSource): Route => ({
  operation: {
    ...shared,
    path: '/jobs/{id}',
    summary: 'See how a job stands',
    description: 'Its state, its progress, and its pages with scores and links to their results, some at a time.',
    query: JobQuery,
    answer: JobAnswer,
    validates: true,
  },
  free: true,
  handle: async (request, reply) => {
    const { limit, cursor } = readJobQuery(request.query as string);
    const after = toAfter(cursor);
    const { id } = request.params as { id: string };
    const state = await askJobs(() => jobs.read(id));
    if (!state) throw jobNotFound();
    // One more than asked for tells whether there is a next page.
    const pages: JobPage[] = limit === 0 ? [] : await askJobs(() => jobs.pages(id, { after, limit: limit + 1 }));
    const shown = pages.slice(0, limit);
    const next = pages.length > limit ? String(shown.at(-1)?.position) : null;
    return sendJson(reply, JSON.stringify(toJobAnswer(state, shown, next)));
  },
});

const readJobsQuery = createQueryReader(JobsQuery);

export const jobsRoute = ({ jobs, toClientId, assertOperator }: JobsSource & RouteParts): Route => ({
  operation: {
    ...shared,
    path: '/jobs',
    summary: 'List your jobs',
    description: 'The jobs of this client, newest first. With `all=true` those of every client: for operators.',
    query: JobsQuery,
    answer: JobList,
    validates: true,
  },
  free: true,
  handle: async (request, reply) => {
    const { limit, before, all } = readJobsQuery(request.query as string);
    if (all) assertOperator(request);
    const states = await askJobs(() => jobs.list(all ? null : toClientId(request), { limit, before }));
    const toFacts = (state: JobState) => ({ ...toJobFacts(state), ...(all ? { client: state.job.client } : {}) });
    return sendJson(reply, JSON.stringify({ jobs: states.map(toFacts) }));
  },
});

export const jobPageRoute = ({ jobs, store }: JobsSource & StoreSources): Route => ({
  operation: {
    ...shared,
    path: '/jobs/{id}/pages/{index}',
    summary: 'Read the answer of one page of a job',
    description: 'The answer that a waiting client would have got, without full data.',
    answer: Type.Union([Result, StrategiesResult, CompareResult, Failure]),
    validates: false,
  },
  free: true,
  handle: async (request, reply) => {
    const { id, index } = request.params as { id: string; index: string };
    const position = /^\d{1,6}$/.test(index) ? Number(index) : -1;
    const found = await askJobs(() => jobs.page(id, position));
    const first = found?.page.sameAs;
    const measured = typeof first === 'number' ? await askJobs(() => jobs.page(id, first)) : found;
    const json = measured && (await toPageJson(store, measured));
    if (!json) throw pageNotFound();
    return sendJson(reply, json);
  },
});
