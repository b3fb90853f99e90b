/** From pages to the requests that measure them, and from what was answered to what is shown. */
import type { Strategy } from '../report/report.ts';
import { type Column, columnsOf, type Result, type Source, toResult } from '../web/answer.ts';
import type { Reply } from '../web/ask-service.ts';
import type { Backend } from '../web/page-request.ts';
import type { Call } from '../web/plan.ts';
import { type Trouble, toTrouble } from '../web/trouble.ts';
import type { Wanted } from './arguments.ts';
import { toPlainBody } from './plain-text.ts';

/** One page under one strategy. */
export type Job = {
  /** Place among all, in the order asked. */
  readonly index: number;
  readonly url: string;
  readonly strategy: Strategy;
  readonly call: Call;
};

/** A job that is through. */
export type Measured = {
  readonly job: Job;
  /** As the service sent it; undefined where nothing of it arrived. */
  readonly body: unknown;
  /** What may be shown: plain text throughout. A job has a result or a trouble. */
  readonly result: Result | undefined;
  readonly trouble: Trouble | undefined;
};

const paths: Readonly<Record<Backend, string>> = { remote: 'psi', local: 'lighthouse', compare: 'compare' };
const sources: Readonly<Record<Backend, readonly Source[]>> = {
  remote: ['psi'],
  local: ['lighthouse'],
  compare: ['psi', 'lighthouse'],
};

/** What other pages of the list wait for: the service measures two locally, and asks for four remotely. */
export const parallelJobs: Readonly<Record<Backend, number>> = { remote: 4, local: 2, compare: 2 };

function toCall(url: string, strategy: Strategy, { backend, categories, runs, profile, html }: Wanted): Call {
  const query = new URLSearchParams({ url, strategy });
  if (categories) query.set('categories', categories.join(','));
  if (runs !== undefined) query.set('runs', String(runs));
  if (profile) query.set('profile', profile);
  // Locally it always comes; a comparison has no such choice.
  if (html !== undefined && backend === 'remote') query.set('detailed', 'true');
  return {
    method: 'GET',
    path: `${paths[backend]}?${query}`,
    lanes: sources[backend].map(source => ({ source, strategy })),
  };
}

/** Each page with each strategy, in the order asked. */
export const toJobs = (urls: readonly string[], wanted: Wanted): Job[] =>
  urls
    .flatMap(url => wanted.strategies.map(strategy => ({ url, strategy, call: toCall(url, strategy, wanted) })))
    .map((job, index) => ({ index, ...job }));

const plainTrouble = (reply: Extract<Reply, { ok: false }>): Trouble =>
  reply.trouble.kind === 'problem' || reply.trouble.kind === 'invalid'
    ? toTrouble(toPlainBody(reply.body), 0)
    : reply.trouble;

/** Reads an answer. Two failed sides come as a failure that carries both: they are a result of two failures. */
export function toMeasured(job: Job, reply: Reply): Measured {
  const [asked] = job.call.lanes;
  const { body } = reply;
  const result = asked && toResult(toPlainBody(body), asked);
  if (result) return { job, body, result, trouble: undefined };
  const trouble: Trouble = reply.ok ? { kind: 'unreadable', status: 200 } : plainTrouble(reply);
  return { job, body, result: undefined, trouble };
}

/** Every side that was asked for; where the whole job failed, each with its failure. */
export const columnsOfJob = ({ job, result, trouble }: Measured): readonly Column[] => {
  if (result) return columnsOf(result);
  return trouble ? job.call.lanes.map(lane => ({ ...lane, part: { ok: false, url: job.url, trouble } })) : [];
};

export const hasFailed = (measured: Measured): boolean => columnsOfJob(measured).some(({ part }) => !part.ok);
