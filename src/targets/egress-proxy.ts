/**
 * The only way out for a browser under audit: a proxy on loopback that judges where the socket is opened. Redirects,
 * frames, subresources, WebSockets and workers all pass here, and a name is resolved once for the whole audit.
 */
import { Agent, createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DialError, type DialReason, dial, type Network, resolveHost } from './dial.ts';
import type { TargetPolicy } from './policy.ts';
import { portOf } from './ports.ts';

export type Refusal = { reason: DialReason; detail: string };

export type Egress = {
  /** For the browser's `--proxy-server`. */
  proxyUrl: string;
  /** Connections the policy refused so far. */
  readonly blocked: number;
  /** Why nothing came of a connection to this URL's host and port; undefined when one was made. */
  refusalOf(url: string): Refusal | undefined;
  close(): void;
};

type Place = { host: string; port: number };

const toPlace = (url: URL): Place => ({ host: url.hostname, port: portOf(url) });
const nameOf = ({ host, port }: Place): string => `${host}:${port}`;

/** Of one hop only (RFC 9110, 7.6.1), or meant for a proxy. */
const hopHeaders = new Set(['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'te', 'upgrade']);

/** Raw headers as they came, spelling and order kept, without those of the hop. */
const passOn = (rawHeaders: readonly string[]): string[] => {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!hopHeaders.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
};

const toPairs = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as [string, string]] : []));

/** Several headers of one name stay several. */
const toHeaders = (flat: readonly string[]): Record<string, string | string[]> => {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of toPairs(flat)) {
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
};

/**
 * Opens the way out for one audit. The addresses of the page it begins on set its ceiling.
 * @throws DialError when that page's name does not resolve
 */
export async function openEgress({
  startUrl,
  policy,
  network,
}: {
  startUrl: string;
  policy: TargetPolicy;
  network: Network;
}): Promise<Egress> {
  const start = toPlace(new URL(startUrl));
  const resolved = new Map([[start.host, resolveHost(network, start.host)]]);
  const ceiling = policy.ceilingFor((await resolved.get(start.host)) ?? []);
  const refusals = new Map<string, Refusal>();
  const sockets = new Set<Duplex>();
  let blocked = 0;

  const keep = <S extends Duplex>(socket: S): S => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };

  const addressesOf = (host: string) => {
    const known = resolved.get(host) ?? resolveHost(network, host);
    resolved.set(host, known);
    return known;
  };

  const remember = (place: Place, error: unknown): void => {
    const { reason, message } = error instanceof DialError ? error : new DialError('refused', String(error));
    if (reason === 'blocked') blocked += 1;
    refusals.set(nameOf(place), { reason, detail: message });
  };

  async function reach(place: Place): Promise<Socket> {
    try {
      const socket = await dial(network, ceiling, { ...place, addresses: await addressesOf(place.host) });
      refusals.delete(nameOf(place));
      return keep(socket);
    } catch (error) {
      remember(place, error);
      throw error;
    }
  }

  /** https and WebSockets: bytes both ways, unseen. */
  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    keep(client).on('error', () => client.destroy());
    const url = URL.parse(`http://${request.url}`);
    if (!url) return void client.destroy();
    try {
      const server = await reach({ host: url.hostname, port: Number(url.port || 80) });
      server.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      server.write(head);
      server.pipe(client).pipe(server);
    } catch {
      client.destroy();
    }
  }

  // Connections are kept and used again, as the browser would without a proxy.
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = (options, onConnected) => {
    const place = { host: String(options.host), port: Number(options.port) };
    reach(place).then(
      socket => onConnected?.(null, socket),
      error => onConnected?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  };

  /** Plain http: the request goes on as it came. A failure closes the connection: a page of ours would be measured. */
  function forward(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return void request.socket.destroy();
    const { host, port } = toPlace(url);
    const onward = requestHttp({
      agent,
      host,
      port,
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: toHeaders(passOn(request.rawHeaders)),
      setHost: false,
    });
    onward.on('response', answer => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', passOn(answer.rawHeaders));
      response.flushHeaders();
      answer.on('error', () => response.destroy()).on('aborted', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', () => request.socket.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  const server = createServer({ insecureHTTPParser: true, maxHeaderSize: 256 * 1024 }, forward);
  server.on('connect', (request, client, head) => void tunnel(request, client, head));
  server.on('connection', keep);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    proxyUrl: `http://127.0.0.1:${port}`,
    get blocked() {
      return blocked;
    },
    refusalOf: url => {
      const parsed = URL.parse(url);
      return parsed ? refusals.get(nameOf(toPlace(parsed))) : undefined;
    },
    close() {
      server.close();
      agent.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}
