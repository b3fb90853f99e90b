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
  /** Max size of all unread responses together. */
  unreadBytes: number;
  /** Max number of requests that run before an earlier one of their connection was answered, across all connections. */
  ahead: number;
  /** Max number of unanswered requests of one connection. */
  unanswered: number;
  /** Max number of requests that wait for their turn on a connection, across all connections. */
  waiting: number;
};

export type Connections = {
  /** Returns whether so many connections wait for responses that a new one should be refused. */
  isFull(): boolean;
  /**
   * Passes on the requests of a server: immediately if a request is the only one of its connection, or one of a few
   * others. The rest wait until earlier responses have been read.
   */
  serve(server: Server, handle: RequestListener): void;
  /** Calls `write` when all earlier responses of the connection were read, because responses are written in order. */
  onFirst(response: ServerResponse, write: () => void): void;
};

type Pending = {
  readonly response: ServerResponse;
  state: 'waiting' | 'ahead' | 'runs';
  run?: (() => void) | undefined;
  write?: (() => void) | undefined;
};

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

/** Returns whether a request runs and has no unread response data. */
const isUnderWay = ({ response, state, write }: Pending): boolean =>
  state !== 'waiting' && write === undefined && !response.headersSent;

/**
 * Limits the resources of clients that do not read. One response of a connection is written at a time, and its next
 * request usually runs once that has been read. A client that reads nothing for some time is disconnected; if unread
 * responses are too large together, so is the client with the oldest request. Idle connections are closed for new ones.
 */
export function createConnections(limits: ConnectionLimits): Connections {
  const open = new Map<Socket, Connection>();
  let busy = 0;
  let ahead = 0;
  let waiting = 0;
  let summedAt = Number.NEGATIVE_INFINITY;

  const leave = (pending: Pending) => {
    if (pending.state === 'ahead') ahead -= 1;
    if (pending.state === 'waiting') waiting -= 1;
    pending.state = 'runs';
  };

  /** Starts a request, because all earlier responses were read. */
  const promote = (pending: Pending) => {
    leave(pending);
    const { run, write } = pending;
    pending.run = undefined;
    pending.write = undefined;
    run?.();
    write?.();
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
      // A response that was held back is written to the closed socket, so that its stream ends.
      for (const one of pending.splice(0)) {
        leave(one);
        one.write?.();
      }
    });
    if (open.size > limits.most + limits.reserved) makeRoom();
  };

  /** Returns the state in which another request of a connection starts; undefined if it has too many. */
  const toState = (before: readonly Pending[]): Pending['state'] | undefined => {
    if (before.length === 0) return 'runs';
    if (before.length >= limits.unanswered || waiting >= limits.waiting) return undefined;
    const isAhead = ahead < limits.ahead && before.every(isUnderWay);
    if (isAhead) ahead += 1;
    else waiting += 1;
    return isAhead ? 'ahead' : 'waiting';
  };

  const remove = (pending: Pending, all: Pending[], socket: Socket) => {
    const at = all.indexOf(pending);
    if (at < 0) return;
    leave(pending);
    all.splice(at, 1);
    if (all.length === 0) busy -= 1;
    const [first] = all;
    if (at === 0 && first && !socket.destroyed) promote(first);
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse, handle: RequestListener) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (!connection) return;
    const { pending } = connection;
    const now = performance.now();
    connection.askedAt = now;
    cutUnread(now);
    const state = toState(pending);
    if (state === undefined) return refuseRest(socket);
    const added: Pending = { response, state };
    if (pending.push(added) === 1) busy += 1;
    // The end of a response has more listeners than Node's default limit.
    response.setMaxListeners(20);
    response.once('close', () => remove(added, pending, socket));
    if (state === 'waiting') added.run = () => handle(request, response);
    else handle(request, response);
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
    onFirst(response, write) {
      const own = open.get(response.req.socket)?.pending.find(one => one.response === response);
      if (own?.state === 'ahead') own.write = write;
      else write();
    },
  };
}
