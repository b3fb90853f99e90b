/** This machine's own resolver and sockets. */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import PQueue from 'p-queue';
import { classifyAddress } from '../targets/address.ts';
import { classifyName } from '../targets/host-name.ts';
import type { Network } from './dial.ts';

/** The addresses that a file in the form of `/etc/hosts` gives a name, in its order. */
export function findInHosts(text: string, name: string): string[] {
  return text.split('\n').flatMap(line => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return address && names.includes(name) ? [address] : [];
  });
}

export type SystemNetworkSettings = {
  /** Linux only: elsewhere the system alone knows which resolver serves which name. */
  asksDns?: boolean;
  /** `address:port`; the machine's own when absent. */
  dnsServers?: readonly string[];
  hostsPath?: string;
  /** getaddrinfo. */
  getAddresses?: (host: string) => Promise<readonly string[]>;
};

const getAddressesOfSystem = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** One try and one more, within the time a lookup has. */
const queryMs = 2_000;
const queryTries = 2;

/** No answer at all, as against the answer that there is no such name. */
const isSilence = (code: string): boolean => /^E(TIMEOUT|SERVFAIL|REFUSED|CANCELLED)$/.test(code);

const hasPublicIpv6 = (): boolean =>
  Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .some(({ family, address }) => family === 'IPv6' && classifyAddress(address) === 'public');

async function askDns(host: string, servers: readonly string[] | undefined, signal: AbortSignal): Promise<string[]> {
  // A new one reads the servers again: a laptop changes networks.
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
 * Names as this machine knows them: its hosts file, DNS, and whatever else getaddrinfo asks. That one blocks a thread,
 * of which there are two for the whole process, and cannot be cancelled: a page could name hosts whose servers stay
 * silent and so stop every other audit. So public names are asked of DNS directly, which takes no thread, and only what
 * is left is queued for the other.
 */
export function createSystemNetwork({
  asksDns = process.platform === 'linux',
  dnsServers,
  hostsPath = '/etc/hosts',
  getAddresses = getAddressesOfSystem,
}: SystemNetworkSettings = {}): Network {
  const queue = new PQueue({ concurrency: asksDns ? 1 : Number.POSITIVE_INFINITY });

  const lookUp = (host: string, signal: AbortSignal) => queue.add(() => getAddresses(host), { signal });

  async function resolve(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (!asksDns) return lookUp(host, signal);
    const listed = findInHosts(await readHosts(hostsPath), host);
    if (listed.length > 0) return listed;
    const answers = classifyName(host) === 'public' ? await askDns(host, dnsServers, signal) : [];
    return answers.length > 0 ? answers : lookUp(host, signal);
  }

  return {
    resolve,
    // Each side closes for itself, as it would without a proxy between.
    connect: (address, port) => connect({ host: address, port, noDelay: true, allowHalfOpen: true }),
  };
}
