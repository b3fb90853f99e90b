/** Serves `public/` on loopback: the site of the sample repository for `rangelight ci`. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript' };
const root = new URL('public', import.meta.url).pathname;

createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  try {
    const body = await readFile(join(root, normalize(pathname === '/' ? '/index.html' : pathname)));
    response.setHeader('content-type', types[extname(pathname)] ?? types['.html']);
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}).listen(Number(process.env.PORT ?? 4173), '127.0.0.1');
