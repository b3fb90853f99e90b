import { isIP, type Socket } from 'node:net';
import { orAbort } from '../fair-turns.ts';
import type { TargetPolicy } from '../targets/policy.ts';

/** Reason why a connection failed. */
export type DialReason = 'blocked' | 'unknown_name' | 'refused' | 'insecure' | 'timeout' | 'limit';

export class DialError extends Error {
  readonly reason: DialReason;

  /** @param detail for the log; for `blocked`, the policy's sentence, which clients may see */
  constructor(reason: DialReason, detail: string) {
    super(detail);
    this.name = 'DialError';
    this.reason = reason;
  }
}

/** Resolves names and opens sockets; tests replace it with a network of their own. */
export type DialNetwork = {
  /** Returns all IP addresses of a name, best first. The signal aborts the lookup. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  connect(address: string, port: number): Socket;
};

export type DialLimits = {
  lookupMs: number;
  /** Timeout for all IP addresses of a name together. */
  connectMs: number;
  /** Delay after which the next IP address is tried in parallel (RFC 8305). */
  staggerMs: number;
};

export const usualDialLimits: DialLimits = { lookupMs: 5_000, connectMs: 10_000, staggerMs: 250 };

/** Waits for work with a timeout and the caller's signal. The signal of the work aborts when the wait ends. */
async function within<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ms, late, signal }: { ms: number; late: string; signal: AbortSignal },
): Promise<T> {
  signal.throwIfAborted();
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(new DialError('timeout', late)), ms);
  const ends = AbortSignal.any([signal, end.signal]);
  try {
    return await orAbort(work(ends), ends);
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

/**
 * Returns all IP addresses of a host in canonical form; for a literal, the address itself.
 * @throws DialError `unknown_name` or `timeout`; the signal's reason
 */
export async function resolveHost(
  network: DialNetwork,
  host: string,
  signal: AbortSignal,
  { lookupMs }: Pick<DialLimits, 'lookupMs'> = usualDialLimits,
): Promise<readonly string[]> {
  if (isIP(host)) return [host];
  const lookUp = (stop: AbortSignal) =>
    network.resolve(host, stop).catch(error => {
      throw new DialError('unknown_name', `${host} does not resolve (${error?.code ?? error?.message})`);
    });
  const answers = await within(lookUp, { ms: lookupMs, late: `${host} was not resolved in time`, signal });
  if (answers.length === 0) throw new DialError('unknown_name', `${host} has no address`);
  return answers;
}

/** Returns the first socket that opens. The next IP address is tried when one fails or is silent for a while. */
function openFirst(
  { network, addresses, port, staggerMs }: Dialling & { network: DialNetwork; staggerMs: number },
  stop: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const opening = new Set<Socket>();
  const waiting = [...addresses];
  let stagger: NodeJS.Timeout | undefined;

  const tryNext = (): void => {
    clearTimeout(stagger);
    const address = waiting.shift();
    if (address === undefined) return;
    const socket = network.connect(address, port);
    opening.add(socket);
    socket.once('connect', () => {
      if (opening.delete(socket)) resolve(socket);
    });
    // This listener remains, so that errors of the open socket are handled. Users of the socket listen for `close`.
    socket.on('error', error => {
      if (!opening.delete(socket)) return;
      if (opening.size === 0 && waiting.length === 0) reject(new DialError('refused', error.message));
      tryNext();
    });
    stagger = setTimeout(tryNext, staggerMs);
  };

  stop.addEventListener('abort', () => {
    clearTimeout(stagger);
    waiting.length = 0;
    for (const socket of opening) socket.destroy();
    opening.clear();
  });
  tryNext();
  return promise;
}

type Dialling = { host: string; port: number; addresses: readonly string[] };

/**
 * Checks all IP addresses of a host, and opens a socket to one of them.
 * @throws DialError; the signal's reason
 */
export async function dial(
  network: DialNetwork,
  policy: TargetPolicy,
  target: Dialling,
  signal: AbortSignal,
  { connectMs, staggerMs }: DialLimits = usualDialLimits,
): Promise<Socket> {
  const verdict = policy.judgeAddresses(target.host, target.port, target.addresses);
  if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
  const late = `no response from ${target.host} on port ${target.port}`;
  return await within(stop => openFirst({ network, ...target, staggerMs }, stop), { ms: connectMs, late, signal });
}
