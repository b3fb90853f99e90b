import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ConnectionLimits } from './connections.ts';

/** No route has it. */
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
 * The target of a request as the router is to read it. With scheme and host in front, as it may be written, it is the
 * same path. One that cannot be decoded would be answered by the framework before any hook has seen the request; so it
 * is given a path without a route, and is answered like everything else that has none.
 */
export function toRoutableUrl({ url = '/' }: IncomingMessage): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
  if (!path.includes('%')) return path;
  return isDecodable(path.split('?', 1)[0] ?? '') ? path : routeless;
}

/**
 * What a client may take of time and room before it has said what it wants. A client that is slow to ask holds nothing
 * but its socket, and that not for long; how long an answer takes is another matter.
 */
export const serverLimits = {
  /** 100 URLs of 2,048 characters, even written as JSON escapes, fit. */
  bodyLimit: 1024 * 1024,
  /** From the first byte of a request to the last of its body: 30 MB at 2 Mbit/s. Only uploads take so long. */
  requestTimeout: 120_000,
  /** Longer than the 60 s that proxies keep an idle connection: the one who closes should not be us. */
  keepAliveTimeout: 72_000,
  http: {
    /** From the start of a connection, or of the next request on it, to the end of its headers. */
    headersTimeout: 10_000,
    /** How often the two are looked at; both may last that much longer. */
    connectionsCheckingInterval: 2_000,
    maxHeaderSize: 16 * 1024,
  },
} as const;

/** From the headers of a request to the last byte of its body, unless it is an upload. */
const bodyTimeoutMs = 15_000;

/** What this process may have open, files and connections together; Node has raised it to the system's hard limit. */
function readOpenFileLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits: { open_files: { soft: number | 'unlimited' } } };
  const { soft } = userLimits.open_files;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft;
}

/**
 * Every waiting client has a connection: room for the longest line of audits by default, many times over. Half of what
 * may be open is left for the audits.
 */
export const maxConnections = Math.min(2_000, Math.floor(readOpenFileLimit() / 2));

/** What clients that do not read may hold of the process. */
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

/** Answers what the framework never sees. No HTTP request at all is most often a URL that was not percent-encoded. */
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

/** Closes the connections of clients that are slow to send a body. */
export function limitBodyTime(app: FastifyInstance, answer: ReturnType<typeof createUnreadableAnswer>): void {
  app.addHook('onRequest', ({ raw, routeOptions }, reply, done) => {
    const hasBody = raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined;
    if (!hasBody || routeOptions.config.isUpload) return done();
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const timer = setTimeout(() => {
      if (!raw.complete) answer(late, raw.socket);
    }, bodyTimeoutMs);
    reply.raw.once('close', () => clearTimeout(timer));
    done();
  });
}
