import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AnalysisError, type ErrorCode, type Fault, faultOf, isDefect } from '../../contract/errors.ts';
import { toShownUrl } from '../../measure/targets/page-url.ts';
import { onceClosed } from './client-signal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Additional fields of the request's log line, created on demand. */
    notes: Notes | undefined;
  }
}

type Notes = {
  targets: readonly string[];
  codes: ErrorCode[];
  /** Reason why the response was cut off, if the client is not at fault. */
  cutOff?: ErrorCode;
};

/** Max number of logged pages of a batch; the others are counted. */
const maxNamed = 10;
const maxTargetCharacters = 200;
/** Max length of logged input, because invalid URLs may be megabytes long. */
const maxReadCharacters = 4096;

/**
 * Removes a password from a URL. The URL is parsed only if it contains an `@`, because parsing takes a tenth of the
 * time of a cached answer.
 */
const withoutPassword = (url: string): string => (url.includes('@') ? toShownUrl(url) : url);

/** Returns origin and path, because the rest may contain a token. */
const toShown = (url: string): string =>
  withoutPassword(url.slice(0, maxReadCharacters))
    .replace(/[?#].*$/s, '')
    .slice(0, maxTargetCharacters);

const notesOf = (request: FastifyRequest): Notes => {
  request.notes ??= { targets: [], codes: [] };
  return request.notes;
};

/** Records which pages a request is about, for its log line. */
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
 * Returns the log level: `error` for a defect, `warn` for faults of a PSI server or of this service, such as a full
 * queue, and `info` for faults of the page or the client.
 */
const levelOf = (code: ErrorCode) => (isDefect(code) ? 'error' : levels[faultOf(code)]);

/** Logs a failure once, with the cause that the client does not see. */
export function logFailure(reply: FastifyReply, error: AnalysisError): void {
  const { request } = reply;
  notesOf(request).codes.push(error.code);
  const facts = { reqId: request.id, code: error.code, source: error.source, err: error.cause };
  reply.log[levelOf(error.code)](facts, isDefect(error.code) ? 'internal error' : error.message);
}

/** Logs a failure of a started response: its client only sees that the connection closes. */
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
 * Logs one line for each request, even if its client disconnects.
 * @returns a function whose promise resolves when no request is in flight
 */
export function registerRequestLog(app: FastifyInstance): () => Promise<void> {
  let underWay = 0;
  let whenQuiet: (() => void) | undefined;
  app.decorateRequest('notes', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    underWay += 1;
    onceClosed(reply, () => {
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
