import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageAnalysis } from '../analysis/analyse-strategies.ts';
import type { Outcome } from '../analysis/outcome.ts';
import type { AnalysisError } from '../errors.ts';
import type { CacheNote } from '../report/report.ts';
import { toProblem } from './problem.ts';

/** Sends JSON text as it stands; a Buffer keeps the content type as set. */
export function sendJson(
  reply: FastifyReply,
  text: string,
  status = 200,
  contentType = 'application/json',
): FastifyReply {
  return reply.code(status).header('content-type', contentType).send(Buffer.from(text));
}

/**
 * Sends a Problem; `facts` go into the same document, for an answer of several parts that all failed (RFC 9457 lets a
 * problem carry members of its own).
 */
export function sendProblem(reply: FastifyReply, error: AnalysisError, facts = '{}'): FastifyReply {
  logFailure(reply, error);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  const problem = toProblem(error);
  return sendJson(reply, joinObjects(JSON.stringify(problem), facts), problem.status, 'application/problem+json');
}

/** Logged once, here at the edge: the cause of what the caller is told. */
export function logFailure(reply: FastifyReply, error: AnalysisError): void {
  const facts = { code: error.code, source: error.source, err: error.cause };
  if (error.code === 'internal') reply.log.error(facts, 'internal error');
  else reply.log.info(facts, error.message);
}

/** Two objects of JSON text as one. */
const joinObjects = (first: string, second: string): string =>
  second === '{}' ? first : `${first.slice(0, -1)},${second.slice(1)}`;

export const isFresh = (request: FastifyRequest): boolean =>
  /(^|,)\s*(no-cache|no-store|max-age=0)\s*(,|$)/i.test(request.headers['cache-control'] ?? '');

/** `Age` and `Cache-Status` (RFC 9211) for an answer made of these results: as old as the oldest, a hit if all are. */
export function setCacheHeaders(reply: FastifyReply, notes: readonly CacheNote[]): void {
  if (notes.length === 0) return;
  const age = Math.max(...notes.map(note => note.age));
  const isHit = notes.every(note => note.status === 'hit' || note.status === 'stale');
  const isJoined = notes.some(note => note.status === 'joined');
  const ttl = Math.min(...notes.map(note => Math.floor((Date.parse(note.expires_at) - Date.now()) / 1000)));
  reply.header('age', age);
  reply.header(
    'cache-status',
    isHit ? `Rangelight; hit; ttl=${ttl}` : `Rangelight; fwd=miss${isJoined ? '; collapsed' : ''}`,
  );
}

export const toFailureText = (url: string, error: AnalysisError): string =>
  JSON.stringify({ url, error: toProblem(error) });

/** A Report that is JSON text already, or the Failure in its place. */
export const toPartText = (url: string, outcome: Outcome<{ text: string }>): string =>
  outcome.ok ? outcome.value.text : toFailureText(url, outcome.error);

export const outcomesOf = (analysis: PageAnalysis) =>
  'outcome' in analysis ? [analysis.outcome] : [analysis.mobile, analysis.desktop];

export const notesOf = (analysis: PageAnalysis): CacheNote[] =>
  outcomesOf(analysis).flatMap(outcome => (outcome.ok ? [outcome.value.cache] : []));

/** A page's answer as JSON text: its Report, or both strategies with what each came to. */
export const toPageText = (analysis: PageAnalysis): string => {
  if ('outcome' in analysis) return toPartText(analysis.url, analysis.outcome);
  const { url, mobile, desktop } = analysis;
  return `{"url":${JSON.stringify(url)},"strategy":"both","mobile":${toPartText(url, mobile)},"desktop":${toPartText(url, desktop)}}`;
};

/** The first failure when nothing succeeded: then its status is the answer's. */
export const allFailed = (outcomes: readonly Outcome<unknown>[]): AnalysisError | undefined => {
  const [first] = outcomes;
  return first && !first.ok && outcomes.every(outcome => !outcome.ok) ? first.error : undefined;
};

/** The answer for one page. */
export function sendPage(reply: FastifyReply, analysis: PageAnalysis): FastifyReply {
  const failure = allFailed(outcomesOf(analysis));
  if (failure) return sendProblem(reply, failure, 'outcome' in analysis ? '{}' : toPageText(analysis));
  for (const outcome of outcomesOf(analysis)) if (!outcome.ok) logFailure(reply, outcome.error);
  setCacheHeaders(reply, notesOf(analysis));
  return sendJson(reply, toPageText(analysis));
}
