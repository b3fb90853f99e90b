import { toHost } from './host-name.ts';

// The Fetch standard's bad ports (https://fetch.spec.whatwg.org/#port-blocking, 82 of them) and port 0. Chrome refuses
// to load a page from any of them (ERR_UNSAFE_PORT), so an audit would always fail.
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Returns whether browsers refuse to load a page from `port`. Source: the Fetch standard's port blocking. */
export function isBadPort(port: number): boolean {
  return BAD_PORTS.has(port);
}

/** Returns the port of an `http:` or `https:` URL. WHATWG omits the default one from `url.port`. */
export function portOf(url: Pick<URL, 'protocol' | 'port'>): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/**
 * Target of a connection: the host in canonical form (an IP address without brackets, a name without its last dot) and
 * the port.
 */
export type Endpoint = { readonly host: string; readonly port: number };

export const nameOf = ({ host, port }: Endpoint): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Returns the target for a host as a browser writes it; undefined if the host or port is invalid. */
export const toEndpoint = (hostText: string, port: number): Endpoint | undefined => {
  const host = toHost(hostText);
  return host && port <= 65_535 ? { host: host.text, port } : undefined;
};

/** Returns the target of a URL's connection; undefined if its host is invalid. */
export const endpointOfUrl = (url: URL): Endpoint | undefined => toEndpoint(url.hostname, portOf(url));
