import { networkInterfaces } from 'node:os';
import {
  type AddressClass,
  type AddressRange,
  classifyAddress,
  isInRanges,
  isNeverAllowed,
  isSameAddress,
  toRange,
} from './address.ts';
import { isBadPort, portOf } from './endpoint.ts';
import { classifyName, type Host, toHost } from './host-name.ts';

/**
 * Targets that TARGETS allows in addition to public pages. A name and its IP addresses must be listed separately,
 * except for the names of this machine, whose addresses are known.
 */
type AllowList = { readonly names: ReadonlySet<string>; readonly ranges: readonly AddressRange[] };

type TargetEntry = { readonly name: string } | { readonly range: AddressRange } | { readonly fault: string };

const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap(block => toRange(block) ?? []);

/**
 * Parses the items of a TARGETS list (hosts, IP addresses, CIDRs).
 * @throws Error whose message continues after "TARGETS: "
 */
function toAllowList(items: readonly string[]): AllowList {
  const entries = items.map(item => toEntry(item.trim()));
  const faults = entries.flatMap(entry => ('fault' in entry ? [entry.fault] : []));
  if (faults.length > 0)
    throw new Error(`has items that are not a host, an IP address or a CIDR: ${faults.join('; ')}`);
  const names = entries.flatMap(entry => ('name' in entry ? [entry.name] : []));
  const listed = entries.flatMap(entry => ('range' in entry ? [entry.range] : []));
  const isThisMachine = names.some(name => classifyName(name) === 'localhost');
  return { names: new Set(names), ranges: isThisMachine ? [...listed, ...LOOPBACK] : listed };
}

/**
 * Returns whether the name is listed. `localhost` includes the names below it, which also mean this machine (RFC 6761).
 */
function hasName(list: AllowList, name: string): boolean {
  return list.names.has(name) || (classifyName(name) === 'localhost' && list.names.has('localhost'));
}

function toEntry(item: string): TargetEntry {
  const range = toRange(item.replace(/^\[(.*)\]$/s, '$1'));
  if (range) return { range };
  const name = toListedName(item);
  return name === undefined ? { fault: `'${item}' (${faultOf(item)})` } : { name };
}

// Host names contain only letters, digits, hyphens and underscores. Any other character is a typo.
function toListedName(item: string): string | undefined {
  const host = toHost(item);
  return host?.kind === 'name' && /^[\w-]+(?:\.[\w-]+)*$/.test(host.text) ? host.text : undefined;
}

function faultOf(item: string): string {
  if (item === '') return 'it is empty';
  if (item.includes('://')) return 'write the host without scheme and path';
  if (item.includes('*')) return 'wildcards are not supported: list each host';
  if (/::ffff:/i.test(item)) return 'write the IPv4 address itself';
  if (/^(?:[^:/]+|\[.*\]):\d+$/.test(item)) return 'ports are not supported: write the host alone';
  if (item.includes('/')) return 'not a valid CIDR: write it like 10.20.0.0/16';
  if (toHost(item)?.kind === 'address') return 'write the IPv4 address with its four decimal numbers';
  return 'not a valid host';
}

type OwnPortSettings = {
  /** Returns the port of this service; undefined before it listens. */
  readonly ownPort?: () => number | undefined;
  /** Returns the IP addresses of this machine; by default those of its network interfaces. */
  readonly localAddresses?: () => readonly string[];
};

/**
 * Returns whether a host and port lead to this service. A name other than `localhost` is recognised only by its IP
 * addresses.
 */
type OwnPortCheck = (host: Host, port: number) => boolean;

/**
 * Creates a check for requests to this service itself, because an audit of it could start the next one in an endless
 * loop.
 */
function createOwnPortCheck({ ownPort, localAddresses = interfaceAddresses }: OwnPortSettings): OwnPortCheck {
  return (host, port) => {
    // The port is compared first, because listing the interfaces is a system call that few requests need.
    if (port !== ownPort?.()) return false;
    if (host.kind === 'name') return classifyName(host.text) === 'localhost';
    const addressClass = classifyAddress(host.text);
    // Linux connects 0.0.0.0 and :: to this machine.
    if (addressClass === 'loopback' || addressClass === 'unspecified') return true;
    return localAddresses().some(local => isSameAddress(local, host.text));
  };
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(addresses => (addresses ?? []).map(({ address }) => address));
}

