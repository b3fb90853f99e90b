/** What one audit may connect to: names resolved once, a ceiling set by the page it begins on, and an end to both. */
import type { Socket } from 'node:net';
import PQueue from 'p-queue';
import { DialError, type DialLimits, dial, type Network, usualDialLimits } from './dial.ts';
import { createNames, isPublicAddress, type NameLimits } from './names.ts';
import { nameOf, type Place } from './place.ts';
import type { TargetPolicy } from './policy.ts';
import { createRefusals, type Refusal, type RefusalNote } from './refusals.ts';

export type ReachLimits = DialLimits &
  NameLimits & {
    /** Open at once; more wait. As many as Chrome's own pool holds, which makes room where this cannot. */
    connections: number;
  };

export const usualReachLimits: ReachLimits = { ...usualDialLimits, lookups: 16, names: 1_000, connections: 256 };

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

export type ReachOptions = {
  start: Place;
  policy: TargetPolicy;
  network: Network;
  /** Ends whatever is under way. */
  signal: AbortSignal;
  limits?: ReachLimits;
  /** The true reason of every refusal, for the log. */
  note?: (refusal: RefusalNote) => void;
};

/**
 * The policy for an audit that begins at these addresses. Where some are public and some are not, only the public ones
 * are used: whoever owns the name could otherwise name this machine beside a server of his own, and reach inside.
 * @throws DialError `blocked`
 */
function toBeginning(policy: TargetPolicy, { host, port }: Place, answers: readonly string[]) {
  const verdict = policy.judgeAddresses(host, port, answers);
  if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
  const publicAnswers = answers.filter(isPublicAddress);
  const addresses = publicAnswers.length > 0 ? publicAnswers : answers;
  return { addresses, ceiling: policy.ceilingFor(host, addresses) };
}

/** A socket that holds one of the places until it is closed. */
function holdPlace(places: PQueue, connect: () => Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const hold = async () => {
    const socket = await connect();
    const closed = new Promise<void>(settle => socket.once('close', () => settle()));
    resolve(socket);
    await closed;
  };
  places.add(hold, { signal }).catch(reject);
  return promise;
}

/**
 * Resolves the place an audit begins at; its addresses set the ceiling for all that follows.
 * @throws DialError when that place is not allowed, or its name does not resolve; the signal's reason
 */
export async function createReach(options: ReachOptions): Promise<Reach> {
  const { start, policy, network, signal, limits = usualReachLimits, note = () => {} } = options;
  const names = createNames(network, signal, limits);
  const refusals = createRefusals(limits.names, note);
  const connections = new PQueue({ concurrency: limits.connections });

  /** The end of the audit is no refusal. */
  const remembering = async <T>(place: Place, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!signal.aborted) refusals.add(place, error);
      throw error;
    }
  };

  const { ceiling, addresses } = await remembering(start, async () =>
    toBeginning(policy, start, await names.addressesOf(start.host)),
  );
  names.pin(start.host, addresses);

  async function connect(place: Place): Promise<Socket> {
    // By name first: what is refused by its name is not even looked up.
    const verdict = ceiling.judgeUrl(`http://${nameOf(place)}/`);
    if (!verdict.allowed) throw new DialError('blocked', verdict.reason);
    const target = { ...place, addresses: await names.addressesOf(place.host) };
    return await holdPlace(connections, () => dial(network, ceiling, target, signal, limits), signal);
  }

  return {
    get blocked() {
      return refusals.blocked;
    },
    refusalOf: place => refusals.of(place),
    isInside: place => names.isInside(place.host),
    async open(place) {
      const socket = await remembering(place, () => connect(place));
      refusals.forget(place);
      return socket;
    },
  };
}
