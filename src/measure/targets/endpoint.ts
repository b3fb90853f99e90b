import { toHost } from './host-name.ts';
import { portOf } from './ports.ts';

/** Where a connection leads: the host in canonical form (an address without brackets, a name without its last dot). */
export type Endpoint = { readonly host: string; readonly port: number };

export const nameOf = ({ host, port }: Endpoint): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

const toEndpoint = (hostText: string, port: number): Endpoint | undefined => {
  const host = toHost(hostText);
  return host && port <= 65_535 ? { host: host.text, port } : undefined;
};

/** Where a URL's connection leads; undefined when its host is none. */
export const endpointOfUrl = (url: URL): Endpoint | undefined => toEndpoint(url.hostname, portOf(url));

/** Reads the target of a CONNECT request: a host and a port, and nothing else (RFC 9112, 3.2.3). */
export function endpointOfConnect(target: string): Endpoint | undefined {
  const [, host, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(target) ?? [];
  return host === undefined ? undefined : toEndpoint(host, Number(port));
}
