/** Accepts an analysis with `Prefer: respond-async`: checks it like any other, and responds with a job. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Judging, refusalOf } from '../../../analysis/assert-target.ts';
import { AnalysisError } from '../../../contract/errors.ts';
import { isStorableText } from '../../../contract/fields.ts';
import { pickConditions } from '../../../contract/measuring-options.ts';
import type { CallbackFormat } from '../../../contract/names.ts';
import { toCallbackUrl } from '../../../jobs/callbacks/callback-url.ts';
import type { JobRequest } from '../../../jobs/job.ts';
import { KeyReusedError } from '../../../jobs/problems.ts';
import { type JobState, toJobFacts } from '../../../jobs/to-answer.ts';
import type { AskedPage } from '../../../jobs/to-pages.ts';
import type { PsiAnalyser } from '../../../measure/analyser.ts';
import type { ReadSitemap } from '../../../measure/sitemaps/read-sitemap.ts';
import { toPageUrl, toShownInput } from '../../../measure/targets/page-url.ts';
import type { TargetPolicy } from '../../../measure/targets/policy.ts';
import { sendJson } from '../../answers/answer.ts';
import { readIdempotencyKey, refuseReusedKey } from '../../input/idempotency-key.ts';
import { prefersAsync } from '../../input/prefer.ts';
import { notText, urlError, ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { RouteParts } from '../../route.ts';
import { type AccessSources, assertAccess, withoutSecrets } from '../access/assert-access.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';
import { findPages, type ListPages } from './list-pages.ts';

export type AcceptSources = JobsSource &
  RouteParts &
  AccessSources & { policy: TargetPolicy; analyser: Pick<PsiAnalyser, 'kind'>; readSitemap: ReadSitemap };

export const wantsJob = (request: FastifyRequest): boolean => prefersAsync(request.headers.prefer);

/** Describes `Prefer: respond-async` in the OpenAPI document. */
export const asyncWords =
  'With `Prefer: respond-async` the service immediately returns 202 and a job, which continues without its client. A second request with the same `Idempotency-Key` returns the same job.';

/** @returns the reason why this URL cannot be called, or undefined */
export function callbackFault({ jobs, policy }: JobsSource & { policy: TargetPolicy }, callback: string) {
  if (!jobs.hasSecret) return 'this service sends no callbacks: CALLBACK_SECRET is not set';
  const url = toCallbackUrl(policy, callback);
  return 'href' in url ? undefined : url.fault;
}

const refuse = (where: 'query' | 'body', fault: string): never => {
  throw new ValidationFailure([valueError(fault)([where, 'callback'])]);
};

/** Returns the canonical URL of a callback. @throws ValidationFailure if this service cannot call it */
export function toCallback(sources: Pick<AcceptSources, 'jobs' | 'policy'>, callback: string): string {
  const fault = callbackFault(sources, callback);
  if (fault !== undefined) return refuse('body', fault);
  return new URL(callback).href;
}

/** Returns the form of a callback. Links lead to the service under the name that the client uses. */
export const toMessage = (
  { protocol, host }: FastifyRequest,
  callback: string | null | undefined,
  format: CallbackFormat,
): Pick<JobRequest, 'message'> => (callback ? { message: { format, origin: `${protocol}://${host}` } } : {});

/** Refuses a callback of a synchronous request. @throws ValidationFailure */
export function assertNoCallback(callback: string | null, where: 'query' | 'body' = 'query'): void {
  if (callback !== null) refuse(where, 'a callback needs the header Prefer: respond-async');
}

/**
 * Checks an entry of a list. An entry that is not a URL, or that this instance does not measure, fails alone, as in a
 * synchronous batch. It is checked now, because the instance that works on the job may allow different targets.
 */
const toAsked =
  (judging: Judging, kind: JobRequest['kind']) =>
  (input: string): AskedPage => {
    const page = toPageUrl(input);
    if ('href' in page) return { url: page.href, error: refusalOf(judging, kind, page.href) ?? null };
    const error = new AnalysisError('invalid_url', `${urlError(page.fault)([]).msg}.`);
    return { url: toShownInput(input), error };
  };

/** Runs work and converts the error of a reused idempotency key. @throws ValidationFailure */
export async function onceForKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await askJobs(work);
  } catch (error) {
    if (error instanceof KeyReusedError) return refuseReusedKey(error.message);
    throw error;
  }
}

/** Refuses lists with an entry that cannot be stored, because a job is stored as a whole. @throws ValidationFailure */
function assertStorable(urls: readonly string[]): void {
  const faults = urls.flatMap((url, index) => (isStorableText(url) ? [] : [notText(['body', 'urls', index])]));
  if (faults.length > 0) throw new ValidationFailure(faults);
}

type WantedJob = {
  request: JobRequest;
  /** One page, or a list of pages. */
  page: { url: string } | ListPages;
  callback: string | null;
  callbackFormat: CallbackFormat;
  where?: 'query' | 'body';
};

/** @throws ValidationFailure, AnalysisError `target_forbidden`, `rate_limited`, `queue_full`, `jobs_unavailable` */
export async function acceptJob(
  sources: AcceptSources,
  request: FastifyRequest,
  reply: FastifyReply,
  { request: wanted, page, callback, callbackFormat, where = 'query' }: WantedJob,
): Promise<FastifyReply> {
  const { jobs, policy, analyser, admit, toClientId } = sources;
  const fault = callback === null ? undefined : callbackFault({ jobs, policy }, callback);
  if (fault !== undefined) refuse(where, fault);
  const jobRequest = { ...wanted, ...toMessage(request, callback, callbackFormat) };
  const named: ListPages = 'url' in page ? { urls: [page.url] } : page;
  if ('urls' in named) assertStorable(named.urls);
  const idempotency = readIdempotencyKey(request.headers, {
    jobRequest: withoutSecrets(jobRequest, sources.vault),
    ...named,
    callback,
  });
  const earlier = idempotency && (await onceForKey(() => jobs.submitted(toClientId(request), idempotency)));
  if (earlier) return sendJob(reply, earlier);
  const judging = { policy, analyser };
  const refusal = 'url' in page ? refusalOf(judging, jobRequest.kind, page.url) : undefined;
  const { urls, site } = await findPages(sources, request, reply, named);
  const client = await admit(request, urls, jobRequest.kind, !('url' in page));
  if (refusal) throw refusal;
  await assertAccess(sources, request, pickConditions(jobRequest), {
    ...{ pages: urls, site: site?.url, isStored: true },
  });
  const pages = urls.map(toAsked(judging, jobRequest.kind));
  return sendJob(
    reply,
    await onceForKey(() => jobs.submit({ client, request: { ...jobRequest, site }, callback, idempotency, pages })),
  );
}

function sendJob(reply: FastifyReply, state: JobState): FastifyReply {
  reply.header('location', `/jobs/${state.job.id}`);
  if (wantsJob(reply.request)) reply.header('preference-applied', 'respond-async');
  return sendJson(reply, JSON.stringify(toJobFacts(state)), 202);
}
