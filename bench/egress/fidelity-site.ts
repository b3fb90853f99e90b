/** One page with 30 resources behind an artificial delay, over HTTP/2 with TLS or over plain HTTP/1.1. */
import { createHash, X509Certificate } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { generate } from 'selfsigned';

export type Protocol = 'HTTP/1.1' | 'HTTP/2';

export type FidelitySite = {
  url: string;
  /** Connections that the browser opened since the last call. */
  takeConnections(): number;
  /** The hash of this certificate, for `--ignore-certificate-errors-spki-list`. */
  spki: string;
  close(): Promise<void>;
};

const resources = 30;
const styles = 4;
const scripts = 6;

export const paths = Array.from({ length: resources }, (_, at) => {
  if (at < styles) return `/${at}.css`;
  return at < styles + scripts ? `/${at}.js` : `/${at}.svg`;
});

const toTag = (path: string): string => {
  if (path.endsWith('.css')) return `<link rel="stylesheet" href="${path}">`;
  if (path.endsWith('.js')) return `<script src="${path}" defer></script>`;
  return `<img src="${path}" alt="A coloured square" width="200" height="200">`;
};

/** @param extra markup at the end of the page */
export const toPage = (extra = '') => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Thirty resources</title><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
${paths
  .filter(path => !path.endsWith('.svg'))
  .map(toTag)
  .join('\n')}
</head>
<body><h1>Thirty resources</h1><p>${'Words to paint. '.repeat(40)}</p>
${paths
  .filter(path => path.endsWith('.svg'))
  .map(toTag)
  .join('\n')}
${extra}
</body>
</html>`;

const filler = (length: number) => 'x'.repeat(length);

/** Bodies in the sizes of an ordinary page: about 700 KB in all. */
export const toBody = (path: string): { type: string; body: string } => {
  if (path.endsWith('.css')) return { type: 'text/css', body: `h1 { color: #123 } /* ${filler(15_000)} */` };
  if (path.endsWith('.js'))
    return { type: 'text/javascript', body: `for (let i = 0; i < 1e6; i++); /* ${filler(40_000)} */` };
  if (path.endsWith('.svg')) {
    const square = `<rect width="200" height="200" fill="#357"/><!-- ${filler(20_000)} -->`;
    return {
      type: 'image/svg+xml',
      body: `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">${square}</svg>`,
    };
  }
  return { type: 'text/html; charset=utf-8', body: toPage() };
};

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const answerAfter = (delayMs: number) => (request: Request, response: Response) => {
  const { type, body } = toBody(request.url ?? '/');
  setTimeout(() => {
    response.setHeader('content-type', type);
    response.end(body);
  }, delayMs);
};

/** A certificate for 127.0.0.1. `spki` is the hash for `--ignore-certificate-errors-spki-list`. */
export async function createCertificate() {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return { key, cert, spki: createHash('sha256').update(publicKey).digest('base64') };
}

/** @param delayMs delay of each answer, as from a distant server */
export async function startFidelitySite(protocol: Protocol, delayMs: number): Promise<FidelitySite> {
  const { key, cert, spki } = await createCertificate();
  const server: Server =
    protocol === 'HTTP/2'
      ? createSecureServer({ key, cert }, answerAfter(delayMs))
      : createServer(answerAfter(delayMs));
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${protocol === 'HTTP/2' ? 'https' : 'http'}://127.0.0.1:${port}/`,
    takeConnections() {
      const taken = connections;
      connections = 0;
      return taken;
    },
    spki,
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
}
