/** What one audit may connect to: names resolved once, a ceiling set by the page it begins on, and an end to both. */
import type { Socket } from 'node:net';
import PQueue from 'p-queue';
import { classifyAddress } from './address.ts';
import {
  DialError,
  type DialLimits,
  type DialReason,
  dial,
  type Network,
  resolveHost,
  usualDialLimits,
} from './dial.ts';
import { nameOf, type Place } from './place.ts';
import type { TargetPolicy } from './policy.ts';

export type Refusal = { reason: DialReason; detail: string };

/** For the log: callers may not see all of it. */
export type RefusalNote = Refusal & Place;

export type ReachLimits = DialLimits & {
  /** Open at once; more wait. Chrome holds 32 for pages and 32 for WebSockets to one proxy, and so never waits here. */
  connections: number;
  /** Lookups at once: the machine's resolver serves other audits, too. */
  lookups: number;
  /** Different names in one audit, and different places of which a refusal is remembered. */
  names: number;
};

export const usualReachLimits: ReachLimits = { ...usualDialLimits, connections: 64, lookups: 16, names: 1_000 };

const maxNotes = 100;

export type Reach = {
  /** Connections the policy refused so far. */
  readonly blocked: number;
  /** Why nothing came of the last connection to this place; undefined when one was made, or none tried. */
  refusalOf(place: Place): Refusal | undefined;
  /** Whether the place stands inside: one of its addresses, as far as they are known, is not public. */
  isInside(place: Place): boolean;
  /** Opens a socket to a judged address of the place. @throws DialError; the signal's reason */
  open(place: Place): Promise<Socket>;
};

const isPublic = (address: string) => classifyAddress(address) === 'public';

/**
 * The policy for an audit that begins at these addresses. Where some are public and some are not, only the public ones
 * are used: whoever owns the name could otherwise name this machine beside a server of his own, and reach inside.
 */
const toBeginning = (policy: TargetPolicy, start: Place, answers: readonly string[]) => {
  const isAllowed = policy.judgeAddresses(start.host, start.port, answers).allowed;
  const publicAnswers = answers.filter(isPublic);
  const addresses = isAllowed && publicAnswers.length > 0 ? publicAnswers : answers;
  return { addresses, ceiling: policy.ceilingFor(addresses) };
};

/**
 * Resolves the place an audit begins at; its addresses set the ceiling for all that follows.
 * @param signal ends whatever is under way
 * @throws DialError when that place is not allowed, or its name does not resolve; the signal's reason
 */
export async function createReach({
  start,
  policy,
  network,
  signal,
  limits = usualReachLimits,
  note = () => {},
}: {
  start: Place;
  policy: TargetPolicy;
  network: Network;
  signal: AbortSignal;
  limits?: ReachLimits;
  note?: (refusal: RefusalNote) => void;
}): Promise<Reach> {
  const lookups = new PQueue({ concurrency: limits.lookups });
  const connections = new PQueue({ concurrency: limits.connections });
  const resolving = new Map<string, Promise<readonly string[]>>();
  const inside = new Set<string>();
  const refusals = new Map<string, Refusal>();
  let blocked = 0;
  let notes = 0;

  async function lookUp(host: string): Promise<readonly string[]> {
    const addresses = await lookups.add(() => resolveHost(network, host, signal, limits));
    if (!addresses.every(isPublic)) inside.add(host);
    return addresses;
  }

  const addressesOf = (host: string): Promise<readonly string[]> => {
    const known = resolving.get(host);
    if (known) return known;
    if (resolving.size >= limits.names)
      throw new DialError('unknown_name', `${host} is one name more than the ${limits.names} of an audit`);
    const addresses = lookUp(host);
    addresses.catch(() => {});
    resolving.set(host, addresses);
    return addresses;
  };

  const remember = (place: Place, error: unknown): void => {
    if (signal.aborted) return;
    const { reason, message } = error instanceof DialError ? error : new DialError('refused', String(error));
    if (reason === 'blocked') blocked += 1;
    const name = nameOf(place);
    const isNews = refusals.get(name)?.reason !== reason;
    refusals.delete(name);
    refusals.set(name, { reason, detail: message });
    const [oldest] = refusals.keys();
    if (refusals.size > limits.names && oldest !== undefined) refusals.delete(oldest);
    if (!isNews || notes >= maxNotes) return;
    notes += 1;
    note({ reason, detail: message, ...place });
  };

  /** Keeps one of the audit's connections until its socket is closed. */
  function connect(ceiling: TargetPolicy, place: Place, addresses: readonly string[]): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const hold = async () => {
      const socket = await dial(network, ceiling, { ...place, addresses }, signal, limits);
      const closed = new Promise<void>(settle => socket.once('close', () => settle()));
      resolve(socket);
      await closed;
    };
    connections.add(hold, { signal }).catch(reject);
    return promise;
  }

  let beginning: ReturnType<typeof toBeginning>;
  try {
    beginning = toBeginning(policy, start, await addressesOf(start.host));
    const verdict = beginning.ceiling.judgeAddresses(start.host, start.port, beginning.addresses);
    if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
  } catch (error) {
    remember(start, error);
    throw error;
  }
  const { ceiling, addresses } = beginning;
  resolving.set(start.host, Promise.resolve(addresses));

  return {
    get blocked() {
      return blocked;
    },
    refusalOf: place => refusals.get(nameOf(place)),
    isInside: place => inside.has(place.host),
    async open(place) {
      try {
        // By name first: what is refused by its name is not even looked up.
        const verdict = ceiling.judgeUrl(`http://${nameOf(place)}/`);
        if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
        const socket = await connect(ceiling, place, await addressesOf(place.host));
        refusals.delete(nameOf(place));
        return socket;
      } catch (error) {
        remember(place, error);
        throw error;
      }
    },
  };
}
