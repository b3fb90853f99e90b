/** An egress proxy over a network of the test, and clients that speak to it as a browser does, or break the rules. */
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Egress, openEgress, usualEgressLimits } from '../../../src/measure/egress/egress-proxy.ts';
import type { RefusalNote } from '../../../src/measure/egress/refusals.ts';
import { createPolicy, type Targets } from '../../../src/measure/targets/policy.ts';
import type { Scope } from '../start-service.ts';
import { createOwnNetwork, type OwnNetwork } from './own-network.ts';

export const publicAddress = '93.184.216.34';
export const siteUrl = 'http://www.example.com/';

export type OwnEgress = { egress: Egress; network: OwnNetwork; notes: RefusalNote[] };

/** Opens an egress for an audit that starts at `www.example.com`; every port of it leads to `sitePort` on loopback. */
export async function openOwnEgress(
  scope: Scope,
  sitePort: number,
  more: {
    targets?: Targets;
    startUrl?: string;
    bytes?: number;
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
      connections: more.connections ?? usualEgressLimits.connections,
    },
    note: refusal => void notes.push(refusal),
  });
  scope.after(() => egress.close());
  return { egress, network, notes };
}

export async function connectTo(scope: Scope, { proxyUrl }: { proxyUrl: string }): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxyUrl).port), allowHalfOpen: true });
  socket.on('error', () => {});
  scope.after(() => void socket.destroy());
  await new Promise<void>(resolve => socket.once('connect', resolve));
  return socket;
}

/** Sends bytes on a new connection and returns everything received until the proxy closes it. */
export async function sendBytes(scope: Scope, egress: { proxyUrl: string }, bytes: string): Promise<string> {
  const socket = await connectTo(scope, egress);
  socket.write(bytes, 'latin1');
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

/** Opens a tunnel through the proxy. */
export async function openTunnel(scope: Scope, egress: { proxyUrl: string }, target: string): Promise<Socket> {
  const socket = await connectTo(scope, egress);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  await readUntil(socket, '\r\n\r\n');
  return socket;
}

export type ProxiedAnswer = { answer: IncomingMessage; body: Buffer };

/** Requests URLs as a browser does of its proxy, on one keep-alive connection. */
export function createProxiedClient(scope: Scope, { proxyUrl }: { proxyUrl: string }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  scope.after(() => agent.destroy());
  return (url: string, options: { method?: string; headers?: OutgoingHttpHeaders; body?: Buffer } = {}) =>
    new Promise<ProxiedAnswer>((resolve, reject) => {
      const asked = request({
        agent,
        host: '127.0.0.1',
        port: new URL(proxyUrl).port,
        method: options.method ?? 'GET',
        path: url,
        headers: { host: new URL(url).host, 'proxy-connection': 'keep-alive', ...options.headers },
      });
      asked.on('response', answer => {
        buffer(answer).then(body => resolve({ answer, body }), reject);
      });
      asked.on('error', reject);
      asked.end(options.body);
    });
}
