/**
 * Preloaded into a client (`--import`) or imported: it refuses every connection that is not to loopback before a socket
 * opens, and reports it on standard error.
 */
import { Socket } from 'node:net';

const loopback = /^(localhost|127(\.\d+){3}|::1|\[::1\])$/;

const connect = Socket.prototype.connect;

/** Reads the host from the arguments of `connect`, or from the array into which Node's client normalizes them. */
const hostOf = (given: unknown): string => {
  const [options, host] = Array.isArray(given) ? given.flat() : [given];
  if (typeof options === 'object' && options !== null)
    return 'path' in options && options.path ? 'localhost' : String(Reflect.get(options, 'host') ?? 'localhost');
  return typeof host === 'string' ? host : 'localhost';
};

Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  const host = hostOf(given);
  if (!loopback.test(host)) {
    process.stderr.write(`refused to connect to ${host}\n`);
    throw new Error(`refused to connect to ${host}`);
  }
  return Reflect.apply(connect, this, given);
} as typeof connect;
