/** HTTPS servers that no browser trusts, with certificates generated in the test. */
import { createHash, X509Certificate } from 'node:crypto';
import { createSecureServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import type { Scope } from '../start-service.ts';

export type Certificate = {
  readonly altNames: { type: 2 | 7; value?: string; ip?: string }[];
  readonly from: Date;
  readonly until: Date;
};

const dayMs = 86_400_000;
export const daysFromNow = (days: number): Date => new Date(Date.now() + days * dayMs);

export const here: Certificate['altNames'] = [{ type: 7, ip: '127.0.0.1' }];
/** Generates a certificate that is its own CA. */
export async function generatePair(
  commonName: string,
  { altNames, from, until }: Certificate = valid,
): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: until,
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  return { key, cert };
}

type SniDone = (error: Error | null, context?: SecureContext) => void;

const valid: Certificate = { altNames: here, from: daysFromNow(-1), until: daysFromNow(30) };

/**
 * Answers every request with the document, over HTTP/2 or 1.1, on a free loopback port until the scope ends.
 * @returns `publicKeyHash`: the value of Chromium's `--ignore-certificate-errors-spki-list` that trusts this server
 *   only
 */
export async function startSecureServer(
  scope: Scope,
  html: string,
  names = valid,
  /** Certificate that the server demands of its clients, and what it does with each request. */
  clients: { cert?: string; onAsked?: (request: Http2ServerRequest, socket: TLSSocket | undefined) => void } = {},
): Promise<{ port: number; url: string; certificate: string; publicKeyHash: string }> {
  const { key, cert } = await generatePair('rangelight', names);
  const open = new Set<{ destroy(): void }>();
  const demand = { requestCert: clients.onAsked !== undefined, rejectUnauthorized: clients.cert !== undefined };
  const trusted = { ...demand, ...(clients.cert ? { ca: clients.cert } : {}) };
  // A server of names shows its certificate only to clients that ask for one of them.
  const isNamed = names.altNames.some(({ type }) => type === 2);
  const named = {
    SNICallback: (_name: string, done: SniDone) => done(null, createSecureContext({ key, cert, ...trusted })),
  };
  const usual = isNamed ? { ...(await generatePair('another name')), ...named } : { key, cert };
  const settings = { ...usual, ...trusted, allowHTTP1: true };
  const server = createSecureServer(settings, (request, response) => {
    clients.onAsked?.(request, request.stream.session?.socket as TLSSocket | undefined);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html);
  });
  server.on('connection', socket => open.add(socket));
  // A browser that breaks off the TLS handshake is not a fault of the test.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  scope.after(async () => {
    const closed = new Promise(resolve => server.close(resolve));
    for (const socket of open) socket.destroy();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  const publicKeyHash = createHash('sha256').update(publicKey).digest('base64');
  return { port, url: `https://127.0.0.1:${port}/`, certificate: cert, publicKeyHash };
}
