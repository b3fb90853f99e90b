/** A page with a third party, both of which note the requests they get; the page reports the document it has become. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startLocalServer } from '../support/sites/local-server.ts';
import type { Scope } from '../support/start-service.ts';

type Request = { path: string; headers: IncomingHttpHeaders };

/** The document as it was when it was complete, and what its scripts and styles set. */
export type Seen = { html: string; app: string; color: string };

const words = Array.from({ length: 3_000 }, (_, at) => `Word ${(at * 7_919) % 3_001}.`).join(' ');

const kept = 'window.kept = 1;';
const integrity = `sha256-${createHash('sha256').update(kept).digest('base64')}`;

const toPage = (other: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css">
<script src="/kept.js" integrity="${integrity}"></script>
<script src="/app.js"></script><script src="/moved.js"></script><script src="${other}/tag.js"></script></head>
<body><h1>Price: 10</h1><img src="/a.svg" width="9" height="9" alt="A"><p>${words}</p><script>
addEventListener('load', () => fetch('/seen', { method: 'POST', body: JSON.stringify({
  html: document.documentElement.outerHTML, app: String(window.app), color: getComputedStyle(document.body).color }) }));
</script></body></html>`;

const files: Readonly<Record<string, readonly [string, string]>> = {
  '/app.js': ['text/javascript', `window.app = 'usual'; // ${words}`],
  '/kept.js': ['text/javascript', kept],
  '/tag.js': ['text/javascript', 'window.tag = 1;'],
  '/style.css': ['text/css', '@font-face { font-family: A; src: url(/a.woff2) } body { color: rgb(1, 0, 0) }'],
  '/other.css': ['text/css', 'body { color: rgb(2, 0, 0) }'],
  '/a.svg': ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
};

/** `/moved.js` is a redirect to the third party. */
export async function startVariantSite(scope: Scope) {
  const [own, others]: [Request[], Request[]] = [[], []];
  let seen: Seen | undefined;
  const third = await startLocalServer(scope, ({ url: path = '', headers }, response) => {
    others.push({ path, headers });
    response.setHeader('content-type', 'text/javascript').end(files[path]?.[1] ?? '');
  });
  const page = toPage(third.url);
  const { url } = await startLocalServer(scope, async (request, response) => {
    const { url: path = '', headers } = request;
    if (path === '/seen') {
      seen = JSON.parse(Buffer.concat(await request.toArray()).toString());
      return response.end();
    }
    own.push({ path, headers });
    if (path === '/moved.js') return response.writeHead(302, { location: `${third.url}/moved.js` }).end();
    const [type, text] = path === '/' ? ['text/html', page] : (files[path] ?? ['text/plain', '']);
    return response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(text));
  });
  return {
    url: `${url}/`,
    origin: url,
    other: third.url,
    page,
    /** Returns and clears what one load requested and what its document became. */
    take() {
      const taken = { own: own.splice(0), others: others.splice(0), seen };
      seen = undefined;
      return taken;
    },
  };
}
