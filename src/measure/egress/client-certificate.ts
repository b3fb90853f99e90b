/**
 * Presents a client certificate to the origins of a page. No command of a browser chooses one, so the proxy opens the
 * TLS connection to these origins, and offers the browser the protocol that the server chose.
 */
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, rootCertificates, TLSSocket } from 'node:tls';
import type { Conditions } from '../../contract/conditions/conditions.ts';
import { type Endpoint, nameOf } from '../targets/endpoint.ts';

/** A certificate with its key, both in PEM form, and how its servers are checked. */
export type ClientCertificate = {
  readonly cert: string;
  readonly key: string;
  /** Servers that see the certificate, as `nameOf` writes them. */
  readonly servers: readonly string[];
  /** Hosts of the page itself, in canonical form, for which its `certificates` count. */
  readonly ownHosts: readonly string[];
  readonly certificates: Conditions['certificates'] | undefined;
};

/** Both sides of a connection whose TLS ends here. */
export type TunnelEnds = { readonly browser: Socket; readonly server: Socket };

/** TLS has no reset, so that of the connection below stands in: a truncated answer must not look complete. */
const withReset = (secure: TLSSocket, below: Socket): TLSSocket =>
  Object.assign(secure, {
    resetAndDestroy() {
      below.resetAndDestroy();
      return secure;
    },
  });

/** @param onRefused called with the reason if a server is not trusted, or refuses the certificate */
export function createPresenter(
  { cert, key, servers, ownHosts, certificates }: ClientCertificate,
  onRefused: (target: Endpoint, reason: string) => void,
) {
  const { ca, ignore_errors: ignoresErrors } = certificates ?? {};
  const usual = createSecureContext({ cert, key });
  const own = ca ? createSecureContext({ cert, key, ca: [...rootCertificates, ca] }) : usual;

  /**
   * Ends the TLS of a connection to one of the origins; other connections remain as they are.
   * @throws if the handshake with the server fails
   */
  return async function present(target: Endpoint, { browser, server }: TunnelEnds): Promise<TunnelEnds> {
    if (!servers.includes(nameOf(target))) return { browser, server };
    const { host } = target;
    const isOwn = ownHosts.includes(host);
    const secureContext = isOwn ? own : usual;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const secure = connect(
      {
        ...{ socket: server, host, secureContext, rejectUnauthorized: !(isOwn && ignoresErrors) },
        ...{ ALPNProtocols: ['h2', 'http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) },
      },
      resolve,
    );
    secure.once('close', () => reject(new Error('The server closed the connection.')));
    // With TLS 1.3, a server refuses a certificate after the handshake.
    secure.on('error', (error: NodeJS.ErrnoException) => {
      if (!secure.authorized || error.code?.startsWith('ERR_SSL')) onRefused(target, error.message);
      reject(error);
    });
    await promise;
    // The browser accepts any certificate of this proxy for these origins, which checked those of the servers.
    const ALPNProtocols = secure.alpnProtocol ? [secure.alpnProtocol] : [];
    const near = new TLSSocket(browser, { isServer: true, secureContext, ALPNProtocols });
    return { browser: withReset(near, browser), server: withReset(secure, server) };
  };
}
export type PresentCertificate = ReturnType<typeof createPresenter>;