/** `public`, `any`, or the hosts and CIDRs that are allowed in addition to public pages. */
export type Targets = 'public' | 'any' | readonly string[];

export type PolicySettings = OwnPortSettings & { readonly targets: Targets };

/** Result of a check. `reason` is a sentence for the client. */
type TargetVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export type TargetPolicy = {
  /** Checks an absolute URL (a page, a redirect target) by scheme, port, literal IP address and name, without DNS. */
  judgeUrl(href: string): TargetVerdict;
  /**
   * Checks the resolved IP addresses of `host`, and `host` again, when a socket is opened. Every address must be
   * allowed; an empty list is refused.
   */
  judgeAddresses(host: string, port: number, addresses: readonly string[]): TargetVerdict;
  /** Returns whether the literal IP address or name in a URL is public, independent of the setting and without DNS. */
  isPublicUrl(href: string): boolean;
  /**
   * Returns the policy for an audit of a page on this host with these IP addresses. If one of them is public, the audit
   * may connect only to public addresses, whatever the setting: a page on the internet must not reach a private network
   * through this machine. Local names are not resolved either, unless the page's own name is local: it is then a
   * private page on a public address.
   */
  auditPolicyFor(host: string, addresses: readonly string[]): TargetPolicy;
};

// Reason for a refusal; undefined if the target is allowed.
type RefusalReason = string | undefined;
type Judge = (host: Host, port: number) => RefusalReason;
type AllowedTargets = 'any' | AllowList;
type Reaches = { readonly names: AllowedTargets; readonly addresses: AllowedTargets };

const PUBLIC_ONLY: AllowedTargets = toAllowList([]);
const publicOnly: Reaches = { names: PUBLIC_ONLY, addresses: PUBLIC_ONLY };

const DESCRIPTIONS: Readonly<Record<AddressClass, string>> = {
  public: 'a public address',
  private: 'a private address',
  loopback: 'a loopback address',
  link_local: 'a link-local address',
  metadata: 'a cloud metadata address',
  unspecified: 'an unspecified address',
  multicast: 'a multicast address',
  reserved: 'a reserved address',
  embedded: 'an IPv6 address with an IPv4 address inside',
};

/**
 * Parses the TARGETS setting: `public`, `any`, or a comma-separated list of hosts and CIDRs.
 * @throws Error whose message lists every bad item, and continues after "TARGETS: "
 */
export function parseTargets(text: string): Targets {
  const items = text.split(',').map(item => item.trim().toLowerCase());
  const listed = items.filter(item => item !== '');
  if (listed.length === 0) throw new Error('is empty: write public, any, or a list of hosts and CIDRs');
  if (listed.every(item => item === 'public')) return 'public';
  if (listed.every(item => item === 'any')) return 'any';
  if (listed.includes('any')) throw new Error("has 'any' in a list: write any alone");
  // A list adds to the public pages, so an item `public` has no effect.
  const additions = listed.filter(item => item !== 'public');
  toAllowList(additions);
  return additions;
}

/** Returns the setting as text. Lists that differ only in their order have the same text. */
export const toTargetsText = (targets: Targets): string =>
  typeof targets === 'string' ? targets : [...new Set(targets)].sort().join(',');

/**
 * Checks every IP address and URL that this service opens for a client. The policy is pure except for the two functions
 * in the settings. These targets are always refused: metadata, link-local, unspecified, multicast, reserved and
 * IPv4-in-IPv6 addresses, metadata names, ports that browsers refuse, and the service's own port on this machine.
 * @throws Error on an invalid list, like `parseTargets`
 */
export function createPolicy(settings: PolicySettings): TargetPolicy {
  const reach = toReach(settings.targets);
  return buildPolicy(settings, { names: reach, addresses: reach });
}

