/**
 * Tunnels of a browser through its proxy: SOCKS 5 (RFC 1928) without authentication, by host name. The browser speaks
 * to the server itself, so it judges odd answers, and reuses, closes and resets connections as it does without a proxy.
 */
import { connect, type Socket } from 'node:net';
import { type Endpoint, toEndpoint } from '../targets/endpoint.ts';
import type { PresentCertificate } from './client-certificate.ts';

const version = 5;
const commands = { connect: 1 };
const addressTypes = { name: 3 };

/** A reply contains the address that the proxy connected from, which nobody reads: 0.0.0.0:0. */
const toReply = (code: number): Buffer => Buffer.from([version, code, 0, 1, 0, 0, 0, 0, 0, 0]);
const replies = {
  withoutAuthentication: Buffer.from([version, 0]),
  connected: toReply(0),
  /** Chrome treats all failures alike. */
  failed: toReply(1),
};

const notSpoken = () => new Error('The browser speaks no SOCKS 5, or requests more than a connection to a name.');

/** Returns the length of the greeting: version, number of methods, methods. */
const greetingLength = ([spoken, methods = 0]: Buffer): number => {
  if (spoken !== undefined && spoken !== version) throw notSpoken();
  return 2 + methods;
};

/** Returns the length of the request: version, command, a zero, type of address, length of the name, name, port. */
const requestLength = (bytes: Buffer): number => {
  const expected = [version, commands.connect, bytes[2], addressTypes.name];
  if (expected.some((octet, at) => at < bytes.length && octet !== bytes[at])) throw notSpoken();
  return 7 + (bytes[4] ?? 0);
};

/**
 * Reads one message; later bytes remain in the socket.
 * @param toLength returns the length of the message that begins with these bytes, as far as they show it
 * @throws if the connection ends before, and the errors of `toLength`
 */
async function readMessage(socket: Socket, toLength: (bytes: Buffer) => number): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    const length = toLength(bytes);
    if (bytes.length < length) continue;
    if (bytes.length > length) socket.unshift(bytes.subarray(length));
    return bytes.subarray(0, length);
  }
  throw new Error('The connection ended in mid-message.');
}

/** Reads the target that a browser requests; undefined if it is invalid. @throws if the browser does not speak SOCKS 5 */
async function readTarget(client: Socket): Promise<Endpoint | undefined> {
  await readMessage(client, greetingLength);
  client.write(replies.withoutAuthentication);
  const request = await readMessage(client, requestLength);
  return toEndpoint(request.toString('latin1', 5, request.length - 2), request.readUInt16BE(request.length - 2));
}

/** Returns the messages with which a client requests a connection. The proxy may receive them at once. */
export function toRequest({ host, port }: Endpoint): Buffer {
  const name = Buffer.from(host);
  const end = Buffer.from([port >> 8, port & 0xff]);
  const head = [version, 1, 0, version, commands.connect, 0, addressTypes.name, name.length];
  return Buffer.concat([Buffer.from(head), name, end]);
}

/** Opens a connection through a proxy. @throws if the proxy refuses it */
export async function connectThrough(proxyUrl: string, target: Endpoint): Promise<Socket> {
  const { hostname, port } = new URL(proxyUrl);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.write(toRequest(target));
  const { withoutAuthentication: greeting, connected } = replies;
  try {
    const reply = await readMessage(socket, () => greeting.length + connected.length);
    if (reply.subarray(greeting.length).equals(connected)) return socket;
  } catch {
    // The proxy has ended, or has closed the connection.
  }
  socket.destroy();
  throw Object.assign(new Error('The proxy refuses the connection.'), { code: 'ECONNREFUSED' });
}

/**
 * Browsers close both directions together. If the server continues to send, its data are read until it is silent for
 * this long.
 */
const usualLingerMs = 5_000;

/**
 * Forwards one direction. Received data are delivered before the end is forwarded, even if the other direction is
 * closed. A reset is forwarded as a reset: a truncated answer must not look complete.
 */
function lead(from: Socket, to: Socket, lingerMs: number): void {
  from.on('error', () => {});
  from.on('end', () => to.setTimeout(lingerMs, () => to.destroy()));
  from.on('close', () => {
    if (!from.readableEnded) return void to.resetAndDestroy();
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

/** Called with the number of bytes in each chunk that a server or the browser sends. */
export type Traffic = { onReceived(count: number): void; onSent(count: number): void };

/**
 * Creates the function that serves one connection of a browser until it ends.
 * @param open opens a connection to a server; if it rejects, the browser is refused
 * @param present replaces both sides of the connection before data pass
 */
export const createTunnel = (
  open: (target: Endpoint) => Promise<Socket>,
  { onReceived, onSent }: Traffic,
  present: PresentCertificate = async (_target, ends) => ends,
) =>
  async function tunnel(client: Socket): Promise<void> {
    client.on('error', () => {});
    try {
      const target = await readTarget(client);
      const server = target && (await open(target).catch(() => undefined));
      if (!server) return void client.end(replies.failed, () => client.destroy());
      if (client.destroyed) return void server.destroy();
      client.write(replies.connected);
      const ends = await present(target, { browser: client, server });
      ends.server.on('data', (chunk: Buffer) => onReceived(chunk.length));
      ends.browser.on('data', (chunk: Buffer) => onSent(chunk.length));
      splice(ends.server, ends.browser);
    } catch {
      client.destroy();
    }
  };
