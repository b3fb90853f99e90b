import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits of a server's connections. Sizes in bytes, times in milliseconds. */
export type ConnectionLimits = {
  /** Max number of connections that wait for a response. */
  most: number;
  /** Additional connections, so that a probe always finds one. */
  reserved: number;
  /** Max time for which a client may leave a waiting response unread. */
  unreadMs: number;
  unreadBytes: number;
  unanswered: number;
  /** Max number of requests that wait for their turn on a connection, across all connections. */
  waiting: number;
};

export type Connections = {
  /** Returns whether so many connections wait for responses that a new one should be refused. */
  isFull(): boolean;
  /**
   * Passes on the requests of a server. The requests of a connection run one after the other: the next one runs when
   * the response to the previous one has been read.
   */
  serve(server: Server, handle: RequestListener): void;
};

/** A request; `run` starts it while it waits. */
type Pending = { run?: (() => void) | undefined };

/**
 * A connection: the time of its last request or of its opening, in milliseconds, and its unanswered requests in order.
 */
type Connection = { askedAt: number; readonly pending: Pending[] };

/**
 * Discards the rest of a chunk. Node otherwise parses it to its end, even after closing the connection, and creates
 * thousands of requests that no one handles. The return value 2 makes its parser skip the rest.
 */
function refuseRest(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming: unknown } | null };
  if (parser) parser.onIncoming = () => 2;
  socket.destroy();
}

/** Interval between sums of unread responses, which are too expensive for every request. */
const betweenSumsMs = 100;

/**
 * Limits the resources of clients that do not read. One response of a connection is written at a time, and its next
 * request runs once that has been read. A client that reads nothing for some time is disconnected; if unread
 * responses are too large together, so is the client with the oldest request. Idle connections are closed for new ones.
 */
export function createConnections(limits: ConnectionLimits): Connections {
  const open = new Map<Socket, Connection>();
  let busy = 0;
  let waiting = 0;
  let summedAt = Number.NEGATIVE_INFINITY;

  /** @returns the function that starts a waiting request */
  const leave = (pending: Pending): Pending['run'] => {
    const { run } = pending;
    if (run) waiting -= 1;
    pending.run = undefined;
    return run;
  };

  /**
   * Sorts connections by the time of their last request, oldest first. The order is not maintained, because it is
   * rarely needed.
   */
  const byAge = () => [...open].sort(([, a], [, b]) => a.askedAt - b.askedAt).map(([socket]) => socket);

  const makeRoom = () => {
    let oldest: Socket | undefined;
    let oldestAt = Number.POSITIVE_INFINITY;
    for (const [socket, { askedAt, pending }] of open)
      if (pending.length === 0 && askedAt < oldestAt) {
        oldest = socket;
        oldestAt = askedAt;
      }
    if (!oldest) return;
    open.delete(oldest);
    oldest.destroy();
  };

  const cutUnread = (now: number) => {
    if (now - summedAt < betweenSumsMs) return;
    summedAt = now;
    let sum = 0;
    for (const socket of open.keys()) sum += socket.writableLength;
    if (sum <= limits.unreadBytes) return;
    for (const socket of byAge()) {
      if (sum <= limits.unreadBytes) return;
      if (socket.writableLength === 0) continue;
      sum -= socket.writableLength;
      socket.destroy();
    }
  };

  const onConnection = (socket: Socket) => {
    const pending: Pending[] = [];
    open.set(socket, { askedAt: performance.now(), pending });
    socket.once('close', () => {
      open.delete(socket);
      if (pending.length > 0) busy -= 1;
      for (const one of pending.splice(0)) leave(one);
    });
    if (open.size > limits.most + limits.reserved) makeRoom();
  };

  const remove = (pending: Pending, all: Pending[], socket: Socket) => {
    const at = all.indexOf(pending);
    if (at < 0) return;
    leave(pending);
    all.splice(at, 1);
    if (all.length === 0) busy -= 1;
    const [first] = all;
    if (at === 0 && first && !socket.destroyed) leave(first)?.();
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse, handle: RequestListener) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (!connection) return;
    const { pending } = connection;
    const now = performance.now();
    connection.askedAt = now;
    cutUnread(now);
    const isFirst = pending.length === 0;
    if (!isFirst && (pending.length >= limits.unanswered || waiting >= limits.waiting)) return refuseRest(socket);
    const added: Pending = { run: isFirst ? undefined : () => handle(request, response) };
    pending.push(added);
    if (isFirst) busy += 1;
    else waiting += 1;
    // The end of a response has more listeners than Node's default limit.
    response.setMaxListeners(20);
    response.once('close', () => remove(added, pending, socket));
    if (isFirst) handle(request, response);
  };

  // A connection that is idle, with no pending request, times out too.
  const onTimeout = (socket: Socket) => {
    const isUnread = socket.writableLength > 0;
    if (isUnread || (open.get(socket)?.pending.length ?? 0) === 0) socket.destroy();
  };

  return {
    isFull: () => busy > limits.most,
    serve(server, handle) {
      server.on('connection', onConnection);
      server.on('request', (request, response) => onRequest(request, response, handle));
      server.setTimeout(limits.unreadMs, onTimeout);
    },
  };
}
