import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RemoteAnalysis } from '../analysis/analyse-remote.ts';
import type { PageAnalysis } from '../analysis/analyse-strategies.ts';
import type { Outcome } from '../analysis/outcome.ts';
import type { AnalysisError } from '../errors.ts';
import { type JsonBytes, joinObjects, toJson, toObject } from '../report/json-bytes.ts';
import { toProblem } from './problem.ts';
import { logFailure } from './request-log.ts';

/** What an analysis came to, ready to be sent. */
export type Answer = {
  json: JsonBytes;
  /** Why nothing came of it: then `json`, where it has parts of its own, goes into the Problem. */
  failure?: AnalysisError | undefined;
  /** Whether `json` says more than the failure. */
  hasParts?: boolean;
  /** Parts that failed beside others that did not. */
  failures?: readonly AnalysisError[];
  headers?: Readonly<Record<string, string | number>>;
};

/** Sends JSON as it stands; bytes keep the content type as set. */
export function sendJson(
  reply: FastifyReply,
  json: JsonBytes | string,
  status = 200,
  contentType = 'application/json',
): FastifyReply {
  return reply
    .code(status)
    .header('content-type', contentType)
    .send(typeof json === 'string' ? Buffer.from(json) : json);
}

/**
 * Sends a Problem; `facts` go into the same document, for an answer of several parts that all failed (RFC 9457 lets a
 * problem carry members of its own).
 */
export function sendProblem(reply: FastifyReply, error: AnalysisError, facts?: JsonBytes): FastifyReply {
  logFailure(reply, error);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  const problem = toProblem(error);
  const json = toJson(problem);
  return sendJson(reply, facts ? joinObjects(json, facts) : json, problem.status, 'application/problem+json');
}

export const isFresh = (request: FastifyRequest): boolean =>
  /(^|,)\s*(no-cache|no-store|max-age=0)\s*(,|$)/i.test(request.headers['cache-control'] ?? '');

/** Of several reasons to ask the analyser, the one that says most. */
const reasons = ['miss', 'stale', 'request'] as const;

/**
 * `Cache-Status` (RFC 9211) for an answer made of these results: a hit if all are, and then as stale as the stalest,
 * with what the analyser failed with.
 */
function toCacheStatus(analyses: readonly RemoteAnalysis[]): string {
  const isHit = analyses.every(({ cache }) => cache.status === 'hit' || cache.status === 'stale');
  if (isHit) {
    const ttl = Math.min(...analyses.map(({ ttlSeconds }) => ttlSeconds));
    const failure = analyses.find(({ cache }) => cache.failure)?.cache.failure;
    return `Rangelight; hit; ttl=${ttl}${failure ? `; detail=${failure}` : ''}`;
  }
  const reason = reasons.find(name => analyses.some(({ asked }) => asked === name)) ?? 'miss';
  const isJoined = analyses.some(({ cache }) => cache.status === 'joined');
  return `Rangelight; fwd=${reason}${isJoined ? '; collapsed' : ''}`;
}

const toCacheHeaders = (analyses: readonly RemoteAnalysis[]): Readonly<Record<string, string | number>> =>
  analyses.length === 0
    ? {}
    : { age: Math.max(...analyses.map(({ cache }) => cache.age)), 'cache-status': toCacheStatus(analyses) };

export const toFailureJson = (url: string, error: AnalysisError): JsonBytes => toJson({ url, error: toProblem(error) });

/** A Report, or the Failure in its place. */
const toPartJson = (url: string, outcome: Outcome<RemoteAnalysis>): JsonBytes =>
  outcome.ok ? outcome.value.json : toFailureJson(url, outcome.error);

export const outcomesOf = (analysis: PageAnalysis) =>
  'outcome' in analysis ? [analysis.outcome] : [analysis.mobile, analysis.desktop];

/** A cached analysis is the same object for as long as its answer is the same: so is a pair of them. */
const lastPairs = new WeakMap<RemoteAnalysis, { desktop: RemoteAnalysis; json: JsonBytes }>();

const toPairJson = (url: string, mobile: Outcome<RemoteAnalysis>, desktop: Outcome<RemoteAnalysis>): JsonBytes => {
  const last = mobile.ok ? lastPairs.get(mobile.value) : undefined;
  if (last && desktop.ok && last.desktop === desktop.value) return last.json;
  const json = toObject({
    url: toJson(url),
    strategy: toJson('both'),
    mobile: toPartJson(url, mobile),
    desktop: toPartJson(url, desktop),
  });
  if (mobile.ok && desktop.ok) lastPairs.set(mobile.value, { desktop: desktop.value, json });
  return json;
};

/** A page's answer: its Report, or both strategies with what each came to. */
export function toPageJson(analysis: PageAnalysis): JsonBytes {
  if ('outcome' in analysis) return toPartJson(analysis.url, analysis.outcome);
  return toPairJson(analysis.url, analysis.mobile, analysis.desktop);
}

/** The first failure when nothing succeeded: then its status is the answer's. */
export const allFailed = (outcomes: readonly Outcome<unknown>[]): AnalysisError | undefined => {
  const [first] = outcomes;
  return first && !first.ok && outcomes.every(outcome => !outcome.ok) ? first.error : undefined;
};

/** The answer for one page. */
export function toPageAnswer(analysis: PageAnalysis): Answer {
  const outcomes = outcomesOf(analysis);
  return {
    json: toPageJson(analysis),
    hasParts: !('outcome' in analysis),
    failure: allFailed(outcomes),
    failures: outcomes.flatMap(outcome => (outcome.ok ? [] : [outcome.error])),
    headers: toCacheHeaders(outcomes.flatMap(outcome => (outcome.ok ? [outcome.value] : []))),
  };
}
