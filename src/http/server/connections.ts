import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What the connections of a server may hold. Sizes in bytes, times in milliseconds. */
export type ConnectionLimits = {
  /** Connections that wait for an answer. */
  most: number;
  /** Connections beyond those, so that a probe always finds one. */
  reserved: number;
  /** How long a client may take nothing of an answer that waits for it. */
  unreadMs: number;
  /** Answers that clients have not taken, all together. */
  unreadBytes: number;
  /** Requests that run before an earlier one of their connection was answered, all together. */
  ahead: number;
  /** Requests of one connection that were not answered. */
  unanswered: number;
  /** Requests that wait for their turn on a connection, all together. */
  waiting: number;
};

export type Connections = {
  /** Whether so many connections wait for answers that a further one should not. */
  isFull(): boolean;
  /**
   * Passes the requests of a server on: at once the only one of its connection, and few others. The rest waits until
   * the answers before it were taken.
   */
  serve(server: Server, handle: RequestListener): void;
  /** Calls back when every earlier answer of the connection was taken: only then is an answer written. */
  onFirst(response: ServerResponse, write: () => void): void;
};

type Pending = {
  readonly response: ServerResponse;
  state: 'waiting' | 'ahead' | 'runs';
  run?: (() => void) | undefined;
  write?: (() => void) | undefined;
};

/** A connection: when it was opened or last asked, in milliseconds, and its unanswered requests in their order. */
type Connection = { askedAt: number; readonly pending: Pending[] };

/**
 * Closes a connection in the middle of what it sent. Node parses a chunk to its end all the same, and makes a thousand
 * requests of it that no one handles; 2 is how a listener of its parser says that the rest is not for it.
 */
function refuseRest(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming: unknown } | null };
  if (parser) parser.onIncoming = () => 2;
  socket.destroy();
}

/** How often unread answers are summed up: a request does not pay for it. */
const betweenSumsMs = 100;

/** Runs, and nothing of its answer is there to be taken. */
const isUnderWay = ({ response, state, write }: Pending): boolean =>
  state !== 'waiting' && write === undefined && !response.headersSent;

/**
 * Bounds what clients hold by not reading. A connection has one answer written at a time, and its next request usually
 * runs when that was taken. A client that takes nothing for some time is cut off; so is, if unread answers are too
 * large together, the client that asked longest ago. A connection that waits for nothing makes room for a new one.
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

  /** Its turn has come: every earlier answer was taken. */
  const promote = (pending: Pending) => {
    leave(pending);
    const { run, write } = pending;
    pending.run = undefined;
    pending.write = undefined;
    run?.();
    write?.();
  };

  /**
   * Connections by the time of their last request, oldest first. Requests do not keep this order: it is rarely needed.
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

  /** How one more request of a connection starts; undefined: it has too many. */
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
    // More parts than usual look after the end of an answer.
    response.setMaxListeners(20);
    response.once('close', () => remove(added, pending, socket));
    if (state === 'waiting') added.run = () => handle(request, response);
    else handle(request, response);
  };

  // Also for connections that are idle for longer than they may be: then there is no pending request.
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
