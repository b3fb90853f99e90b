/** Resolves names and opens sockets with the resolver and network of this machine. */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createTurns } from '../fair-turns.ts';
import { classifyAddress } from '../targets/address.ts';
import { classifyName } from '../targets/host-name.ts';
import type { DialNetwork } from './dial.ts';

/** Returns the IP addresses of a name in the text of `/etc/hosts`, in order. */
export function findInHosts(text: string, name: string): string[] {
  return text.split('\n').flatMap(line => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return address && names.includes(name) ? [address] : [];
  });
}

export type SystemNetworkSettings = {
  /**
   * Whether DNS is queried directly. Linux only: on other systems, only the system knows which resolver serves which
   * name.
   */
  asksDns?: boolean;
  /** `address:port`; the machine's own servers by default. */
  dnsServers?: readonly string[];
  hostsPath?: string;
  /** Resolves a name with getaddrinfo. */
  getAddresses?: (host: string) => Promise<readonly string[]>;
};

const getAddressesOfSystem = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Timeout of a query: two tries fit within the time of a lookup. */
const queryMs = 2_000;
const queryTries = 2;

/** Returns whether an error code means that no server answered, as opposed to a name that does not exist. */
const isSilence = (code: string): boolean => /^E(TIMEOUT|SERVFAIL|REFUSED|CANCELLED)$/.test(code);

/** Addresses of `localhost` and all names below it, which no resolver is asked for (RFC 6761, 6.3), as in Chrome. */
const loopback = ['127.0.0.1', '::1'];

const hasPublicIpv6 = (): boolean =>
  Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .some(({ family, address }) => family === 'IPv6' && classifyAddress(address) === 'public');

async function askDns(host: string, servers: readonly string[] | undefined, signal: AbortSignal): Promise<string[]> {
  // A new resolver reads the list of servers again, which changes when a laptop changes networks.
  const resolver = new Resolver({ timeout: queryMs, tries: queryTries });
  if (servers) resolver.setServers([...servers]);
  const onAbort = () => resolver.cancel();
  signal.addEventListener('abort', onAbort, { once: true });
  const families = [resolver.resolve4(host), resolver.resolve6(host)];
  const outcomes = await Promise.allSettled(hasPublicIpv6() ? families.toReversed() : families);
  signal.removeEventListener('abort', onAbort);
  const answers = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? outcome.value : []));
  if (answers.length > 0) return answers;
  const failures = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const silence = failures.find(({ code }) => isSilence(code));
  if (silence) throw silence;
  return [];
}

const readHosts = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/**
 * Resolves names with the hosts file, DNS and getaddrinfo; `localhost` and the names below it mean this machine. getaddrinfo blocks one of the process's two threads for
 * lookups and cannot be cancelled, so a page could block all other audits with names whose DNS servers do not answer.
 * Therefore public names are queried from DNS directly, which needs no thread. Only other names, and names that DNS
 * servers did not answer, are queued for getaddrinfo.
 */
export function createSystemNetwork({
  asksDns = process.platform === 'linux',
  dnsServers,
  hostsPath = '/etc/hosts',
  getAddresses = getAddressesOfSystem,
}: SystemNetworkSettings = {}): DialNetwork {
  const inTurn = createTurns({
    atOnce: asksDns ? 1 : Number.POSITIVE_INFINITY,
    mostWaiting: Number.POSITIVE_INFINITY,
  });

  // A lookup keeps its turn until getaddrinfo returns, because its thread is occupied until then.
  const lookUp = (host: string, signal: AbortSignal) => inTurn(async () => getAddresses(host), { client: '', signal });

  async function resolve(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const isThisMachine = classifyName(host) === 'localhost';
    if (!asksDns && !isThisMachine) return lookUp(host, signal);
    const listed = findInHosts(await readHosts(hostsPath), host);
    if (listed.length > 0) return listed;
    if (isThisMachine) return loopback;
    const answers = classifyName(host) === 'public' ? await askDns(host, dnsServers, signal) : [];
    return answers.length > 0 ? answers : lookUp(host, signal);
  }

  return {
    resolve,
    // `allowHalfOpen`: each side closes its own direction, as without a proxy.
    connect: (address, port) => connect({ host: address, port, noDelay: true, allowHalfOpen: true }),
  };
}
