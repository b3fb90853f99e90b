/** Plain http through a proxy: the request continues as it came, and so does the answer. */
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

/** Ends a connection so that the other side sees an error and no end: half an answer must not look whole. */
const cut = (socket: Socket): void => void socket.resetAndDestroy();

/** Browsers close both ways at once; a server that continues after that is heard no longer than this. */
const usualLingerMs = 5_000;

/** One way. What was received is delivered before the end is passed on, also when the other way is closed already. */
function lead(from: Socket, to: Socket, lingerMs: number): void {
  from.on('error', () => {});
  from.on('end', () => to.setTimeout(lingerMs, () => to.destroy()));
  from.on('close', () => {
    if (!from.readableEnded) return cut(to);
    // It is not read any more, but its end has to be noticed.
    to.resume();
  });
  from.pipe(to);
}

/** Joins two connections: bytes, pressure, half-closes and resets go from each to the other. */
export function splice(a: Socket, b: Socket, lingerMs = usualLingerMs): void {
  lead(a, b, lingerMs);
  lead(b, a, lingerMs);
}

/** Of one hop only (RFC 9110, 7.6.1), or between a client and its proxy. */
const hopHeaders = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'upgrade'],
]);

/** Without these a message has another length, or another host: no header may name them away. */
const neverHop = new Set(['host', 'content-length', 'transfer-encoding']);

/** Name and value of each, from Node's flat list. */
const toPairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));

/** Names after `Connection:` are headers of this hop, too. */
const namedBy = (pairs: readonly [string, string][]): string[] =>
  pairs
    .filter(([name]) => /^(proxy-)?connection$/i.test(name))
    .flatMap(([, value]) => value.split(','))
    .map(name => name.trim().toLowerCase())
    .filter(name => !neverHop.has(name));

/** Raw headers as they came, spelling, order and repetitions kept, without those of the hop. */
export function withoutHopHeaders(raw: readonly string[]): string[] {
  const pairs = toPairs(raw);
  const dropped = new Set([...hopHeaders, ...namedBy(pairs)]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

/** Chrome's own limit, for requests as for answers. */
export const maxHeaderBytes = 256 * 1024;

/** The server's side of one connection of the browser's. */
type Upstream = { readonly name: string; readonly agent: Agent; isBusy: boolean };

export type Forward = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * One connection of the browser is one to the server: they are kept, used again and closed together, and so the
 * browser's own rules for both hold as they do without a proxy. A failure closes the browser's connection without an
 * answer: a page of ours would be measured as the page's.
 */
export function createForward({
  open,
  onBytes,
}: {
  open(endpoint: Endpoint): Promise<Socket>;
  /** Body bytes of an answer. */
  onBytes(count: number): void;
}): Forward {
  const upstreams = new WeakMap<Duplex, Upstream>();

  function createUpstream(client: Socket, endpoint: Endpoint): Upstream {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const upstream = { name: nameOf(endpoint), agent, isBusy: true };
    agent.createConnection = (_options, onConnected) => {
      open(endpoint).then(
        socket => {
          // A server may close what it kept: then the browser must know before it asks for more.
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
      // The browser has chosen to use its connection for another endpoint: what closes now is ours to close.
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
    // At once, and byte for byte: flushHeaders would write what is no ASCII as UTF-8.
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
      // What a browser would read is passed on to it.
      insecureHTTPParser: true,
      maxHeaderSize: maxHeaderBytes,
    });
    // A request without a body is forwarded without one.
    onward.useChunkedEncodingByDefault = false;
    for (const [name, value] of toPairs(withoutHopHeaders(request.rawHeaders))) onward.appendHeader(name, value);
    let isAnswered = () => false;
    onward.on('response', answer => {
      isAnswered = () => answer.complete;
      try {
        answerWith(answer, response, upstream);
      } catch {
        // A status or header that cannot be written again.
        cut(client);
      }
    });
    // Another protocol was not asked for: the header that asks is of one hop.
    onward.on('upgrade', (_answer, socket) => {
      socket.destroy();
      cut(client);
    });
    // A reset is passed on as one; a server that only closed, or was never reached, closes.
    onward.on('error', error => {
      // More bytes than were announced: a browser takes what was, and so does this one.
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
      // A method or header that cannot be written again.
      request.socket.destroy();
    }
  };
}
