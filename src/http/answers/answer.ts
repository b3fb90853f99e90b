import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RemoteAnalysis } from '../../analysis/analyse-remote.ts';
import type { PageAnalysis } from '../../analysis/analyse-strategies.ts';
import type { Outcome } from '../../analysis/outcome.ts';
import type { AnalysisError } from '../../contract/errors.ts';
import { toProblem } from '../../contract/problem.ts';
import type { Result } from '../../contract/result/result.ts';
import { type JsonBytes, joinObjects, toBuffer, toJson } from '../../measure/lhr/json-bytes.ts';
import { giveBackAll } from '../access/admit.ts';
import { logFailure } from '../server/request-log.ts';
import { type JsonParts, joinParts, type PartSource, toBytes, toParts } from './json-parts.ts';

/** Returns a result with its full data as JSON. The data are not copied. */
export const toFullJson = ({ result, lighthouseResult }: { result: Result; lighthouseResult: Uint8Array }): JsonParts =>
  joinParts(toJson(result), toParts({ lighthouse_result: [toBuffer(lighthouseResult)] }));

/** Result of an analysis, ready to be sent. */
export type RouteAnswer<Json extends PartSource = JsonParts> = {
  json: Json;
  /** Failure of the whole analysis, whose Problem is the response. */
  failure?: AnalysisError | undefined;
  /** Further members of that Problem: the failure of each part. */
  facts?: JsonBytes | undefined;
  /** Failures of some parts, while others succeeded. */
  failures?: readonly AnalysisError[];
  headers?: Readonly<Record<string, string | number>>;
};

export const csvType = 'text/csv; charset=utf-8; header=present';

/** Sends serialised JSON, or other text, unchanged. */
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

/** Returns a Problem extended by `facts`, for an answer whose parts all failed (RFC 9457 allows additional members). */
export const toProblemJson = (error: AnalysisError, facts?: JsonBytes): JsonBytes => {
  const problem = toJson(toProblem(error));
  return facts ? joinObjects(problem, facts) : problem;
};

export function sendProblem(reply: FastifyReply, error: AnalysisError, facts?: JsonBytes): FastifyReply {
  logFailure(reply, error);
  giveBackAll(reply.request, error);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  return sendJson(reply, toProblemJson(error, facts), toProblem(error).status, 'application/problem+json');
}

export const isFresh = (request: FastifyRequest): boolean =>
  /(^|,)\s*(no-cache|no-store|max-age=0)\s*(,|$)/i.test(request.headers['cache-control'] ?? '');

/** Reasons to call the analyser, by precedence if results have different ones. */
const reasons = ['miss', 'stale', 'request'] as const;

/**
 * Builds `Cache-Status` (RFC 9211) for several results: a hit if all are hits, with the shortest remaining lifetime and
 * the error of the analyser if a stale result replaced its answer.
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

const toPartJson = (url: string, outcome: Outcome<RemoteAnalysis>): JsonParts => {
  if (!outcome.ok) return [toFailureJson(url, outcome.error)];
  const { json, lighthouseResult } = outcome.value;
  return lighthouseResult ? joinParts(json, toParts({ lighthouse_result: [lighthouseResult] })) : [json];
};

export const outcomesOf = (analysis: PageAnalysis) =>
  'outcome' in analysis ? [analysis.outcome] : [analysis.mobile, analysis.desktop];

/** Caches pairs: a cached analysis is the same object as long as its answer is the same. */
const lastPairs = new WeakMap<RemoteAnalysis, { desktop: RemoteAnalysis; json: JsonParts }>();

const toPairJson = (url: string, mobile: Outcome<RemoteAnalysis>, desktop: Outcome<RemoteAnalysis>): JsonParts => {
  const last = mobile.ok ? lastPairs.get(mobile.value) : undefined;
  if (last && desktop.ok && last.desktop === desktop.value) return last.json;
  const json = toParts({
    url: [toJson(url)],
    strategy: [toJson('both')],
    mobile: toPartJson(url, mobile),
    desktop: toPartJson(url, desktop),
  });
  if (mobile.ok && desktop.ok) lastPairs.set(mobile.value, { desktop: desktop.value, json });
  return json;
};

/** Returns the answer for a page: its result, or the outcomes of both strategies. */
export function toPageJson(analysis: PageAnalysis): JsonParts {
  if ('outcome' in analysis) return toPartJson(analysis.url, analysis.outcome);
  return toPairJson(analysis.url, analysis.mobile, analysis.desktop);
}

/** Returns the first failure if nothing succeeded: its status becomes that of the response. */
export const allFailed = (outcomes: readonly Outcome<unknown>[]): AnalysisError | undefined => {
  const [first] = outcomes;
  return first && !first.ok && outcomes.every(outcome => !outcome.ok) ? first.error : undefined;
};

export function toPageAnswer(analysis: PageAnalysis): RouteAnswer {
  const outcomes = outcomesOf(analysis);
  const failure = allFailed(outcomes);
  const json = toPageJson(analysis);
  return {
    json,
    failure,
    facts: failure && !('outcome' in analysis) ? toBytes(json) : undefined,
    failures: outcomes.flatMap(outcome => (outcome.ok ? [] : [outcome.error])),
    headers: toCacheHeaders(outcomes.flatMap(outcome => (outcome.ok ? [outcome.value] : []))),
  };
}
