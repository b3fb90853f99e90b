/**
 * Restricts the targets of one audit: names are resolved once, and an audit that starts on a public address may connect
 * only to public ones.
 */
import type { Socket } from 'node:net';
import PQueue from 'p-queue';
import { classifyAddress } from '../targets/address.ts';
import { type Endpoint, nameOf } from '../targets/endpoint.ts';
import { toDestinations } from '../targets/mapped-hosts.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import {
  DialError,
  type DialLimits,
  type DialNetwork,
  type DialReason,
  dial,
  resolveHost,
  usualDialLimits,
} from './dial.ts';

export type Refusal = { reason: DialReason; detail: string };

/** A refusal for the log. Clients may see only a part of it. */
export type RefusalNote = Refusal & Endpoint;

/** Max number of log entries, so that a page that tries every port cannot flood the log. */
const maxNotes = 100;

const maxGivenUp = 3;

/**
 * Records the last refusal of each endpoint in one audit.
 * @param maxEndpoints max number of endpoints; the oldest are removed
 * @param note called when the reason for refusing an endpoint is new or has changed, at most `maxNotes` times
 */
function createRefusals(maxEndpoints: number, note: (refusal: RefusalNote) => void) {
  const refusals = new Map<string, Refusal>();
  let blocked = 0;
  let notes = 0;
  const givenUp = new Set<string>();

  const keep = (name: string, refusal: Refusal): void => {
    refusals.delete(name);
    refusals.set(name, refusal);
    const [oldest] = refusals.keys();
    if (refusals.size > maxEndpoints && oldest !== undefined) refusals.delete(oldest);
  };

  return {
    /** Number of connections that the policy refused. */
    get blocked(): number {
      return blocked;
    },
    /** Hosts, at most `maxGivenUp`, to which a connection failed by a limit of this service, and not by an answer. */
    get givenUp(): readonly string[] {
      return [...givenUp];
    },
    /** Returns why the last connection to this endpoint failed; undefined if it succeeded or was never tried. */
    of: (endpoint: Endpoint): Refusal | undefined => refusals.get(nameOf(endpoint)),
    add(endpoint: Endpoint, error: unknown): void {
      const { reason, message } = error instanceof DialError ? error : new DialError('refused', String(error));
      if (reason === 'blocked') blocked += 1;
      if ((reason === 'timeout' || reason === 'limit') && givenUp.size < maxGivenUp) givenUp.add(endpoint.host);
      const name = nameOf(endpoint);
      const isNews = refusals.get(name)?.reason !== reason;
      keep(name, { reason, detail: message });
      if (!isNews || notes >= maxNotes) return;
      notes += 1;
      note({ reason, detail: message, ...endpoint });
    },
    /** Removes the refusal of an endpoint, because a later connection succeeded. */
    forget: (endpoint: Endpoint): void => void refusals.delete(nameOf(endpoint)),
  };
}

type NameLimits = {
  lookupMs: number;
  /** Max number of parallel lookups, because other audits use the same resolver. */
  lookups: number;
  /** Max number of different names in one audit. */
  names: number;
};

const isPublicAddress = (address: string): boolean => classifyAddress(address) === 'public';

/**
 * Names of one audit. Each is resolved once, because a second lookup could return other IP addresses.
 * @param signal aborts pending lookups
 */
function createNames(network: DialNetwork, signal: AbortSignal, limits: NameLimits) {
  const queue = new PQueue({ concurrency: limits.lookups });
  const resolving = new Map<string, Promise<readonly string[]>>();
  const inside = new Set<string>();

  async function lookUp(host: string): Promise<readonly string[]> {
    const addresses = await queue.add(() => resolveHost(network, host, signal, limits));
    if (!addresses.every(isPublicAddress)) inside.add(host);
    return addresses;
  }

  return {
    /** @throws DialError `unknown_name`, `timeout` or `limit`; the signal's reason */
    async addressesOf(host: string): Promise<readonly string[]> {
      const known = resolving.get(host);
      if (known) return known;
      if (resolving.size >= limits.names)
        throw new DialError('limit', `${host} exceeds the limit of ${limits.names} host names per audit`);
      const addresses = lookUp(host);
      resolving.set(host, addresses);
      return addresses;
    },
    /** Restricts a host to these IP addresses. */
    pin: (host: string, addresses: readonly string[]) => void resolving.set(host, Promise.resolve(addresses)),
    /** Returns whether a known IP address of the host is not public. */
    isInside: (host: string): boolean => inside.has(host),
  };
}

