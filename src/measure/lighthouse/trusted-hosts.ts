/**
 * Finds the hosts of an audit whose certificates a client's own CA has issued. The service checks them itself, because
 * a browser trusts a CA for its whole life or not at all.
 */
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { ownOriginsOf } from '../../contract/access/access.ts';
import type { ClientCertificate } from '../egress/client-certificate.ts';
import { connectThrough } from '../egress/tunnel.ts';
import { orAbort } from '../fair-turns.ts';
import { endpointOfUrl, nameOf, toEndpoint } from '../targets/endpoint.ts';
import { toHost } from '../targets/host-name.ts';
import type { AuditSettings, TimedAudit } from './messages.ts';

/** Max time for one connection with its handshake. */
const handshakeMs = 10_000;

type TrustedLoad = Pick<AuditSettings, 'url' | 'hosts' | 'certificates'>;

/** Names of the page itself: that of its URL, and those that have another address. */
export const ownNamesOf = ({ url, hosts }: Pick<TrustedLoad, 'url' | 'hosts'>): string[] => [
  ...new Set([new URL(url).hostname, ...Object.keys(hosts ?? {}).map(name => new URL(`http://${name}/`).hostname)]),
];

/**
 * Takes the client certificate out of an audit: the proxy presents it, so that its key never reaches the process of the
 * browser.
 */
export function takeClientCertificate(audit: TimedAudit): { audit: TimedAudit; clientCertificate?: ClientCertificate } {
  const { access, url, certificates } = audit;
  if (typeof access !== 'object' || !access?.client_certificate) return { audit };
  const { client_certificate: pair, ...others } = access;
  const provenServers = ownOriginsOf(access, url)
    .filter(origin => origin.startsWith('https:'))
    .flatMap(origin => endpointOfUrl(new URL(origin)) ?? [])
    .map(nameOf);
  const ownHosts = ownNamesOf(audit).flatMap(name => toHost(name)?.text ?? []);
  return {
    audit: { ...audit, access: others, provenServers },
    clientCertificate: { ...pair, servers: provenServers, ownHosts, certificates },
  };
}

/** Returns whether the server proves by this CA that it is the host. */
async function isProven(proxyUrl: string, host: string, { ca, signal }: { ca: string; signal: AbortSignal }) {
  const { hostname, port } = new URL(`https://${host}`);
  const endpoint = toEndpoint(hostname, Number(port || 443));
  const ends = AbortSignal.any([signal, AbortSignal.timeout(handshakeMs)]);
  const connecting = endpoint && connectThrough(proxyUrl, endpoint);
  const socket =
    connecting &&
    (await orAbort(connecting, ends).catch(() => void connecting.then(late => late.destroy()).catch(() => {})));
  if (!socket) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = () => resolve(false);
  ends.addEventListener('abort', end, { once: true });
  // A server of several names chooses its certificate by this one.
  const named = isIP(endpoint.host) === 0 ? { servername: endpoint.host } : {};
  const secure = connect({ socket, ca, host: endpoint.host, ...named, ALPNProtocols: ['http/1.1'] }, () =>
    resolve(secure.authorized),
  );
  secure.on('error', end).on('close', end);
  try {
    return await promise;
  } finally {
    secure.destroy();
    socket.destroy();
  }
}

/** Returns the own hosts of an audit, with their ports, whose certificates its CA has issued. Never throws. */
export async function findTrustedHosts(proxyUrl: string, asked: TrustedLoad, signal: AbortSignal): Promise<string[]> {
  const ca = asked.certificates?.ca;
  if (!ca) return [];
  const { protocol, hostname, host } = new URL(asked.url);
  const hosts = ownNamesOf(asked).map(name => (name === hostname && protocol === 'https:' ? host : name));
  const proven = await Promise.all(hosts.map(each => isProven(proxyUrl, each, { ca, signal }).catch(() => false)));
  return hosts.filter((_, at) => proven[at]);
}
