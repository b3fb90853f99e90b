/** An egress proxy over a network of the test, and clients that speak to it as a browser does, or break the rules. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { usualEgressLimits } from '../../../src/measure/egress/egress-proxy.ts';
import type { RefusalNote } from '../../../src/measure/egress/reach.ts';
import { toRequest as toSocksRequest } from '../../../src/measure/egress/tunnel.ts';
import { createPolicy, type Targets } from '../../../src/measure/targets/policy.ts';
import type { Scope } from '../start-service.ts';
import { type OpenedEgress, openEgress } from './open-egress.ts';
import { createOwnNetwork, type OwnNetwork } from './own-network.ts';

export const publicAddress = '93.184.216.34';
export const siteUrl = 'http://www.example.com/';

export type OwnEgress = { egress: OpenedEgress; network: OwnNetwork; notes: RefusalNote[] };

/** Opens an egress for an audit that starts at `www.example.com`; every port of it leads to `sitePort` on loopback. */
export async function openOwnEgress(
  scope: Scope,
  sitePort: number,
  more: {
    targets?: Targets;
    startUrl?: string;
    bytes?: number;
    sentBytesPerSecond?: number;
    connections?: number;
    hidesInside?: boolean;
    network?: OwnNetwork;
  } = {},
): Promise<OwnEgress> {
  const notes: RefusalNote[] = [];
  const names = { 'www.example.com': [publicAddress], 'cdn.example.com': [publicAddress], localhost: ['127.0.0.1'] };
  const network = more.network ?? createOwnNetwork(names, { [publicAddress]: sitePort });
  const egress = await openEgress({
    startUrl: more.startUrl ?? siteUrl,
    policy: createPolicy({ targets: more.targets ?? 'any', localAddresses: () => [] }),
    network,
    signal: new AbortController().signal,
    hidesInside: more.hidesInside ?? false,
    limits: {
      ...usualEgressLimits,
      bytes: more.bytes ?? usualEgressLimits.bytes,
      sentBytesPerSecond: more.sentBytesPerSecond ?? usualEgressLimits.sentBytesPerSecond,
      connections: more.connections ?? usualEgressLimits.connections,
    },
    note: refusal => void notes.push(refusal),
  });
  scope.after(() => egress.close());
  return { egress, network, notes };
}

export async function connectTo(scope: Scope, { proxyUrl }: { proxyUrl: string }): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxyUrl).port), allowHalfOpen: true });
  scope.after(() => void socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** Sends bytes on a new connection and returns everything received until the proxy closes it. */
export async function sendBytes(scope: Scope, egress: { proxyUrl: string }, bytes: string | Buffer): Promise<string> {
  const socket = await connectTo(scope, egress);
  socket.write(bytes);
  return await readToEnd(socket);
}

/** Everything received until the connection ends, cleanly or not. */
export function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise(resolve => {
    socket.on('data', chunk => chunks.push(chunk));
    const settle = () => resolve(Buffer.concat(chunks).toString('latin1'));
    socket.once('end', settle).once('close', settle).resume();
  });
}

/** Everything received up to and including this text; later bytes stay unread. */
export function readUntil(socket: Socket, text: string): Promise<string> {
  let received = '';
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const end = received.indexOf(text) + text.length;
      if (end < text.length) return;
      socket.off('data', onData).pause();
      if (end < received.length) socket.unshift(Buffer.from(received.slice(end), 'latin1'));
      resolve(received.slice(0, end));
    };
    socket.on('data', onData).resume();
    socket.once('close', () => reject(new Error(`closed after: ${received}`)));
  });
}

/** The bytes with which a browser requests a tunnel to a host and port, all at once; `more` follows them. */
export function toRequest(target: string, more = ''): Buffer {
  const [, host = '', port] = /^(.*):(\d+)$/.exec(target) ?? [];
  const request = toSocksRequest({ host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) });
  return Buffer.concat([request, Buffer.from(more)]);
}

/** What the proxy answers: that it requires no password, and whether it has opened the tunnel. */
export const greeting = '\x05\0';
const zeros = '\0'.repeat(6);
export const connected = `${greeting}\x05\0\0\x01${zeros}`;
const failed = `${greeting}\x05\x01\0\x01${zeros}`;

/** Opens a tunnel through the proxy. @param target host and port @param more sent together with the request */
export async function openTunnel(
  scope: Scope,
  egress: { proxyUrl: string },
  target: string,
  more = '',
): Promise<Socket> {
  const socket = await connectTo(scope, egress);
  socket.write(toRequest(target, more));
  await readUntil(socket, connected);
  return socket;
}

/** Returns whether the proxy refuses a tunnel, and then closes the connection. */
export async function isRefused(scope: Scope, egress: { proxyUrl: string }, target: string): Promise<boolean> {
  return (await sendBytes(scope, egress, toRequest(target))) === failed;
}

/** Sends bytes through a tunnel to a URL's host and port, and returns everything received until it ends. */
export async function ask(
  scope: Scope,
  egress: { proxyUrl: string },
  url: string,
  bytes = 'GET / HTTP/1.0\r\n\r\n',
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = await openTunnel(scope, egress, `${hostname}:${port || 80}`);
  socket.write(bytes, 'latin1');
  return await readToEnd(socket);
}
