import type { FastifyReply } from 'fastify';

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

/** The one signal of a request: aborts with ClientDisconnected when the connection closes before the answer is out. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  onceClosed(reply, () => {
    if (!reply.raw.writableFinished) disconnected.abort(new ClientDisconnected());
  });
  return disconnected.signal;
}
