/**
 * A site over HTTP/2 whose page ignores the login, and whose login warms up what a browser can keep: connections, TLS
 * sessions, the HTTP cache, compiled code, CacheStorage, and a service worker that answers from it.
 */
import { createSecureServer, type Http2ServerRequest, type Http2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createCertificate, paths, toBody, toPage } from '../egress/fidelity-site.ts';

/** Delay of each answer, as from a distant server. */
const delayMs = 30;

/** The page reports what it found in the browser. */
const report = `<script>Promise.all([caches.keys(), navigator.serviceWorker.getRegistrations()]).then(([stored, workers]) =>
  fetch('/found?stored=' + stored.length + '&workers=' + workers.length + '&controlled=' + !!navigator.serviceWorker.controller +
    '&session=' + document.cookie.includes('session=')));</script>`;

const login = `<button id="in">Log in</button><script>document.querySelector('#in').onclick = async () => {
  document.cookie = 'session=1234567890; Path=/; Max-Age=3600';
  localStorage.setItem('token', 'a token of the application');
  await (await caches.open('files')).addAll(${JSON.stringify(['/', ...paths])});
  await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
  document.body.append(Object.assign(document.createElement('p'), { id: 'done', textContent: 'Logged in' }));
};</script>`;

const worker = `addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(clients.claim()));
addEventListener('fetch', event => event.respondWith(caches.match(event.request).then(stored => stored ?? fetch(event.request))));`;

const toAnswer = (path: string) => {
  if (path === '/login') return { type: 'text/html', body: toPage(login) };
  if (path === '/worker.js') return { type: 'text/javascript', body: worker };
  if (path === '/found') return { type: 'text/plain', body: '' };
  return path === '/' ? { type: 'text/html', body: toPage(report) } : toBody(path);
};

/** Requests and connections of one load, counted by the server. */
export type Seen = {
  requests: string[];
  /** Connections that the load used, and those of them that were open before. */
  connections: number;
  open: number;
  /** Connections that continued an earlier TLS session. */
  resumed: number;
  /** Requests that asked only for changes. */
  conditional: number;
  /** State that the page's script found in the browser. */
  found: string;
};

export async function startColdSite() {
  const { key, cert, spki } = await createCertificate();
  let seen: Seen & { sessions: Set<Http2Session | undefined> } = toNothing();
  const known = new Set<Http2Session | undefined>();
  const note = ({ headers, stream: { session } }: Http2ServerRequest) => {
    if (headers['if-none-match'] ?? headers['if-modified-since']) seen.conditional += 1;
    if (!seen.sessions.has(session)) {
      seen.sessions.add(session);
      seen.connections += 1;
      if (known.has(session)) seen.open += 1;
      if ((session?.socket as TLSSocket | undefined)?.isSessionReused()) seen.resumed += 1;
    }
    known.add(session);
  };
  const server = createSecureServer({ key, cert }, (request, response) => {
    const { pathname, search } = new URL(request.url, 'https://site.example');
    if (pathname === '/' && request.headers['sec-fetch-dest'] === 'document') seen = toNothing();
    note(request);
    seen.requests.push(`${request.method} ${request.url} ${request.httpVersion}`);
    if (pathname === '/found') seen.found = search;
    const { type, body } = toAnswer(pathname);
    setTimeout(() => {
      response.setHeader('content-type', type);
      response.setHeader('cache-control', 'public, max-age=3600');
      response.end(body);
    }, delayMs);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    spki,
    /** Returns what the server saw since the last document. */
    take: (): Seen => {
      const { sessions: _, ...taken } = seen;
      return { ...taken, requests: [...taken.requests] };
    },
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
}

const toNothing = () => ({
  ...{ requests: [], connections: 0, open: 0, resumed: 0, conditional: 0, found: '' },
  sessions: new Set<Http2Session | undefined>(),
});
