/**
 * The only way out for a browser under audit: a proxy on loopback that judges where the socket is opened. Redirects,
 * frames, subresources, WebSockets and workers all pass here, and a name is resolved once for the whole audit.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { AnalysisError } from '../../contract/errors.ts';
import { type Endpoint, endpointOfConnect, endpointOfUrl } from '../targets/endpoint.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { DialError, type Network } from './dial.ts';
import { createForward, maxHeaderBytes, splice } from './forward.ts';
import { createEgressReach, type EgressReach, type ReachLimits, usualReachLimits } from './reach.ts';
import type { Refusal, RefusalNote } from './refusals.ts';

export type EgressLimits = ReachLimits & {
  /** Received in one audit. */
  bytes: number;
};

export const usualEgressLimits: EgressLimits = { ...usualReachLimits, bytes: 100_000_000 };

/** What came of an audit's connections so far. */
export type EgressFacts = {
  /** Connections the policy refused. */
  blocked: number;
  /** Why nothing came of a connection to a URL's host and port; undefined when one was made. */
  refusal: Refusal | undefined;
  /** Whether how that host failed must be kept from the client: the host is inside, and the client may not be. */
  isDiscreet: boolean;
};

export type Egress = {
  /** For the browser's `--proxy-server`. */
  proxyUrl: string;
  /** Fires, with an AnalysisError, when the audit has received all it may; nothing passes after that. */
  readonly exhausted: AbortSignal;
  /** All that is known, and of this URL. */
  about(url: string): Promise<EgressFacts>;
  close(): void;
};

export type GateOptions = {
  policy: TargetPolicy;
  network: Network;
  /** Whether clients may be elsewhere than on this machine: what stands inside must be kept from them. */
  hidesInside?: boolean;
  limits?: EgressLimits;
  /** The true reason of every refusal, for the log. */
  note?: (refusal: RefusalNote) => void;
};

export type Departure = {
  /** The canonical URL of the page the audit starts on; with a public address the audit is in public-only mode. */
  startUrl: string;
  /** Ends the opening; what is open is ended by `close`. */
  signal: AbortSignal;
};

/** A proxy that a browser can be started with before it is known what it will load. Until then nothing passes. */
export type Gate = {
  /** For the browser's `--proxy-server`. */
  readonly proxyUrl: string;
  /**
   * Opens the way for one audit, once.
   * @throws DialError when the page is not allowed or its name does not resolve, and the gate is as it was; the
   *   signal's reason
   */
  open(departure: Departure): Promise<Egress>;
  /** False when it was closed. */
  readonly isUsable: boolean;
  close(): void;
};

export type EgressOptions = GateOptions & Departure;

const tooMuch = (bytes: number): AnalysisError =>
  new AnalysisError('page_unreachable', `The page loads more than ${bytes / 1_000_000} MB, the limit of one audit.`);

/** Undefined for a URL that leads nowhere, such as `about:blank`. */
const endpointOf = (text: string): Endpoint | undefined => {
  const url = URL.parse(text);
  return url ? endpointOfUrl(url) : undefined;
};

/** Counts down; when nothing is left, `exhausted` fires once. */
function createAllowance(bytes: number): { take(count: number): void; exhausted: AbortSignal } {
  const spent = new AbortController();
  let left = bytes;
  const take = (count: number) => {
    left -= count;
    if (left < 0) spent.abort(tooMuch(bytes));
  };
  return { take, exhausted: spent.signal };
}

/** https and WebSockets: bytes both ways, unseen. */
const createTunnel = (open: EgressReach['open'], onBytes: (count: number) => void) =>
  async function tunnel(request: IncomingMessage, head: Buffer): Promise<void> {
    const client = request.socket.on('error', () => {});
    const endpoint = endpointOfConnect(request.url ?? '');
    const server = endpoint && (await open(endpoint).catch(() => undefined));
    if (!server || client.destroyed) {
      server?.destroy();
      return void client.destroy();
    }
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) server.write(head);
    server.on('data', (chunk: Buffer) => onBytes(chunk.length));
    splice(server, client);
  };

const closedGate: Pick<EgressReach, 'open'> = {
  open: () => Promise.reject(new DialError('blocked', 'Nothing passes before an audit has begun.')),
};

/** Listens on loopback, and lets nothing pass yet. */
export async function openGate({ limits = usualEgressLimits, ...options }: GateOptions): Promise<Gate> {
  const closing = new AbortController();
  const allowance = createAllowance(limits.bytes);
  const sockets = new Set<Duplex>();
  const keep = <S extends Duplex>(socket: S): S => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  let reach = closedGate;
  const open = async (endpoint: Endpoint) => keep(await reach.open(endpoint));

  const server = createServer(
    // No times of its own: a connection a browser holds in reserve stays, as without a proxy.
    {
      insecureHTTPParser: true,
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false,
      requestTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 0,
    },
    createForward({ open, onBytes: allowance.take }),
  );
  const tunnel = createTunnel(open, allowance.take);
  server.on('connect', (request, _client, head) => void tunnel(request, head));
  server.on('connection', keep);
  // An answer of ours would be measured as the page's.
  server.on('clientError', (_error, socket) => socket.destroy());

  const close = (): void => {
    closing.abort();
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  allowance.exhausted.addEventListener('abort', close, { once: true });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    proxyUrl,
    get isUsable() {
      return !closing.signal.aborted;
    },
    close,
    async open({ startUrl, signal }) {
      const start = endpointOf(startUrl);
      if (!start) throw new Error(`No page's URL: ${startUrl}`);
      const ends = AbortSignal.any([signal, closing.signal]);
      const opened = await createEgressReach({ ...options, start, limits, signal: ends });
      reach = opened;
      return {
        proxyUrl,
        exhausted: allowance.exhausted,
        about: async url => {
          const endpoint = endpointOf(url);
          return {
            blocked: opened.blocked,
            refusal: endpoint && opened.refusalOf(endpoint),
            isDiscreet: options.hidesInside === true && endpoint !== undefined && opened.isInside(endpoint),
          };
        },
        close,
      };
    },
  };
}

/**
 * Opens the way out for one audit.
 * @throws DialError when the page is not allowed or its name does not resolve; the signal's reason
 */
export async function openEgress({ startUrl, signal, ...options }: EgressOptions): Promise<Egress> {
  const gate = await openGate(options);
  try {
    return await gate.open({ startUrl, signal });
  } catch (error) {
    gate.close();
    throw error;
  }
}
