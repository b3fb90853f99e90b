/** A site with one page in each folder, on loopback only. It is bounded: in connections, in bytes and in time. */
import { createServer, type Server, type Socket } from 'node:net';
import { fine } from '../../test/faults/answer.ts';
import { png } from '../../test/faults/documents.ts';
import { type Answer, file, html, join, markIt, never, type Request, type Row, script, send } from './answers.ts';

export type Page = Row & { kind: string; id: string };

const maxHeadBytes = 512 * 1024;
const maxConnections = 512;
/** Longer than any audit. */
const maxMs = 300_000;

/** Parts of every page. */
const commonParts: Readonly<Record<string, Answer>> = {
  next: html(fine.replace('Something here is wrong', 'The next page')),
  never,
  'marker.js': script(markIt),
  'dot.png': file('image/png', png),
  nothing: 'HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n',
  'file.zip': file('application/zip', 'PK', ['Content-Disposition: attachment; filename="file.zip"']),
};

const notThere = html(fine, [], 'HTTP/1.1 404 Not Found');

/** Splits the bytes of a connection into requests. Chromium and the proxy wait for an answer before the next one. */
function readRequests(socket: Socket, onRequest: (request: Request) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const read = (data: Buffer) => {
    bytes = join(bytes, data);
    const headEnd = bytes.indexOf('\r\n\r\n') + 4;
    if (headEnd < 4) return void (bytes.length > maxHeadBytes && socket.destroy());
    const head = bytes.toString('latin1', 0, headEnd);
    const end = headEnd + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (bytes.length < end) return;
    bytes = bytes.subarray(end);
    // The bytes after an upgrade are no requests.
    if (/^upgrade: *websocket/im.test(head)) socket.off('data', read).resume();
    onRequest({ target: head.split(' ', 2)[1] ?? '/', head });
  };
  socket.on('data', read);
}

const listen = (server: Server, host: string, port: number) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });

export type Site = { urlOf(page: Page): string; close(): Promise<void> };

export async function startSite(pages: readonly Page[]): Promise<Site> {
  const byId = new Map(pages.map(page => [page.id, page]));
  /** The page whose folder was requested last: it answers at the root of the site, because pages are audited singly. */
  let current: Page | undefined;

  function answerFor({ target }: Request): Answer {
    const [, folder = '', rest = ''] = /^\/([^/?]*)\/?(.*)$/.exec(target) ?? [];
    const page = byId.get(folder);
    if (!page) return current?.parts?.[target] ?? notThere;
    current = page;
    const [path = ''] = rest.split('?', 1);
    return page.parts?.[path] ?? (Object.hasOwn(commonParts, path) ? commonParts[path] : undefined) ?? page.answer;
  }

  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    socket.setTimeout(maxMs, () => socket.destroy());
    readRequests(socket, request => send(socket, answerFor(request), request));
  };
  const servers = ['127.0.0.1', '::1'].map(host => ({ host, server: createServer({ noDelay: true }, accept) }));
  let port = 0;
  for (const { host, server } of servers) {
    server.maxConnections = maxConnections;
    port = await listen(server, host, port);
  }
  return {
    urlOf: ({ id, host = '127.0.0.1', path = '' }) => `http://${host}:${port}/${id}/${path}`,
    async close() {
      const closed = servers.map(({ server }) => new Promise(resolve => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}
