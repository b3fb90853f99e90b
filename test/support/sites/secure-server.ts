/** HTTPS servers that no browser trusts, with certificates generated in the test. */
import { createHash, X509Certificate } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
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
const valid: Certificate = { altNames: here, from: daysFromNow(-1), until: daysFromNow(30) };

/**
 * Answers every request with the document, over HTTP/2 or 1.1, on a free loopback port until the scope ends.
 * @returns `publicKeyHash`: the value of Chromium's `--ignore-certificate-errors-spki-list` that trusts this server
 *   only
 */
export async function startSecureServer(
  scope: Scope,
  html: string,
  { altNames, from, until } = valid,
): Promise<{ port: number; url: string; certificate: string; publicKeyHash: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'rangelight' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: until,
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  const open = new Set<{ destroy(): void }>();
  const server = createSecureServer({ key, cert, allowHTTP1: true }, (_request, response) => {
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
