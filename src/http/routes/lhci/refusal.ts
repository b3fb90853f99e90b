/** Failures in the form of Lighthouse CI's protocol: a status and a message. */
import type { FastifyReply } from 'fastify';
import { AnalysisError, errorTable } from '../../../contract/errors.ts';
import { StoreFaultError } from '../../../storage/database/fault.ts';
import { sendJson } from '../../answers/answer.ts';
import { toFailure } from '../../answers/problem.ts';
import { isDisconnect } from '../../server/client-signal.ts';
import { logFailure } from '../../server/request-log.ts';

export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

const fromStore = (fault: StoreFaultError): Refusal | AnalysisError =>
  fault.code === 'invalid_input'
    ? new Refusal(422, 'A text contains characters that cannot be stored.')
    : new AnalysisError('results_unavailable', `The stored results cannot be used now: ${fault.message}`, {
        retryAfterSeconds: 5,
        cause: fault,
      });

/** Converts errors of the framework to refusals: a body that is too large or unreadable. */
const fromFramework = (error: unknown, maxBytes: number): Refusal | undefined => {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(413, `The request body is larger than ${maxBytes / 1024 / 1024} MB.`);
  const isRefused = `${code}`.startsWith('FST_') && typeof statusCode === 'number' && statusCode < 500;
  return isRefused ? new Refusal(statusCode, (error as Error).message) : undefined;
};

export function sendRefusal(reply: FastifyReply, error: unknown, maxBytes: number): FastifyReply {
  if (isDisconnect(error, reply)) return reply.code(499).send();
  const known = error instanceof StoreFaultError ? fromStore(error) : error;
  const refusal = known instanceof Refusal ? known : fromFramework(known, maxBytes);
  if (refusal) return sendJson(reply, JSON.stringify({ message: refusal.message }), refusal.status);
  const failure = toFailure(known);
  logFailure(reply, failure);
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  return sendJson(reply, JSON.stringify({ message: failure.message }), errorTable[failure.code].status);
}
