/**
 * The only network access of a browser under audit: a loopback proxy that checks targets where the socket is opened.
 * Redirects, frames, subresources, WebSockets and workers all use it, and a name is resolved once for the whole audit.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { AnalysisError } from '../../contract/errors.ts';
import { browserOwnHost } from '../../contract/names.ts';
import { type Endpoint, endpointOfUrl } from '../targets/endpoint.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { type ClientCertificate, createPresenter, type PresentCertificate } from './client-certificate.ts';
import { DialError, type DialNetwork } from './dial.ts';
import {
  createEgressReach,
  type EgressReach,
  type ReachLimits,
  type Refusal,
  type RefusalNote,
  usualReachLimits,
} from './reach.ts';
import { createTunnel, type Traffic } from './tunnel.ts';

export type EgressLimits = ReachLimits & {
  /** Max bytes received and sent in one audit. */
  bytes: number;
  /** Max bytes sent within a second: a page must not flood others through this service. */
  sentBytesPerSecond: number;
};

export const usualEgressLimits: EgressLimits = {
  ...usualReachLimits,
  bytes: 100_000_000,
  sentBytesPerSecond: 20_000_000,
};

/** A browser's only network access, opened for one audit. Its implementation decides which sockets may open. */
export type Egress = {
  /** Aborts with the AnalysisError that ends the audit: the max number of bytes was received, or the gate has ended. */
  readonly exhausted: AbortSignal;
  /** Returns the facts about the audit's connections so far, and about this URL. It still works after the gate was closed. */
  about(url: string): Promise<{
    /** Number of connections that the policy refused. */
    blocked: number;
    /** Number of connections that no page requested: before it was opened, or for services of the browser. */
    unasked: number;
    /** Hosts, at most a few, to which a connection failed by a limit of this service. */
    givenUp: readonly string[];
    /** Reason why the last connection to the URL's host and port failed; undefined if it succeeded or was never tried. */
    refusal: Refusal | undefined;
    /** Whether the reason must be hidden from clients: the host is private, and clients may be on other machines. */
    isDiscreet: boolean;
  }>;
  close(): void;
};

export type GateOptions = {
  policy: TargetPolicy;
  network: DialNetwork;
  /** Whether clients may be on other machines, so that facts about private hosts must be hidden from them. */
  hidesInside?: boolean;
  limits?: EgressLimits;
  /** Called with the true reason for every refusal, for the log. */
  note?: (refusal: RefusalNote) => void;
};

export type Departure = {
  /** Canonical URL of the page. If its IP address is public, the audit may connect only to public addresses. */
  startUrl: string;
  /** Addresses of host names for this audit, which replace those of the name system. */
  hosts?: Readonly<Record<string, string>> | null | undefined;
  clientCertificate?: ClientCertificate | undefined;
  /** Aborts the opening; open connections are ended by `close`. */
  signal: AbortSignal;
};

/** Network access for a browser that starts before its page is known. It forwards no traffic until it is opened. */
export type Gate = {
  /** URL for the browser's `--proxy-server`. */
  readonly proxyUrl: string;
  /**
   * Opens the gate for one audit; it can be opened only once.
   * @throws DialError if the page is not allowed or its name does not resolve (the gate is unchanged then); the
   * signal's reason; AnalysisError `lighthouse_unavailable` if the gate has ended
   */
  open(departure: Departure): Promise<Egress>;
  /** False if the gate can no longer forward traffic, so that a browser that was started for it is useless. */
  readonly isUsable: boolean;
  close(): void;
};

const tooMuch = (bytes: number): AnalysisError =>
  new AnalysisError(
    'page_too_large',
    `The page loads and sends more than ${bytes / 1_000_000} MB, the limit of one audit.`,
  );
const tooFast = (bytes: number): AnalysisError =>
  new AnalysisError('page_too_large', `The page sends more than ${bytes / 1_000_000} MB within a second.`);

/** Returns undefined for a URL without a host, such as `about:blank`. */
const endpointOf = (text: string): Endpoint | undefined => {
  const url = URL.parse(text);
  return url ? endpointOfUrl(url) : undefined;
};

/** Counts transferred bytes; above a limit, `exhausted` aborts. */
function createAllowance({ bytes, sentBytesPerSecond }: EgressLimits): Traffic & { exhausted: AbortSignal } {
  const spent = new AbortController();
  let left = bytes;
  let second = 0;
  let sent = 0;
  const onReceived = (count: number) => {
    left -= count;
    if (left < 0) spent.abort(tooMuch(bytes));
  };
  const onSent = (count: number) => {
    const now = Math.floor(performance.now() / 1000);
    sent = count + (now === second ? sent : 0);
    second = now;
    if (sent > sentBytesPerSecond) spent.abort(tooFast(sentBytesPerSecond));
    onReceived(count);
  };
  return { onReceived, onSent, exhausted: spent.signal };
}

/** Starts a proxy on loopback that forwards no traffic yet. */
export async function openGate({ limits = usualEgressLimits, ...options }: GateOptions): Promise<Gate> {
  const closing = new AbortController();
  const allowance = createAllowance(limits);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  let reach: EgressReach | undefined;
  let unasked = 0;
  /** Opens a connection for the page. What the browser wants for itself is refused without a line in the log. */
  async function open(endpoint: Endpoint): Promise<Socket> {
    if (reach && endpoint.host !== browserOwnHost) return keep(await reach.open(endpoint));
    unasked += 1;
    throw new DialError('blocked', 'No page requested this connection.');
  }

  let present: PresentCertificate | undefined;
  const tunnel = createTunnel(open, allowance, async (target, ends) => (await present?.(target, ends)) ?? ends);
  // Each side closes its own direction, as without a proxy.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => void tunnel(keep(client)));

  const close = (): void => {
    closing.abort();
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  allowance.exhausted.addEventListener('abort', close, { once: true });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxyUrl = `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    proxyUrl,
    get isUsable() {
      return !closing.signal.aborted;
    },
    close,
    async open({ startUrl, hosts, clientCertificate, signal }) {
      const start = endpointOf(startUrl);
      if (!start) throw new Error(`No page's URL: ${startUrl}`);
      const ends = AbortSignal.any([signal, closing.signal]);
      const opened = await createEgressReach({ ...options, start, hosts: hosts ?? undefined, limits, signal: ends });
      reach = opened;
      if (clientCertificate)
        present = createPresenter(clientCertificate, (target, reason) =>
          opened.refusals.add(target, new DialError('insecure', reason)),
        );
      return {
        exhausted: allowance.exhausted,
        about: async url => {
          const endpoint = endpointOf(url);
          return {
            blocked: opened.refusals.blocked,
            unasked,
            givenUp: opened.refusals.givenUp.filter(
              host => !options.hidesInside || !opened.isInside({ host, port: 0 }),
            ),
            refusal: endpoint && opened.refusals.of(endpoint),
            isDiscreet: options.hidesInside === true && endpoint !== undefined && opened.isInside(endpoint),
          };
        },
        close,
      };
    },
  };
}
