import Type from 'typebox';
import { CompareResult, Failure, StrategiesResult } from '../../../contract/analysis/answers.ts';
import { JobAnswer, JobFacts, JobList, JobQuery, JobsQuery } from '../../../contract/jobs/job.ts';
import { ListRequest } from '../../../contract/jobs/schedule.ts';
import { Result } from '../../../contract/result/result.ts';
import type { PagePart, PageRow } from '../../../jobs/job.ts';
import { jobNotFound, pageNotFound } from '../../../jobs/problems.ts';
import { type JobState, toJobAnswer, toJobFacts } from '../../../jobs/to-answer.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { Route, RouteParts } from '../../route.ts';
import { listBodyLimit } from '../../server/server-limits.ts';
import { jsonRoute } from '../json-route.ts';
import { askStore, type StoreSources } from '../results/stored.ts';
import { type AcceptSources, acceptJob } from './accept-job.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';
import { readListRequest } from './schedule-request.ts';

/* Builds the answer of a page of a job, from the job itself or from stored results. */

const parse = (json: string): unknown => JSON.parse(json);

/** Reads a stored result; undefined if it was removed in the meantime. */
async function readSide(store: ResultStore | undefined, url: string, part: PagePart): Promise<unknown> {
  const { id, error } = part;
  if (id === null) return { url, error };
  const entry = await askStore(store, stored => stored.get(id));
  return entry && parse(entry.summary);
}

/** Returns the answer of a page; undefined if there is none yet, or it was removed in the meantime. */
async function toPageJson(
  store: ResultStore | undefined,
  { page, answer }: { page: PageRow; answer: Buffer | null },
): Promise<Buffer | undefined> {
  const { url, outcome } = page;
  if (!outcome) return undefined;
  const { comparisonId, parts, error } = outcome;
  if (error && parts.length < 2) return Buffer.from(JSON.stringify({ url, error }));
  if (answer) return answer;
  if (comparisonId !== null) {
    const entry = await askStore(store, stored => stored.get(comparisonId));
    return entry && Buffer.from(entry.summary);
  }
  const sides = await Promise.all(parts.map(part => readSide(store, url, part)));
  if (sides.some(side => side === undefined)) return undefined;
  const [first, second] = sides;
  if (second === undefined) return Buffer.from(JSON.stringify(first));
  // A comparison is stored as a whole unless both sides failed.
  const isComparison = parts.some(({ source }) => source === 'lighthouse');
  const compared = { url, strategy: parts[0]?.strategy, psi: first, lighthouse: second, comparison: null };
  const body = isComparison ? compared : { url, strategy: 'both', mobile: first, desktop: second };
  return Buffer.from(JSON.stringify(body));
}

const shared = { method: 'GET', tag: 'jobs' } as const;

/** @throws ValidationFailure */
const toAfter = (cursor: string | null): number => {
  if (cursor === null) return -1;
  if (/^\d{1,6}$/.test(cursor)) return Number(cursor);
  throw new ValidationFailure([valueError('it is not a cursor from a previous response')(['query', 'cursor'])]);
};

export const jobRoute = ({ jobs }: JobsSource): Route =>
  jsonRoute(
    {
      ...shared,
      path: '/jobs/{id}',
      summary: 'Read the state of a job',
      description: 'State and progress, and up to `limit` pages with scores and links to their results.',
      query: JobQuery,
      answer: JobAnswer,
    },
    'read',
    async ({ id, query: { limit, cursor } }) => {
      const after = toAfter(cursor);
      const state = await askJobs(() => jobs.read(id));
      if (!state) throw jobNotFound();
      // One page more than requested shows whether there is a next page of the list.
      const pages: PageRow[] = limit === 0 ? [] : await askJobs(() => jobs.pages(id, { after, limit: limit + 1 }));
      const shown = pages.slice(0, limit);
      const next = pages.length > limit ? String(shown.at(-1)?.position) : null;
      return toJobAnswer(state, shown, next);
    },
  );

export const jobsRoute = ({ jobs, toClientId, assertOperator }: JobsSource & RouteParts): Route =>
  jsonRoute(
    {
      ...shared,
      path: '/jobs',
      summary: 'List your jobs',
      description: 'The jobs of this client, newest first. `all=true` lists those of every client (operators only).',
      query: JobsQuery,
      answer: JobList,
    },
    'read',
    async ({ query: { limit, before, all }, request }) => {
      if (all) assertOperator(request);
      const states = await askJobs(() => jobs.list(all ? null : toClientId(request), { limit, before }));
      const toFacts = (state: JobState) => ({ ...toJobFacts(state), ...(all ? { client: state.job.client } : {}) });
      return { jobs: states.map(toFacts) };
    },
  );

export const addJobRoute = (sources: AcceptSources): Route => ({
  operation: {
    ...shared,
    method: 'POST',
    path: '/jobs',
    summary: 'Measure a list or a site',
    description:
      'Starts a job for these pages, or for those of a site or a sample of them, and returns it. It measures again what is cached. With the same `Idempotency-Key`, the same request returns the same job.',
    body: ListRequest,
    answer: JobFacts,
    status: 202,
  },
  effort: 'measurement',
  bodyLimit: listBodyLimit,
  handle: (request, reply) =>
    acceptJob(sources, request, reply, { ...readListRequest(sources, request), where: 'body' }),
});

export const jobPageRoute = ({ jobs, store }: JobsSource & StoreSources): Route =>
  jsonRoute(
    {
      ...shared,
      path: '/jobs/{id}/pages/{index}',
      summary: 'Read the response for one page of a job',
      description: 'The response that a synchronous request would have returned, without the full audit data.',
      answer: Type.Union([Result, StrategiesResult, CompareResult, Failure]),
    },
    'read',
    async ({ id, request }) => {
      const { index } = request.params as { index: string };
      const position = /^\d{1,6}$/.test(index) ? Number(index) : -1;
      const found = await askJobs(() => jobs.page(id, position));
      const first = found?.page.sameAs;
      const measured = typeof first === 'number' ? await askJobs(() => jobs.page(id, first)) : found;
      const json = measured && (await toPageJson(store, measured));
      if (!json) throw pageNotFound();
      return json;
    },
  );

export const endJobRoute = ({ jobs }: JobsSource): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'DELETE',
      path: '/jobs/{id}',
      summary: 'Cancel or remove a job',
      description: 'Cancels an unfinished job and its running audits, or removes a finished job but not its results.',
      answer: JobFacts,
    },
    'action',
    async ({ id }) => {
      const state = await askJobs(() => jobs.end(id));
      if (!state) throw jobNotFound();
      return toJobFacts(state);
    },
  );
