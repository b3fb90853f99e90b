/** One GET through an egress proxy: what is not allowed is refused where the socket opens, as for a page. */
import { type IncomingMessage, request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { serviceVersion } from '../../contract/version.ts';
import { portOf } from '../targets/endpoint.ts';

/** The certificate of the server is not good. */
export class InsecureServer extends Error {}

export type ProxiedGet = {
  readonly answer: IncomingMessage;
  close(): void;
};

const toServerName = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

function openTunnel(proxy: URL, url: URL, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const asking = request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    signal,
    agent: false,
    path: `${url.hostname}:${portOf(url)}`,
  });
  asking.once('connect', (_answer, socket: Socket) => resolve(socket));
  asking.once('error', reject);
  asking.end();
  return promise;
}

/** Words of a connection that ended, and not of a certificate. */
const isEnd = (error: Error): boolean => 'code' in error && /^E(CONN|PIPE|TIMEDOUT)/.test(`${error.code}`);

function secure(socket: Socket, url: URL, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const host = toServerName(url);
  // The handshake names no address, the certificate may.
  const name = isIP(host) === 0 ? { servername: host } : {};
  const secured = connectTls({ socket, host, ...name, ALPNProtocols: ['http/1.1'] });
  const onAbort = () => secured.destroy(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  secured.once('close', () => signal.removeEventListener('abort', onAbort));
  secured.once('secureConnect', () => resolve(secured));
  secured.on('error', error => {
    const isOther = signal.aborted || isEnd(error);
    reject(isOther ? error : new InsecureServer(error.message));
  });
  return promise;
}

/**
 * @param proxyUrl of an open gate
 * @throws InsecureServer, the signal's reason, or an error of the connection
 */
export async function getThroughProxy(proxyUrl: string, href: string, signal: AbortSignal): Promise<ProxiedGet> {
  const [proxy, url] = [new URL(proxyUrl), new URL(href)];
  url.hash = '';
  const isSecure = url.protocol === 'https:';
  const socket = isSecure ? await openTunnel(proxy, url, signal) : undefined;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  try {
    const secured = socket && (await secure(socket, url, signal));
    const asking = request({
      ...(secured
        ? { createConnection: () => secured, path: `${url.pathname}${url.search}` }
        : { host: proxy.hostname, port: proxy.port, agent: false, path: url.href }),
      headers: {
        host: url.host,
        'user-agent': `Rangelight/${serviceVersion}`,
        accept: 'application/xml, text/xml, text/plain, */*;q=0.5',
        'accept-encoding': 'gzip',
        connection: 'close',
      },
      signal,
    });
    asking.once('response', resolve).on('error', reject);
    asking.end();
    const answer = await promise;
    const close = () => {
      answer.destroy();
      asking.destroy();
      secured?.destroy();
      socket?.destroy();
    };
    // Its reader hears of it; without a reader there must be no crash.
    answer.on('error', () => {});
    return { answer, close };
  } catch (error) {
    socket?.destroy();
    throw error;
  }
}
