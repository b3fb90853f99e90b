import { type AddressRange, isInRanges, toRange } from './address.ts';
import { classifyName, toHost } from './host-name.ts';

/**
 * What TARGETS lists beyond public pages. A name and the addresses behind it are listed separately, except for the
 * names of this machine: their addresses are known.
 */
export type AllowList = { readonly names: ReadonlySet<string>; readonly ranges: readonly AddressRange[] };

type Entry = { readonly name: string } | { readonly range: AddressRange } | { readonly fault: string };

const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap(block => toRange(block) ?? []);

/** Reads the items of a TARGETS list (hosts, addresses, CIDRs). Throws one Error whose message goes on after "TARGETS: ". */
export function toAllowList(items: readonly string[]): AllowList {
  const entries = items.map(item => toEntry(item.trim()));
  const faults = entries.flatMap(entry => ('fault' in entry ? [entry.fault] : []));
  if (faults.length > 0) throw new Error(`has items that are no host, address or CIDR: ${faults.join('; ')}`);
  const names = entries.flatMap(entry => ('name' in entry ? [entry.name] : []));
  const listed = entries.flatMap(entry => ('range' in entry ? [entry.range] : []));
  const isThisMachine = names.some(name => classifyName(name) === 'localhost');
  return { names: new Set(names), ranges: isThisMachine ? [...listed, ...LOOPBACK] : listed };
}

/** Whether the name is listed. `localhost` also lists the names below it: all of them are this machine (RFC 6761). */
export function hasName(list: AllowList, name: string): boolean {
  return list.names.has(name) || (classifyName(name) === 'localhost' && list.names.has('localhost'));
}

/** Whether the address lies in a listed CIDR. */
export function hasAddress(list: AllowList, ip: string): boolean {
  return isInRanges(ip, list.ranges);
}

function toEntry(item: string): Entry {
  const range = toRange(item.replace(/^\[(.*)\]$/s, '$1'));
  if (range) return { range };
  const name = toListedName(item);
  return name === undefined ? { fault: `'${item}' (${faultOf(item)})` } : { name };
}

// A resolver finds only letters, digits, hyphens and underscores; anything else is a typing error.
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
