import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AnalysisError, type ErrorCode, errorTable } from '../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its line in the log will say beyond what HTTP says; made when there is something. */
    notes: Notes | undefined;
  }
}

type Notes = { targets: readonly string[]; codes: ErrorCode[]; isOwn: boolean };

/** Pages of a batch that are named; the others are counted. */
const maxNamed = 10;
const maxTargetCharacters = 200;

/** Origin and path: what comes after them may be a token. */
const toShown = (url: string): string => url.replace(/[?#].*$/s, '').slice(0, maxTargetCharacters);

const notesOf = (request: FastifyRequest): Notes => {
  request.notes ??= { targets: [], codes: [], isOwn: false };
  return request.notes;
};

/** Says which pages a request is about. @param isOwn it is the service's own call to its analyser */
export function noteTargets(request: FastifyRequest, urls: readonly string[], isOwn: boolean): void {
  const notes = notesOf(request);
  notes.targets = urls;
  notes.isOwn = isOwn;
}

/** Ours is an `error`; what another machine or our limits did is a `warn`; what the page or the caller did is no news. */
const levelOf = (code: ErrorCode): 'error' | 'warn' | 'info' => {
  if (code === 'internal') return 'error';
  const isOfThePage = code.startsWith('page_') || code === 'too_many_redirects';
  return errorTable[code].status >= 500 && !isOfThePage ? 'warn' : 'info';
};

/** Logged once, here at the edge: the cause of what the caller is told. */
export function logFailure(reply: FastifyReply, error: AnalysisError): void {
  const { request } = reply;
  notesOf(request).codes.push(error.code);
  const facts = { reqId: request.id, code: error.code, source: error.source, err: error.cause };
  reply.log[levelOf(error.code)](facts, error.code === 'internal' ? 'internal error' : error.message);
}

const toOutcome = (isAnswered: boolean, status: number, [first]: readonly ErrorCode[] = []): string | undefined => {
  if (!isAnswered) return 'caller_left';
  if (status < 400) return first === undefined ? 'ok' : 'partial';
  return first ?? (status === 400 || status === 422 ? 'invalid' : undefined);
};

const toFacts = (request: FastifyRequest, reply: FastifyReply) => {
  const { id: reqId, method, notes } = request;
  const targets = notes?.targets ?? [];
  const isAnswered = reply.raw.writableFinished;
  return {
    reqId,
    method,
    route: request.routeOptions.url,
    ...(targets.length > 0 ? { targets: targets.slice(0, maxNamed).map(toShown), pages: targets.length } : {}),
    caller: notes?.isOwn ? 'self' : request.ip,
    ...(isAnswered ? { status: reply.statusCode } : {}),
    outcome: toOutcome(isAnswered, reply.statusCode, notes?.codes),
    ms: Math.round(reply.elapsedTime),
  };
};

/**
 * One line for each request, also for one whose caller left.
 * @returns a promise's maker: it settles when no request is under way
 */
export function registerRequestLog(app: FastifyInstance): () => Promise<void> {
  let underWay = 0;
  let whenQuiet: (() => void) | undefined;
  app.decorateRequest('notes', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    underWay += 1;
    reply.raw.once('close', () => {
      underWay -= 1;
      app.log.info(toFacts(request, reply), reply.raw.writableFinished ? 'answered' : 'caller left');
      if (underWay === 0) whenQuiet?.();
    });
    done();
  });
  return () =>
    new Promise(resolve => {
      if (underWay === 0) resolve();
      else whenQuiet = resolve;
    });
}
