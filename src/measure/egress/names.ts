import PQueue from 'p-queue';
import { classifyAddress } from '../targets/address.ts';
import { DialError, type Network, resolveHost } from './dial.ts';

export type NameLimits = {
  lookupMs: number;
  /** Lookups at once: the machine's resolver serves other audits, too. */
  lookups: number;
  /** Different names in one audit. */
  names: number;
};

/** The names of one audit, each resolved once: a second answer would be another's to give. */
export type Names = {
  /** @throws DialError `unknown_name` or `timeout`; the signal's reason */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Uses these addresses and no others from now on. */
  pin(host: string, addresses: readonly string[]): void;
  /** Whether one of the host's addresses, as far as they are known, is not public. */
  isInside(host: string): boolean;
};

export const isPublicAddress = (address: string): boolean => classifyAddress(address) === 'public';

/** @param signal ends whatever is in progress */
export function createNames(network: Network, signal: AbortSignal, limits: NameLimits): Names {
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
        throw new DialError('unknown_name', `${host} is one name more than the ${limits.names} of an audit`);
      const addresses = lookUp(host);
      resolving.set(host, addresses);
      return addresses;
    },
    pin: (host, addresses) => void resolving.set(host, Promise.resolve(addresses)),
    isInside: host => inside.has(host),
  };
}
