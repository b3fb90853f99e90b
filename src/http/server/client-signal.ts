import type { FastifyReply } from 'fastify';

/** The caller closed the connection before the answer: there is nobody to answer. */
export class CallerLeft extends Error {
  constructor() {
    super('The caller left before the answer');
    this.name = 'CallerLeft';
  }
}

/** The one signal of a request: aborts with CallerLeft when the connection closes before the answer is out. */
export function callerSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  if (reply.raw.closed) left.abort(new CallerLeft());
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) left.abort(new CallerLeft());
  });
  return left.signal;
}
