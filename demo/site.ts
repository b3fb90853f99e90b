import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The sample site: one good page and one with planted faults. */

const readPage = (name: string) => readFileSync(new URL(`./site/${name}`, import.meta.url));

/** An uncompressed 24-bit bitmap: three bytes for each pixel. */
function drawBitmap(width: number, height: number): Buffer {
  const headerBytes = 54;
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 7) & 0xff;
  const header = Buffer.alloc(headerBytes);
  header.write('BM');
  header.writeUInt32LE(headerBytes + pixels.length, 2);
  header.writeUInt32LE(headerBytes, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return Buffer.concat([header, pixels]);
}

type Resource = { type: string; body: Buffer; delayMs?: number };

const html = 'text/html; charset=utf-8';
const resources = (): Map<string, Resource> =>
  new Map([
    ['/good.html', { type: html, body: readPage('good.html') }],
    ['/faulty.html', { type: html, body: readPage('faulty.html') }],
    [
      '/slow.css',
      { type: 'text/css', body: Buffer.from('.pale{color:#bbb}.small{font-size:7px;color:#999}'), delayMs: 400 },
    ],
    ['/slow.js', { type: 'text/javascript', body: Buffer.from('window.slow = true;'), delayMs: 400 }],
    ['/photo.bmp', { type: 'image/bmp', body: drawBitmap(800, 900) }],
  ]);

const send = (response: ServerResponse, resource: Resource | undefined) => {
  response.statusCode = resource ? 200 : 404;
  response.setHeader('content-type', resource?.type ?? html);
  setTimeout(() => response.end(resource?.body ?? '<h1>Not here</h1>'), resource?.delayMs ?? 0);
};

/** Serves the site on loopback; port 0 selects a free port. */
export async function startSite(wantedPort = 0): Promise<{ url: string; close(): Promise<void> }> {
  const known = resources();
  const server = createServer((request, response) => send(response, known.get(request.url ?? '/')));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
