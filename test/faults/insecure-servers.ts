/** HTTPS servers that no browser trusts. Their certificates are generated here. */
import { type Certificate, daysFromNow, here, startSecureServer } from '../support/sites/secure-server.ts';
import type { Scope } from '../support/start-service.ts';
import { fine } from './answer.ts';

const certificates = {
  expired: { altNames: here, from: daysFromNow(-30), until: daysFromNow(-1) },
  'self-signed': { altNames: here, from: daysFromNow(-1), until: daysFromNow(30) },
  'wrong-name': { altNames: [{ type: 2, value: 'elsewhere.example' }], from: daysFromNow(-1), until: daysFromNow(30) },
} satisfies Record<string, Certificate>;

async function startSecure(scope: Scope, certificate: Certificate): Promise<number> {
  const { port } = await startSecureServer(scope, fine, certificate);
  return port;
}

export type InsecureName = `tls-${keyof typeof certificates}` | 'plain-on-tls-port';

/** URLs of one server for each invalid certificate, and of a TLS server requested by plain HTTP. */
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
