import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { TargetPolicy } from './policy.ts';

/** Why a connection was not made. */
export type DialReason = 'blocked' | 'unknown_name' | 'refused' | 'timeout';

export class DialError extends Error {
  readonly reason: DialReason;

  /** @param detail for the log; for `blocked` it is the policy's sentence, which callers may see */
  constructor(reason: DialReason, detail: string) {
    super(detail);
    this.name = 'DialError';
    this.reason = reason;
  }
}

/** How names become addresses and addresses sockets; the tests put a network of their own here. */
export type Network = {
  resolve(host: string): Promise<string[]>;
  connect(address: string, port: number): Socket;
};

const lookupMs = 5_000;
const connectMs = 10_000;

/** The machine's own resolver, so that `/etc/hosts` counts; every answer, in its order. */
export const systemNetwork: Network = {
  resolve: async host => (await lookup(host, { all: true })).map(({ address }) => address),
  connect: (address, port) => connect({ host: address, port, noDelay: true }),
};

const within = <T>(promise: Promise<T>, ms: number, late: () => DialError): Promise<T> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
};

const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '');

/** @throws DialError `unknown_name` or `timeout` */
export async function resolveHost(network: Network, host: string): Promise<readonly string[]> {
  const literal = withoutBrackets(host);
  if (isIP(literal)) return [literal];
  const answers = network.resolve(host).catch(() => {
    throw new DialError('unknown_name', `${host} does not resolve`);
  });
  return within(answers, lookupMs, () => new DialError('timeout', `${host} was not resolved in time`));
}

const open = async (network: Network, address: string, port: number): Promise<Socket> => {
  const socket = network.connect(address, port);
  const opened = new Promise<Socket>((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', error => reject(new DialError('refused', error.message)));
  });
  try {
    return await within(opened, connectMs, () => new DialError('timeout', `no answer from ${address}:${port}`));
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

/**
 * Judges every address a host has and opens a socket to one of them: the very addresses that were judged.
 * @throws DialError
 */
export async function dial(
  network: Network,
  policy: TargetPolicy,
  { host, port, addresses }: { host: string; port: number; addresses: readonly string[] },
): Promise<Socket> {
  const verdict = policy.judgeAddresses(host, port, addresses);
  if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
  let last: unknown = new DialError('unknown_name', `${host} has no address`);
  for (const address of addresses) {
    try {
      return await open(network, address, port);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
