import { isIP, type Socket } from 'node:net';
import type { TargetPolicy } from '../targets/policy.ts';

/** Why a connection was not made. */
export type DialReason = 'blocked' | 'unknown_name' | 'refused' | 'timeout';

export class DialError extends Error {
  readonly reason: DialReason;

  /** @param detail for the log; for `blocked` it is the policy's sentence, which clients may see */
  constructor(reason: DialReason, detail: string) {
    super(detail);
    this.name = 'DialError';
    this.reason = reason;
  }
}

/** How names become addresses and addresses sockets; the tests put a network of their own here. */
export type Network = {
  /** Every address of the name, best first. The signal says that the answer is not wanted any more. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  connect(address: string, port: number): Socket;
};

export type DialLimits = {
  lookupMs: number;
  /** For all addresses of a name together. */
  connectMs: number;
  /** After this long without an answer the next address is tried next to the first (RFC 8305). */
  staggerMs: number;
};

export const usualDialLimits: DialLimits = { lookupMs: 5_000, connectMs: 10_000, staggerMs: 250 };

/** Waits no longer than this, nor than the signal; what still runs gets a signal of its own to stop. */
async function within<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ms, late, signal }: { ms: number; late: string; signal: AbortSignal },
): Promise<T> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DialError('timeout', late)), ms);
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([stopped, work(stop.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    stop.abort();
  }
}

/**
 * Every address of a host in canonical form; a literal is its own.
 * @throws DialError `unknown_name` or `timeout`; the signal's reason
 */
export async function resolveHost(
  network: Network,
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

/** The first socket that opens. The next address gets its turn when one fails, or says nothing for a while. */
function openFirst(
  { network, addresses, port, staggerMs }: Dialling & { network: Network; staggerMs: number },
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
    // Stays for good: an error of an open socket is followed by its `close`, which is what the others look at.
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
 * Judges every address a host has and opens a socket to one of them: the very addresses that were judged.
 * @throws DialError; the signal's reason
 */
export async function dial(
  network: Network,
  policy: TargetPolicy,
  target: Dialling,
  signal: AbortSignal,
  { connectMs, staggerMs }: DialLimits = usualDialLimits,
): Promise<Socket> {
  const verdict = policy.judgeAddresses(target.host, target.port, target.addresses);
  if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
  const late = `no answer from ${target.host} on port ${target.port}`;
  return await within(stop => openFirst({ network, ...target, staggerMs }, stop), { ms: connectMs, late, signal });
}
