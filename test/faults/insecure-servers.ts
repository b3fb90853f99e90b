/** HTTPS servers no browser trusts, with certificates made on the spot. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import type { Scope } from '../start-service.ts';
import { fine } from './answer.ts';

const dayMs = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);

type Certificate = { altNames: { type: 2 | 7; value?: string; ip?: string }[]; from: Date; until: Date };

const here: Certificate['altNames'] = [{ type: 7, ip: '127.0.0.1' }];
const elsewhere: Certificate['altNames'] = [{ type: 2, value: 'elsewhere.example' }];

const certificates = {
  expired: { altNames: here, from: daysFromNow(-30), until: daysFromNow(-1) },
  'self-signed': { altNames: here, from: daysFromNow(-1), until: daysFromNow(30) },
  'wrong-name': { altNames: elsewhere, from: daysFromNow(-1), until: daysFromNow(30) },
} satisfies Record<string, Certificate>;

async function startSecure(scope: Scope, { altNames, from, until }: Certificate): Promise<number> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'rangelight' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: until,
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  const server = createServer({ key, cert }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(fine);
  });
  // What a browser breaks off while it shakes hands is the point here, no fault.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  scope.after(async () => {
    const closed = new Promise(resolve => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

export type InsecureName = `tls-${keyof typeof certificates}` | 'plain-on-tls-port';

/** The URLs of one server for each bad certificate, and of one that is spoken to in plain HTTP. */
export async function startInsecureServers(scope: Scope): Promise<Record<InsecureName, string>> {
  const [expired, selfSigned, wrongName] = await Promise.all([
    startSecure(scope, certificates.expired),
    startSecure(scope, certificates['self-signed']),
    startSecure(scope, certificates['wrong-name']),
  ]);
  return {
    'tls-expired': `https://127.0.0.1:${expired}/`,
    'tls-self-signed': `https://127.0.0.1:${selfSigned}/`,
    'tls-wrong-name': `https://127.0.0.1:${wrongName}/`,
    'plain-on-tls-port': `http://127.0.0.1:${selfSigned}/`,
  };
}
