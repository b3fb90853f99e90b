import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts with `shutting_down` when the service waits for its requests no longer; undefined if nothing stops it. */
    ending: AbortSignal | undefined;
  }
}

/** The client closed the connection before the answer. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client disconnected before the answer');
    this.name = 'ClientDisconnected';
  }
}

/** Calls back when the connection or the answer is done with; at once if it is already. */
export function onceClosed(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.closed) callback();
  else reply.raw.once('close', callback);
}

/**
 * The one signal of a request: aborts with ClientDisconnected when the connection closes before the answer is out, and
 * with the AnalysisError `shutting_down` when the service ends: then its client still gets an answer.
 */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const over = new AbortController();
  const { ending } = reply.server;
  const onEnding = () => over.abort(ending?.reason);
  if (ending?.aborted) onEnding();
  else ending?.addEventListener('abort', onEnding);
  onceClosed(reply, () => {
    ending?.removeEventListener('abort', onEnding);
    if (!reply.raw.writableFinished) over.abort(new ClientDisconnected());
  });
  return over.signal;
}
