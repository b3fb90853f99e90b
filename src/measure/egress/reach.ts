/** The targets that one audit may connect to: names are resolved once, and a start in public stays public. */
import type { Socket } from 'node:net';
import PQueue from 'p-queue';
import { classifyAddress } from '../targets/address.ts';
import { type Endpoint, nameOf } from '../targets/endpoint.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { DialError, type DialLimits, dial, type Network, resolveHost, usualDialLimits } from './dial.ts';
import { createRefusals, type Refusal, type RefusalNote } from './refusals.ts';

type NameLimits = {
  lookupMs: number;
  /** Lookups at once: the machine's resolver serves other audits, too. */
  lookups: number;
  /** Different names in one audit. */
  names: number;
};

/** The names of one audit, each resolved once: a second answer would be another's to give. */
type Names = {
  /** @throws DialError `unknown_name` or `timeout`; the signal's reason */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Uses these addresses and no others from now on. */
  pin(host: string, addresses: readonly string[]): void;
  /** Whether one of the host's addresses, as far as they are known, is not public. */
  isInside(host: string): boolean;
};

const isPublicAddress = (address: string): boolean => classifyAddress(address) === 'public';

/** @param signal ends whatever is in progress */
function createNames(network: Network, signal: AbortSignal, limits: NameLimits): Names {
  const queue = new PQueue({ concurrency: limits.lookups });
  const resolving = new Map<string, Promise<readonly string[]>>();
  const inside = new Set<string>();

  async function lookUp(host: string): Promise<readonly string[]> {
    const addresses = await queue.add(() => resolveHost(network, host, signal, limits));
    if (!addresses.every(isPublicAddress)) inside.add(host);
    return addresses;
  }

  return {
    async addressesOf(host) {
      const known = resolving.get(host);
      if (known) return known;
      if (resolving.size >= limits.names)
        throw new DialError('unknown_name', `${host} exceeds the limit of ${limits.names} host names per audit`);
      const addresses = lookUp(host);
      resolving.set(host, addresses);
      return addresses;
    },
    pin: (host, addresses) => void resolving.set(host, Promise.resolve(addresses)),
    isInside: host => inside.has(host),
  };
}

export type ReachLimits = DialLimits &
  NameLimits & {
    /** Open at once; more wait. As many as Chrome's own pool holds, which makes room where this cannot. */
    connections: number;
  };

export const usualReachLimits: ReachLimits = { ...usualDialLimits, lookups: 16, names: 1_000, connections: 256 };

export type EgressReach = {
  /** Connections the policy refused so far. */
  readonly blocked: number;
  /** Why nothing came of the last connection to this endpoint; undefined when one was made, or none tried. */
  refusalOf(endpoint: Endpoint): Refusal | undefined;
  /** Whether the endpoint stands inside: one of its addresses, as far as they are known, is not public. */
  isInside(endpoint: Endpoint): boolean;
  /** Opens a socket to a judged address of the endpoint. @throws DialError; the signal's reason */
  open(endpoint: Endpoint): Promise<Socket>;
};

export type ReachOptions = {
  start: Endpoint;
  policy: TargetPolicy;
  network: Network;
  /** Ends whatever is in progress. */
  signal: AbortSignal;
  limits?: ReachLimits;
  /** The true reason of every refusal, for the log. */
  note?: (refusal: RefusalNote) => void;
};

/**
 * The policy for an audit that starts at these addresses. Where some are public and some are not, only the public ones
 * are used: the owner of the name could otherwise name this machine next to a server of theirs, and reach inside.
 * @throws DialError `blocked`
 */
function toBeginning(policy: TargetPolicy, { host, port }: Endpoint, answers: readonly string[]) {
  const verdict = policy.judgeAddresses(host, port, answers);
  if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
  const publicAnswers = answers.filter(isPublicAddress);
  const addresses = publicAnswers.length > 0 ? publicAnswers : answers;
  return { addresses, auditPolicy: policy.auditPolicyFor(host, addresses) };
}

/** A socket that counts as one of the connections until it is closed. */
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
 * Resolves the endpoint an audit starts at; its addresses decide whether all that follows is in public-only mode.
 * @throws DialError when that endpoint is not allowed, or its name does not resolve; the signal's reason
 */
export async function createEgressReach(options: ReachOptions): Promise<EgressReach> {
  const { start, policy, network, signal, limits = usualReachLimits, note = () => {} } = options;
  const names = createNames(network, signal, limits);
  const refusals = createRefusals(limits.names, note);
  const connections = new PQueue({ concurrency: limits.connections });

  /** The end of the audit is no refusal. */
  const remembering = async <T>(endpoint: Endpoint, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!signal.aborted) refusals.add(endpoint, error);
      throw error;
    }
  };

  const { auditPolicy, addresses } = await remembering(start, async () =>
    toBeginning(policy, start, await names.addressesOf(start.host)),
  );
  names.pin(start.host, addresses);

  async function connect(endpoint: Endpoint): Promise<Socket> {
    // By name first: what is refused by its name is not even looked up.
    const verdict = auditPolicy.judgeUrl(`http://${nameOf(endpoint)}/`);
    if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
    const target = { ...endpoint, addresses: await names.addressesOf(endpoint.host) };
    return await holdConnection(connections, () => dial(network, auditPolicy, target, signal, limits), signal);
  }

  return {
    get blocked() {
      return refusals.blocked;
    },
    refusalOf: endpoint => refusals.of(endpoint),
    isInside: endpoint => names.isInside(endpoint.host),
    async open(endpoint) {
      const socket = await remembering(endpoint, () => connect(endpoint));
      refusals.forget(endpoint);
      return socket;
    },
  };
}
