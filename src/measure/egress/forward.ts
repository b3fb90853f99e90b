/** Proxies plain http: request and response are forwarded unchanged. */
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { type Endpoint, endpointOfUrl, nameOf } from '../targets/endpoint.ts';

/** Resets a connection, so that the other side sees an error: a truncated response must not look complete. */
const cut = (socket: Socket): void => void socket.resetAndDestroy();

/**
 * Browsers close both directions together. If the server continues to send, its data are read until it is silent for
 * this long.
 */
const usualLingerMs = 5_000;

/**
 * Forwards one direction. Received data are delivered before the end is forwarded, even if the other direction is
 * closed.
 */
function lead(from: Socket, to: Socket, lingerMs: number): void {
  from.on('error', () => {});
  from.on('end', () => to.setTimeout(lingerMs, () => to.destroy()));
  from.on('close', () => {
    if (!from.readableEnded) return cut(to);
    // Resuming discards the data, and is needed to receive the end.
    to.resume();
  });
  from.pipe(to);
}

/** Joins two connections: data, backpressure, half-closes and resets pass from each to the other. */
export function splice(a: Socket, b: Socket, lingerMs = usualLingerMs): void {
  lead(a, b, lingerMs);
  lead(b, a, lingerMs);
}

/** Hop-by-hop headers (RFC 9110, 7.6.1), and those between a client and its proxy. */
const hopHeaders = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'upgrade'],
]);

/** Headers that `Connection` must not remove, because they determine the length or the host of a message. */
const neverHop = new Set(['host', 'content-length', 'transfer-encoding']);

/** Pairs the names and values in Node's flat list of headers. */
const toPairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));

/** Returns the header names listed in `Connection`, which are hop-by-hop too. */
const namedBy = (pairs: readonly [string, string][]): string[] =>
  pairs
    .filter(([name]) => /^(proxy-)?connection$/i.test(name))
    .flatMap(([, value]) => value.split(','))
    .map(name => name.trim().toLowerCase())
    .filter(name => !neverHop.has(name));

/** Removes hop-by-hop headers. The spelling, order and repetitions of the others are preserved. */
export function withoutHopHeaders(raw: readonly string[]): string[] {
  const pairs = toPairs(raw);
  const dropped = new Set([...hopHeaders, ...namedBy(pairs)]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

/** Chrome's own limit, for requests and responses. */
export const maxHeaderBytes = 256 * 1024;

/** Server connection of one browser connection. */
type Upstream = { readonly name: string; readonly agent: Agent; isBusy: boolean };

export type Forward = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Forwards requests of browser connections. Each has its own server connection: both are reused and closed together, so
 * the browser's connection limits apply as without a proxy. A failure closes the browser's connection without a
 * response, because an error page of the proxy would be measured as the page's.
 */
export function createForward({
  open,
  onBytes,
}: {
  open(endpoint: Endpoint): Promise<Socket>;
  /** Called with the number of body bytes in each chunk of a response. */
  onBytes(count: number): void;
}): Forward {
  const upstreams = new WeakMap<Duplex, Upstream>();

  function createUpstream(client: Socket, endpoint: Endpoint): Upstream {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const upstream = { name: nameOf(endpoint), agent, isBusy: true };
    agent.createConnection = (_options, onConnected) => {
      open(endpoint).then(
        socket => {
          // A server may close an idle connection. The browser must notice that before its next request.
          socket.on('close', () => upstream.isBusy || client.end());
          onConnected?.(null, socket);
        },
        error => onConnected?.(error, undefined as unknown as Duplex),
      );
      return undefined;
    };
    client.once('close', () => agent.destroy());
    return upstream;
  }

  const upstreamFor = (client: Socket, endpoint: Endpoint): Upstream => {
    const kept = upstreams.get(client);
    if (kept?.name === nameOf(endpoint)) return kept;
    if (kept) {
      // The browser now uses its connection for another endpoint, so the end of the previous server connection must not
      // close it.
      kept.isBusy = true;
      kept.agent.destroy();
    }
    const upstream = createUpstream(client, endpoint);
    upstreams.set(client, upstream);
    return upstream;
  };

  function answerWith(answer: IncomingMessage, response: ServerResponse, upstream: Upstream): void {
    response.sendDate = false;
    response.shouldKeepAlive &&= !/\bclose\b/i.test(answer.headers.connection ?? '') && answer.httpVersion !== '1.0';
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', withoutHopHeaders(answer.rawHeaders));
    // The headers are sent immediately and byte for byte: flushHeaders would encode non-ASCII characters as UTF-8.
    response.write('', 'latin1');
    answer.on('data', (chunk: Buffer) => onBytes(chunk.length));
    pipeline(answer, response, error => {
      upstream.isBusy = false;
      if (error) cut(response.req.socket);
    });
  }

  function send(request: IncomingMessage, response: ServerResponse, url: URL, endpoint: Endpoint): ClientRequest {
    const client = request.socket;
    const upstream = upstreamFor(client, endpoint);
    upstream.isBusy = true;
    const onward = requestHttp({
      agent: upstream.agent,
      ...endpoint,
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      setHost: false,
      // Browsers accept malformed messages too, so the proxy forwards them.
      insecureHTTPParser: true,
      maxHeaderSize: maxHeaderBytes,
    });
    // Otherwise, Node would add `Transfer-Encoding: chunked` to some requests without a body.
    onward.useChunkedEncodingByDefault = false;
    for (const [name, value] of toPairs(withoutHopHeaders(request.rawHeaders))) onward.appendHeader(name, value);
    let isAnswered = () => false;
    onward.on('response', answer => {
      isAnswered = () => answer.complete;
      try {
        answerWith(answer, response, upstream);
      } catch {
        // Node refuses to write this status or header.
        cut(client);
      }
    });
    // The proxy requested no other protocol: the `Upgrade` header is hop-by-hop and was removed.
    onward.on('upgrade', (_answer, socket) => {
      socket.destroy();
      cut(client);
    });
    // A reset is forwarded as a reset. If the server closed the connection, or was never reached, the client's is
    // closed.
    onward.on('error', error => {
      // The server sent more bytes than announced. Browsers ignore the extra bytes, and so does the proxy.
      if (isAnswered()) return;
      if ('syscall' in error) cut(client);
      else client.destroy();
    });
    return onward;
  }

  return (request, response) => {
    const url = URL.parse(request.url ?? '');
    const endpoint = url?.protocol === 'http:' ? endpointOfUrl(url) : undefined;
    if (!url || !endpoint) return void request.socket.destroy();
    try {
      const onward = send(request, response, url, endpoint);
      response.on('close', () => response.writableFinished || onward.destroy());
      request.pipe(onward);
    } catch {
      // Node refuses to write this method or header.
      request.socket.destroy();
    }
  };
}
