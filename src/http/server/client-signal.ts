import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts with `shutting_down` when the service stops waiting for its requests; undefined if it never does. */
    ending: AbortSignal | undefined;
  }
}

/** The client closed the connection before the response was complete. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client disconnected before the response');
    this.name = 'ClientDisconnected';
  }
}

/** Returns whether a request failed because its client disconnected, perhaps before its body was complete. */
export const isDisconnect = (error: unknown, { request: { raw } }: FastifyReply): boolean =>
  error instanceof ClientDisconnected || (raw.destroyed && !raw.complete);

/** Calls back when the connection or the response has ended; immediately if it already has. */
export function onceClosed(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.closed) callback();
  else reply.raw.once('close', callback);
}

/**
 * Returns the signal of a request. It aborts with ClientDisconnected if the connection closes before the response is
 * complete, and with the AnalysisError `shutting_down` if the service ends, which the client still receives.
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
