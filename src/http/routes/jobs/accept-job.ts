/** An analysis that is asked for with `Prefer: respond-async`: it is judged like any other, and answered with a job. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Analyser } from '../../../analysers/analyser.ts';
import { assertLocalTarget, assertRemoteTarget } from '../../../analysis/assert-target.ts';
import { AnalysisError } from '../../../errors.ts';
import { toCallbackUrl } from '../../../jobs/callbacks/callback-url.ts';
import type { JobRequest } from '../../../jobs/job.ts';
import { toJobFacts } from '../../../jobs/to-answer.ts';
import type { AskedPage } from '../../../jobs/to-pages.ts';
import { toPageUrl } from '../../../targets/page-url.ts';
import type { TargetPolicy } from '../../../targets/policy.ts';
import { sendJson } from '../../answers/answer.ts';
import { prefersAsync } from '../../input/prefer.ts';
import { urlError, ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { RouteParts } from '../../route.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';

export type AcceptSources = JobsSource & RouteParts & { policy: TargetPolicy; analyser: Pick<Analyser, 'kind'> };

export const wantsJob = (request: FastifyRequest): boolean => prefersAsync(request.headers.prefer);

/** What a client of `Prefer: respond-async` may read in the description of an operation. */
export const asyncWords =
  'With `Prefer: respond-async` it is answered at once with 202 and a job, which goes on without its client.';

/** @returns undefined, or why this cannot be called. */
export function callbackFault({ jobs, policy }: JobsSource & { policy: TargetPolicy }, callback: string) {
  if (!jobs.hasSecret) return 'this service calls nobody: its CALLBACK_SECRET is not set';
  const url = toCallbackUrl(policy, callback);
  return 'href' in url ? undefined : url.fault;
}

const refuse = (where: 'query' | 'body', fault: string): never => {
  throw new ValidationFailure([valueError(fault)([where, 'callback'])]);
};

/** A callback belongs to a job. @throws ValidationFailure */
export function assertNoCallback(callback: string | null, where: 'query' | 'body' = 'query'): void {
  if (callback !== null) refuse(where, 'a callback needs the header Prefer: respond-async');
}

/** An entry of a list that is no URL fails by itself, as in a batch that is waited for. */
const toAsked = (input: string): AskedPage => {
  const page = toPageUrl(input);
  if ('href' in page) return { url: page.href, error: null };
  return { url: input, error: new AnalysisError('invalid_url', `${urlError(page.fault)([]).msg}.`) };
};

type Wanted = {
  request: JobRequest;
  /** One page, or those of a list. */
  page: { url: string } | { urls: readonly string[] };
  callback: string | null;
  where?: 'query' | 'body';
};

/** @throws ValidationFailure, AnalysisError `target_forbidden`, `rate_limited`, `queue_full`, `jobs_unavailable` */
export async function acceptJob(
  { jobs, policy, analyser, admit }: AcceptSources,
  request: FastifyRequest,
  reply: FastifyReply,
  { request: jobRequest, page, callback, where = 'query' }: Wanted,
): Promise<FastifyReply> {
  const fault = callback === null ? undefined : callbackFault({ jobs, policy }, callback);
  if (fault !== undefined) refuse(where, fault);
  const urls = 'url' in page ? [page.url] : page.urls;
  const client = await admit(request, urls);
  if ('url' in page) {
    if (jobRequest.kind === 'psi') assertRemoteTarget({ policy, analyser }, page.url);
    else assertLocalTarget(policy, page.url);
  }
  const state = await askJobs(() => jobs.submit({ client, request: jobRequest, callback, pages: urls.map(toAsked) }));
  reply.header('location', `/jobs/${state.job.id}`).header('preference-applied', 'respond-async');
  return sendJson(reply, JSON.stringify(toJobFacts(state)), 202);
}
