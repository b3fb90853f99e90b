/** Host names that a load finds at other addresses than those of the name system. */
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { toHost } from './host-name.ts';
import { MAX_HOST_CHARACTERS } from './page-url.ts';

/** Address of a mapped name. Without a port, it is that of the connection. */
type Mapped = { readonly host: string; readonly port: number | undefined };

/** Reads `10.0.0.5`, `10.0.0.5:8443`, `[::1]:8443` or `staging.internal:8443`; undefined if it is none of them. */
export function toMapped(text: string): Mapped | undefined {
  const [, hostText = '', portText] = /^(\[.+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  const endpoint = toEndpoint(hostText, port ?? 1);
  return endpoint && port !== 0 ? { host: endpoint.host, port } : undefined;
}

/** Canonical form of a name that can be mapped; undefined for an IP address, and for what is longer than any name. */
export function toMappedName(text: string): string | undefined {
  const host = text.length > MAX_HOST_CHARACTERS ? undefined : toHost(text);
  return host?.kind === 'name' ? host.text : undefined;
}

/** Returns the function that gives the endpoint at which a socket for another endpoint opens. */
export function toDestinations(hosts: Readonly<Record<string, string>> = {}): (endpoint: Endpoint) => Endpoint {
  const known = new Map(Object.entries(hosts).map(([name, address]) => [toMappedName(name), toMapped(address)]));
  return endpoint => {
    const mapped = known.get(endpoint.host);
    return mapped ? { host: mapped.host, port: mapped.port ?? endpoint.port } : endpoint;
  };
}
