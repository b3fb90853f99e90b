import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onceClosed } from './client-signal.ts';
import type { ConnectionLimits } from './connections.ts';

const routeless = '/%00';

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns the request target for the router. An absolute URL is reduced to its path. The framework would answer an
 * undecodable target before any hook, so it is replaced by a path without a route and gets the usual 404.
 */
export function toRoutableUrl({ url = '/' }: IncomingMessage): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
  if (!path.includes('%')) return path;
  return isDecodable(path.split('?', 1)[0] ?? '') ? path : routeless;
}

/**
 * Limits on time and memory for clients before their request is complete. A slow client occupies only its socket, and
 * not for long. The duration of a response is not limited.
 */
export const serverLimits = {
  /** Max body size: 100 URLs of 2,048 characters fit, even as JSON escapes. */
  bodyLimit: 1024 * 1024,
  /** Time from the first byte of a request to the last of its body: 30 MB at 2 Mbit/s. Only uploads take this long. */
  requestTimeout: 120_000,
  /** Longer than the 60 s for which proxies keep an idle connection open: the proxy should close it first. */
  keepAliveTimeout: 72_000,
  http: { maxHeaderSize: 16 * 1024 },
} as const;

/** Max times that parts of a request take to arrive, in milliseconds. */
export const arrivalLimits = {
  /** Time from the start of a connection, or of its next request, to the end of the headers. */
  headersTimeout: 10_000,
  /** Interval at which `headersTimeout` and `requestTimeout` are checked; each may last that much longer. */
  connectionsCheckingInterval: 2_000,
  /** Time from the headers of a request to the last byte of its body, except for uploads. */
  bodyTimeout: 15_000,
};

/**
 * Returns the max number of open files and connections of this process. Node has raised the limit to the system's hard
 * limit.
 */
function readOpenFileLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits: { open_files: { soft: number | 'unlimited' } } };
  const { soft } = userLimits.open_files;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft;
}

/**
 * Max number of connections: each waiting client has one, so this is enough for many times the default queue of audits.
 * Half of the open files are reserved for the audits.
 */
export const maxConnections = Math.min(2_000, Math.floor(readOpenFileLimit() / 2));

/** Limits for clients that do not read their responses. */
export const connectionLimits = {
  most: maxConnections,
  reserved: 50,
  unreadMs: 60_000,
  unreadBytes: 64 * 1024 * 1024,
  ahead: 100,
  unanswered: 128,
  waiting: 500,
} as const satisfies ConnectionLimits;

const refusals: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request line and headers are larger than 16 KB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};
const unreadable = [
  '400 Bad Request',
  "This is not an HTTP request: percent-encode the URL, for example with curl -G --data-urlencode 'url=…'.",
] as const;

/** Answers invalid requests that the framework never sees: usually a URL that was not percent-encoded. */
export const createUnreadableAnswer =
  ({ noindex }: { noindex: boolean }) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, detail] = refusals[error.code ?? ''] ?? unreadable;
    const body = Buffer.from(JSON.stringify({ detail }));
    const headers = [
      `HTTP/1.1 ${status}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      ...(noindex ? ['x-robots-tag: noindex'] : []),
      'connection: close',
    ];
    socket.write(`${headers.join('\r\n')}\r\n\r\n`);
    socket.end(body);
  };

export type UnreadableAnswer = ReturnType<typeof createUnreadableAnswer>;

/** Answers a request whose body is slow to arrive, and closes its connection. */
export const answerLate = (answer: UnreadableAnswer, { raw }: FastifyRequest): void =>
  answer(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);

/** Closes the connections of clients that are slow to send a body. */
export function limitBodyTime(app: FastifyInstance, answer: UnreadableAnswer, bodyTimeout: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, routeOptions } = request;
    const hasBody = raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined;
    if (!hasBody || routeOptions.config.isUpload) return done();
    const timer = setTimeout(() => {
      if (!raw.complete) answerLate(answer, request);
    }, bodyTimeout);
    onceClosed(reply, () => clearTimeout(timer));
    done();
  });
}

/** Max body size of a list, in bytes: 10,000 URLs of usual length. */
export const listBodyLimit = 8 * 1024 * 1024;