function buildPolicy(settings: OwnPortSettings, reach: Reaches): TargetPolicy {
  const isOwnPort = createOwnPortCheck(settings);
  const judgeHost: Judge = (host, port) =>
    isOwnPort(host, port) ? ownPortReason(host, port) : hostRefusal(reach, host);
  const judgeAnswers = (host: Host, port: number, answers: readonly Host[]): RefusalReason => {
    if (answers.length === 0) return `${host.text} has no address: check the name.`;
    if (answers.some(answer => isOwnPort(answer, port))) return ownPortReason(host, port);
    return answers
      .map(answer => addressRefusal(reach.addresses, answer.text, answerSubject(host, answer)))
      .find(refusal => refusal !== undefined);
  };
  const policy: TargetPolicy = {
    judgeUrl: href => toVerdict(urlRefusal(href, judgeHost)),
    judgeAddresses: (text, port, addresses) => {
      const answers = addresses.map((address): Host => ({ kind: 'address', text: address }));
      const judge: Judge = host => judgeHost(host, port) ?? judgeAnswers(host, port, answers);
      return toVerdict(locationRefusal(text, port, judge));
    },
    isPublicUrl: href => urlRefusal(href, host => hostRefusal(publicOnly, host)) === undefined,
    auditPolicyFor: (host, addresses) =>
      addresses.some(address => classifyAddress(address) === 'public')
        ? buildPolicy(settings, { names: isPublicHost(host) ? PUBLIC_ONLY : reach.names, addresses: PUBLIC_ONLY })
        : policy,
  };
  return policy;
}

function toReach(targets: Targets): AllowedTargets {
  if (targets === 'any') return 'any';
  return targets === 'public' ? PUBLIC_ONLY : toAllowList(targets);
}

function urlRefusal(href: string, judge: Judge): RefusalReason {
  const url = URL.parse(href);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'Only http and https pages can be measured.';
  return locationRefusal(url.hostname, portOf(url), judge);
}

function locationRefusal(text: string, port: number, judge: Judge): RefusalReason {
  const host = toHost(text);
  if (!host) return 'The host is not a valid name or IP address.';
  if (isBadPort(port)) return `Port ${port} is not allowed: browsers load no page from it.`;
  return judge(host, port);
}

function hostRefusal({ names, addresses }: Reaches, host: Host): RefusalReason {
  return host.kind === 'address'
    ? addressRefusal(addresses, host.text, `${host.text} is`)
    : nameRefusal(names, host.text);
}

function isPublicHost(text: string): boolean {
  const host = toHost(text);
  return host !== undefined && hostRefusal(publicOnly, host) === undefined;
}

function nameRefusal(reach: AllowedTargets, name: string): RefusalReason {
  const nameClass = classifyName(name);
  if (nameClass === 'metadata') return `${name} is a cloud metadata service, which is never measured.`;
  if (nameClass === 'public' || reach === 'any') return undefined;
  return hasName(reach, name) ? undefined : `${name} is a local name, which the TARGETS setting does not allow.`;
}

function addressRefusal(reach: AllowedTargets, address: string, subject: string): RefusalReason {
  const addressClass = classifyAddress(address);
  const what = `${subject} ${DESCRIPTIONS[addressClass]}`;
  if (addressClass === 'unspecified') return `${what}, which is never measured: write localhost instead.`;
  if (isNeverAllowed(addressClass)) return `${what}, which is never measured.`;
  if (addressClass === 'public' || reach === 'any' || isInRanges(address, reach.ranges)) return undefined;
  return `${what}, which the TARGETS setting does not allow.`;
}

// The IP addresses of private names must be hidden from clients. The address ::1 of localhost is not hidden, because it
// helps to correct a list.
function answerSubject(host: Host, answer: Host): string {
  const isTellable = host.kind === 'name' && classifyName(host.text) === 'localhost';
  return isTellable ? `${host.text} resolves to ${answer.text},` : `${host.text} resolves to`;
}

function ownPortReason(host: Host, port: number): string {
  return `${host.text} on port ${port} is this service, which does not measure itself.`;
}

function toVerdict(refusal: RefusalReason): TargetVerdict {
  return refusal === undefined ? { allowed: true } : { allowed: false, reason: refusal };
}