export type ReachLimits = DialLimits &
  NameLimits & {
    /**
     * Max number of open connections; more have to wait. It matches Chrome's pool, which can close idle connections.
     */
    connections: number;
  };

export const usualReachLimits: ReachLimits = { ...usualDialLimits, lookups: 16, names: 1_000, connections: 256 };

export type ReachOptions = {
  start: Endpoint;
  /** Addresses of host names that replace those of the name system. */
  hosts?: Readonly<Record<string, string>> | undefined;
  policy: TargetPolicy;
  network: DialNetwork;
  /** Aborts all pending work. */
  signal: AbortSignal;
  limits?: ReachLimits;
  /** Called with the true reason for every refusal, for the log. */
  note?: (refusal: RefusalNote) => void;
};

/**
 * Returns the policy for an audit that starts at these IP addresses, and the usable addresses. If only some are public,
 * the private ones are removed: otherwise the owner of a domain could list this machine's address next to a public one,
 * and reach private hosts.
 * @throws DialError `blocked`
 */
function toBeginning(policy: TargetPolicy, { host, port }: Endpoint, answers: readonly string[]) {
  const verdict = policy.judgeAddresses(host, port, answers);
  if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
  const publicAnswers = answers.filter(isPublicAddress);
  const addresses = publicAnswers.length > 0 ? publicAnswers : answers;
  return { addresses, auditPolicy: policy.auditPolicyFor(host, addresses) };
}

/** Opens a socket that counts as one of the connections until it is closed. */
function holdConnection(connections: PQueue, connect: () => Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const hold = async () => {
    const socket = await connect();
    const closed = new Promise<void>(settle => socket.once('close', () => settle()));
    resolve(socket);
    await closed;
  };
  connections.add(hold, { signal }).catch(reject);
  return promise;
}

/**
 * Resolves the endpoint at which an audit starts. If its IP addresses are public, all further connections must be
 * public too.
 * @throws DialError if that endpoint is not allowed, or its name does not resolve; the signal's reason
 */
export async function createEgressReach(options: ReachOptions) {
  const { start, hosts, policy, network, signal, limits = usualReachLimits, note = () => {} } = options;
  const toDestination = toDestinations(hosts);
  const first = toDestination(start);
  const names = createNames(network, signal, limits);
  const refusals = createRefusals(limits.names, note);
  const connections = new PQueue({ concurrency: limits.connections });

  /** Records a refusal, but not an abort by the end of the audit. */
  const remembering = async <T>(endpoint: Endpoint, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!signal.aborted) refusals.add(endpoint, error);
      throw error;
    }
  };

  const { auditPolicy, addresses } = await remembering(start, async () =>
    toBeginning(policy, first, await names.addressesOf(first.host)),
  );
  names.pin(first.host, addresses);

  async function connect(wanted: Endpoint): Promise<Socket> {
    // The name is checked first: a blocked name is not even resolved. A mapped one is not resolved at all, so the place
    // where its socket opens is checked as if the page had named it.
    const endpoint = toDestination(wanted);
    const verdict = auditPolicy.judgeUrl(`http://${nameOf(endpoint)}/`);
    if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
    const target = { ...endpoint, addresses: await names.addressesOf(endpoint.host) };
    return await holdConnection(connections, () => dial(network, auditPolicy, target, signal, limits), signal);
  }

  return {
    refusals,
    /** Returns whether a known IP address of the endpoint is not public. */
    isInside: (endpoint: Endpoint): boolean => names.isInside(toDestination(endpoint).host),
    /** Opens a socket to a checked IP address of the endpoint. @throws DialError; the signal's reason */
    async open(endpoint: Endpoint): Promise<Socket> {
      const socket = await remembering(endpoint, () => connect(endpoint));
      refusals.forget(endpoint);
      return socket;
    },
  };
}
export type EgressReach = Awaited<ReturnType<typeof createEgressReach>>;
