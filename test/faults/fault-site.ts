/**
 * A site with one fault at each path. It listens on loopback only, and every fault is bounded: in bytes, in number, or
 * by the life of the connection or browser.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Arrivals, createArrivals } from '../support/arrivals.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import type { Scope } from '../support/start-service.ts';
import { type Answer, fine, html, pageWith } from './answer.ts';
import { documents } from './documents.ts';
import { type InsecureName, startInsecureServers } from './insecure-servers.ts';
import { parts, scriptedPages } from './scripted-pages.ts';
import { transports } from './transports.ts';

const answers = { fine: html(fine), ...documents, ...transports, ...scriptedPages } satisfies Record<string, Answer>;

type PathName = keyof typeof answers;
export type FaultName = PathName | InsecureName | 'tls-on-plain-port' | 'closed-port';

export type FaultSite = {
  /** Base URL without a trailing slash; the path of a fault is its name. */
  readonly url: string;
  readonly names: readonly FaultName[];
  urlOf(name: FaultName): string;
  /** Path and query of every plain HTTP request, in order. */
  readonly requests: Arrivals<string>;
};

const isPathName = (name: string): name is PathName => Object.hasOwn(answers, name);
const notThere: Answer = html(pageWith(), 404);

/** Opens a WebSocket that never sends anything (RFC 6455, 4.2.2). */
function openSocket(request: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.on('error', () => socket.destroy());
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
}

async function startPlain(scope: Scope, requests: Arrivals<string>): Promise<string> {
  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    requests.add(target);
    const name = target.slice(1).split('?', 1)[0] ?? '';
    const answer: Answer = isPathName(name) ? answers[name] : (parts[name] ?? notThere);
    answer(response, request);
  });
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    openSocket(request, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  scope.after(async () => {
    const closed = new Promise(resolve => server.close(resolve));
    for (const socket of upgraded) socket.destroy();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function startFaultSite(scope: Scope): Promise<FaultSite> {
  const requests = createArrivals<string>();
  const [url, insecure, closed] = await Promise.all([
    startPlain(scope, requests),
    startInsecureServers(scope),
    findClosedPort(),
  ]);
  const elsewhere = {
    ...insecure,
    'tls-on-plain-port': `${url.replace('http:', 'https:')}/fine`,
    'closed-port': closed,
  };
  const names = [...Object.keys(answers), ...Object.keys(elsewhere)] as FaultName[];
  return {
    url,
    names,
    urlOf: name => (isPathName(name) ? `${url}/${name}` : elsewhere[name]),
    requests,
  };
}
