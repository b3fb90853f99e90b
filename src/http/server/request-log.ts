import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AnalysisError, type ErrorCode, type Fault, faultOf, isDefect } from '../../contract/errors.ts';
import { toShownUrl } from '../../measure/targets/page-url.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its line in the log will say beyond what HTTP says; made when there is something. */
    notes: Notes | undefined;
  }
}

type Notes = {
  targets: readonly string[];
  codes: ErrorCode[];
  /** Why its answer ended in the middle, where the client is not to blame. */
  cutOff?: ErrorCode;
};

/** Pages of a batch that are named; the others are counted. */
const maxNamed = 10;
const maxTargetCharacters = 200;
/** Of an input that is no URL there may be megabytes. */
const maxReadCharacters = 4096;

/** A URL without an `@` has no password, and parsing one takes a tenth of the time of a cached answer. */
const withoutPassword = (url: string): string => (url.includes('@') ? toShownUrl(url) : url);

/** Origin and path: what comes after them may be a token. */
const toShown = (url: string): string =>
  withoutPassword(url.slice(0, maxReadCharacters))
    .replace(/[?#].*$/s, '')
    .slice(0, maxTargetCharacters);

const notesOf = (request: FastifyRequest): Notes => {
  request.notes ??= { targets: [], codes: [] };
  return request.notes;
};

/** Returns which pages a request is about. */
export function noteTargets(request: FastifyRequest, urls: readonly string[]): void {
  notesOf(request).targets = urls;
}

const levels: Readonly<Record<Fault, 'warn' | 'info'>> = {
  page: 'info',
  client: 'info',
  remote: 'warn',
  machine: 'warn',
};

/**
 * A defect is an `error`; what another machine or our limits did is a `warn`; what the page or the client did is no
 * news.
 */
const levelOf = (code: ErrorCode) => (isDefect(code) ? 'error' : levels[faultOf(code)]);

/** Logged once, here at the edge: the cause of the failure that the client sees. */
export function logFailure(reply: FastifyReply, error: AnalysisError): void {
  const { request } = reply;
  notesOf(request).codes.push(error.code);
  const facts = { reqId: request.id, code: error.code, source: error.source, err: error.cause };
  reply.log[levelOf(error.code)](facts, isDefect(error.code) ? 'internal error' : error.message);
}

/** The same, for an answer that has started: its client only sees that the connection closes. */
export function logCutOff(reply: FastifyReply, error: AnalysisError): void {
  logFailure(reply, error);
  notesOf(reply.request).cutOff = error.code;
}

const toOutcome = (isAnswered: boolean, status: number, notes: Notes | undefined): string | undefined => {
  if (!isAnswered) return notes?.cutOff ?? 'client_disconnected';
  const [first] = notes?.codes ?? [];
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
    client: request.ip,
    ...(request.span ? { traceId: request.span.traceId } : {}),
    ...(isAnswered ? { status: reply.statusCode } : {}),
    outcome: toOutcome(isAnswered, reply.statusCode, notes),
    ms: Math.round(reply.elapsedTime),
  };
};

const toMessage = ({ notes }: FastifyRequest, reply: FastifyReply): string => {
  if (reply.raw.writableFinished) return 'answered';
  return notes?.cutOff ? 'answer cut off' : 'client disconnected';
};

/**
 * One line for each request, also for one whose client disconnected.
 * @returns a function whose promise settles when no request is in flight
 */
export function registerRequestLog(app: FastifyInstance): () => Promise<void> {
  let underWay = 0;
  let whenQuiet: (() => void) | undefined;
  app.decorateRequest('notes', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    underWay += 1;
    reply.raw.once('close', () => {
      underWay -= 1;
      app.log.info(toFacts(request, reply), toMessage(request, reply));
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
