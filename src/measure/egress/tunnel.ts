/**
 * Tunnels of a browser through its proxy: SOCKS 5 (RFC 1928) without authentication, by host name. The browser speaks
 * to the server itself, so it judges odd answers, and reuses, closes and resets connections as it does without a proxy.
 */
import type { Socket } from 'node:net';
import { type Endpoint, toEndpoint } from '../targets/endpoint.ts';

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

/** Reads the target that a browser requests; undefined if it is invalid. @throws if the browser does not speak SOCKS 5 */
async function readTarget(client: Socket): Promise<Endpoint | undefined> {
  let bytes: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  for await (const chunk of client.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    if (!isGreeted && bytes.length >= greetingLength(bytes)) {
      bytes = bytes.subarray(greetingLength(bytes));
      isGreeted = true;
      client.write(replies.withoutAuthentication);
    }
    const length = isGreeted ? requestLength(bytes) : Number.POSITIVE_INFINITY;
    if (bytes.length < length) continue;
    client.unshift(bytes.subarray(length));
    return toEndpoint(bytes.toString('latin1', 5, length - 2), bytes.readUInt16BE(length - 2));
  }
  throw new Error('The browser ended the connection in mid-request.');
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

/**
 * Creates the function that serves one connection of a browser until it ends.
 * @param open opens a connection to a server; if it rejects, the browser is refused
 * @param onBytes called with the number of bytes in each chunk that a server sends
 */
export const createTunnel = (open: (target: Endpoint) => Promise<Socket>, onBytes: (count: number) => void) =>
  async function tunnel(client: Socket): Promise<void> {
    client.on('error', () => {});
    try {
      const target = await readTarget(client);
      const server = target && (await open(target).catch(() => undefined));
      if (!server) return void client.end(replies.failed, () => client.destroy());
      if (client.destroyed) return void server.destroy();
      client.write(replies.connected);
      server.on('data', (chunk: Buffer) => onBytes(chunk.length));
      splice(server, client);
    } catch {
      client.destroy();
    }
  };
