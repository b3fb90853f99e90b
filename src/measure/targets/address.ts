import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of IP addresses, from `toRange`. */
export type AddressRange = { readonly network: Address; readonly bits: number };

/**
 * Class of an IP address, seen from a service that opens it for a client. `public`: globally reachable. `loopback`:
 * this machine. `private`: not globally reachable, but possibly in use in the user's own network (RFC 1918, ULA, CGNAT,
 * documentation, benchmarking and all others that are not `public`). Pages in the other classes are never allowed; see
 * `isNeverAllowed`.
 */
export type AddressClass =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link_local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'reserved'
  | 'embedded';

// The first match wins: metadata before the link-local and private ranges around it, `::` and `::1` before ::/96.
const SPECIAL_RANGES: readonly (readonly [AddressClass, readonly AddressRange[]])[] = [
  [
    'metadata',
    ranges(
      '169.254.169.254/32', // AWS, Azure, Google Cloud and most others
      '100.100.100.200/32', // Alibaba Cloud
      '192.0.0.192/32', // Oracle Cloud, classic
      '168.63.129.16/32', // Azure WireServer: public according to the address registries
      'fd00:ec2::254/128', // AWS
      'fd00:ec2::23/128', // AWS, EKS pod identity
      'fd20:ce::254/128', // Google Cloud
      'fd00:c1::a9fe:a9fe/128', // Oracle Cloud
      'fd00:42::42/128', // Scaleway
      'fd00:a9fe:a9fe::1/128', // Akamai (Linode)
      'fd00:100::100:200/128', // Alibaba Cloud
    ),
  ],
  ['loopback', ranges('127.0.0.0/8', '::1/128')],
  ['unspecified', ranges('0.0.0.0/8', '::/128')],
  ['link_local', ranges('169.254.0.0/16', 'fe80::/10')],
  ['multicast', ranges('224.0.0.0/4', 'ff00::/8')],
  ['reserved', ranges('240.0.0.0/4')],
  // IPv4 inside IPv6: compatible, SIIT, NAT64 (well-known and local), 6to4, Teredo. A gateway may unpack any of these
  // and connect to the IPv4 address inside, which was never checked. IPv4-mapped addresses are not in this list,
  // because they are unpacked here.
  ['embedded', ranges('::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32')],
];

// IANA has assigned no global unicast addresses outside this block, but ipaddr.js calls those addresses unicast.
const GLOBAL_UNICAST_IPV6 = ranges('2000::/3');

/**
 * Classifies an IP literal from a resolver or from `URL.hostname`, without brackets. IPv4-mapped IPv6 is classified as
 * IPv4. A non-standard literal (`127.1`, octal, a zone on an address that is not link-local) is `reserved`.
 */
export function classifyAddress(ip: string): AddressClass {
  const address = parseAddress(ip);
  if (!address) return isZonedLinkLocal(ip) ? 'link_local' : 'reserved';
  const special = SPECIAL_RANGES.find(([, members]) => isMember(address, members));
  if (special) return special[0];
  const isGlobal = address.kind() === 'ipv4' || isMember(address, GLOBAL_UNICAST_IPV6);
  return isGlobal && address.range() === 'unicast' ? 'public' : 'private';
}

/** Returns whether no setting can allow an address of this class. */
export function isNeverAllowed(addressClass: AddressClass): boolean {
  return addressClass !== 'public' && addressClass !== 'private' && addressClass !== 'loopback';
}

/**
 * Parses `10.20.0.0/16`, or a single IP address as a block of one. Returns `undefined` for any other text, including
 * IPv4-mapped addresses.
 */
export function toRange(text: string): AddressRange | undefined {
  const [ip = '', prefix, ...more] = text.split('/');
  const version = isIP(ip);
  if (version === 0 || more.length > 0) return undefined;
  const maxBits = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? maxBits : toBits(prefix);
  const network = readLiteral(ip);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress();
  return network === undefined || bits > maxBits || isMapped ? undefined : { network, bits };
}

/**
 * Returns whether the literal is in one of the blocks. Compares bytes, never text. An invalid literal is in no block.
 */
export function isInRanges(ip: string, blocks: readonly AddressRange[]): boolean {
  const address = parseAddress(ip);
  return address !== undefined && isMember(address, blocks);
}

/** Returns whether two literals are the same address in different notations. */
export function isSameAddress(a: string, b: string): boolean {
  const block = toRange(parseAddress(b)?.toString() ?? '');
  return block !== undefined && isInRanges(a, [block]);
}

function parseAddress(ip: string): Address | undefined {
  const address = readLiteral(ip);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

// ipaddr.js also accepts `127.1`, octal and hex, which no resolver returns; isIP excludes them. It also mistakes
// `::8.8.8.8`, which resolvers write as ::808:808, for the IPv4-mapped ::ffff:8.8.8.8. Therefore the URL parser
// converts it to hex groups first.
function readLiteral(ip: string): Address | undefined {
  if (isIP(ip) === 0) return undefined;
  if (isIP(ip) === 4) return ipaddr.IPv4.parse(ip);
  const hostname = URL.parse(`http://[${ip}]/`)?.hostname;
  return hostname === undefined ? undefined : ipaddr.IPv6.parse(hostname.slice(1, -1));
}

function isZonedLinkLocal(ip: string): boolean {
  return isIP(ip) === 6 && classifyAddress(ip.replace(/%.*$/s, '')) === 'link_local';
}

function isMember(address: Address, blocks: readonly AddressRange[]): boolean {
  return blocks.some(({ network, bits }) => address.kind() === network.kind() && address.match(network, bits));
}

function toBits(prefix: string): number {
  return /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.POSITIVE_INFINITY;
}

function ranges(...blocks: string[]): AddressRange[] {
  return blocks.map(block => {
    const range = toRange(block);
    if (!range) throw new Error(`Not an address block: ${block}`);
    return range;
  });
}
