import { isIP } from 'node:net';

/** Class of a host name, before it is resolved. */
export type NameClass = 'public' | 'local' | 'localhost' | 'metadata';

// Names under which clouds serve credentials to the machine. Other such names are refused by their IP address.
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

// Top-level domains without public pages: RFC 2606 and 6761, RFC 6762 (local), RFC 7686 (onion), RFC 9476 (alt),
// ICANN's reserved `internal` and its collision names (corp, home, mail), and names that routers and clusters use.
const LOCAL_TOP_LEVELS: ReadonlySet<string> = new Set([
  ...['test', 'example', 'invalid', 'local', 'onion', 'alt', 'internal', 'corp', 'home', 'mail'],
  ...['lan', 'localdomain', 'localdomain6', 'intranet', 'private', 'svc'],
]);

// RFC 8375, RFC 8880, RFC 9462, RFC 9665.
const LOCAL_ARPA = ['home.arpa', 'ipv4only.arpa', 'resolver.arpa', 'service.arpa'];

/**
 * Classifies a host name in canonical form (`toHost`): `metadata`, `localhost` (RFC 6761: including all names below
 * it), `local` (single-label and special-use names) or `public`.
 */
export function classifyName(name: string): NameClass {
  if (METADATA_NAMES.has(name)) return 'metadata';
  if (isUnder(name, 'localhost')) return 'localhost';
  const labels = name.split('.');
  const isLocal = labels.length === 1 || LOCAL_TOP_LEVELS.has(labels.at(-1) ?? '');
  return isLocal || LOCAL_ARPA.some(parent => isUnder(name, parent)) ? 'local' : 'public';
}

/** A host in canonical form: an IP literal without brackets, or a lower-case ASCII name without its last dot. */
export type Host = { readonly kind: 'address' | 'name'; readonly text: string };

// Matches only a host: the URL parser would silently remove a port, path or userinfo.
const HOST_ALONE = /^(?:\[[\da-f:.]+\]|[^\s/\\?#@:[\]]+)$/i;

/** Parses a host from a URL, a CONNECT line or a setting as a browser does. `undefined` if it is invalid. */
export function toHost(text: string): Host | undefined {
  const written = /^[\da-f:.]*:[\da-f:.]*$/i.test(text) ? `[${text}]` : text;
  if (!HOST_ALONE.test(written)) return undefined;
  const hostname = URL.parse(`http://${written}/`)?.hostname;
  if (hostname === undefined) return undefined;
  if (hostname.startsWith('[')) return { kind: 'address', text: hostname.slice(1, -1) };
  if (isIP(hostname)) return { kind: 'address', text: hostname };
  const name = hostname.replace(/\.$/, '');
  return name.split('.').includes('') ? undefined : { kind: 'name', text: name };
}

function isUnder(name: string, parent: string): boolean {
  return name === parent || name.endsWith(`.${parent}`);
}
