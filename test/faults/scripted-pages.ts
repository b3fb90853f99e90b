/** Pages that arrive complete and then misbehave in the browser. All faults are bounded, or end with the browser. */
import { type Answer, afterLoad, html, pageWith, queryOf, send } from './answer.ts';
import { png } from './documents.ts';

const scripted = (script: string): Answer => html(pageWith({ head: `<script>${script}</script>` }));
const scriptedAfterLoad = (script: string): Answer => html(pageWith({ body: afterLoad(script) }));

const spin = 'for (;;) {}';

/** Scripts that block the page. */
const hung = {
  hang: scripted(spin),
  'hang-after-load': scriptedAfterLoad(spin),
  'hang-in-timer': scripted(`setTimeout(() => { ${spin} }, 2000);`),
  /** The page itself responds: only its worker spins. */
  'hang-in-worker': scripted(`new Worker('/spin.js');`),
  'hang-in-wasm': scripted(
    // (module (func (export "f") (loop br 0)))
    `const bytes = new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]);
     WebAssembly.instantiate(bytes).then(({ instance }) => instance.exports.f());`,
  ),
} satisfies Record<string, Answer>;

const dialogs = {
  alert: scripted(`alert('one');`),
  'alert-loop': scripted(`for (;;) alert('again');`),
  confirm: scripted(`confirm('sure?');`),
  prompt: scripted(`prompt('who?');`),
  beforeunload: scripted(
    `addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay'; });`,
  ),
  print: scripted('print();'),
  'print-loop': scripted('for (;;) print();'),
  windows: scripted(`for (let n = 0; n < 100; n += 1) open('/fine?' + n, '_blank', 'width=100,height=100');`),
} satisfies Record<string, Answer>;

const nextOwn = `location.pathname + '?' + (Number(location.search.slice(1)) + 1)`;

/** Pages that never settle on one document. */
const restless = {
  'reload-loop': scripted('location.reload();'),
  'reload-loop-after-load': scripted(`addEventListener('load', () => location.reload());`),
  'location-loop': scripted(`location.href = ${nextOwn};`),
  'meta-refresh-loop': html(pageWith({ head: '<meta http-equiv="refresh" content="0">' })),
  'leaves-after-load': scripted(`addEventListener('load', () => { location.href = '/fine'; });`),
  /** The page does not navigate: the request is saved as a download, or has no content. */
  'starts-download': scriptedAfterLoad(`location.href = '/zip';`),
  'asks-for-nothing': scriptedAfterLoad(`location.href = '/204';`),
  'push-state-loop': scripted(`let n = 0; setInterval(() => history.pushState({}, '', '?' + n++), 0);`),
  'document-write-loop': scriptedAfterLoad(`setInterval(() => document.write('<p>More words.</p>'), 0);`),
  'frame-recursion': (response, request) =>
    html(
      pageWith({
        body: `<iframe src="/frame-recursion?${Number(queryOf(request).keys().next().value ?? 0) + 1}"></iframe>`,
      }),
    )(response, request),
} satisfies Record<string, Answer>;

/**
 * Elements nested deeper than the layout's stack: the renderer ends with a segmentation fault, at once and with little
 * memory.
 */
const crash = `let at = document.documentElement;
  for (let depth = 0; depth < 100_000; depth += 1) at = at.appendChild(document.createElement('div'));
  document.documentElement.offsetTop;`;

/**
 * V8 arrays cannot have this many elements, so the renderer ends as out of memory, within a second and with less than 1
 * GB in use.
 */
const outOfMemory = `'x'.repeat(2 ** 28).split('');`;

const greedy = {
  crash: scripted(crash),
  'crash-after-load': scriptedAfterLoad(crash),
  'crash-out-of-memory': scripted(outOfMemory),
  /** Allocates and touches one gigabyte. */
  'memory-bomb': scripted(
    `globalThis.held = []; for (let n = 0; n < 16; n += 1) held.push(new Uint8Array(64 * 1024 * 1024).fill(1));`,
  ),
  'many-nodes': html(pageWith({ body: '<i></i>'.repeat(100_000) })),
  'many-requests': html(
    pageWith({
      body: Array.from({ length: 2000 }, (_, n) => `<img src="/dot.png?${n}" alt="" width="1" height="1">`).join(''),
    }),
  ),
  'huge-script': html(
    pageWith({ head: `<script>${'globalThis.n = (globalThis.n ?? 0) + 1;\n'.repeat(200_000)}</script>` }),
  ),
} satisfies Record<string, Answer>;

const openSocket = `new WebSocket('ws://' + location.host + '/socket');`;

/** Pages whose network is never idle. */
const busy = {
  'open-socket': scripted(openSocket),
  'endless-fetch': scripted(`fetch('/never');`),
  polling: scripted(`setInterval(() => fetch('/fine'), 100);`),
  'hanging-service-worker': scriptedAfterLoad(
    `navigator.serviceWorker.register('/hang-fetches.js').then(() => navigator.serviceWorker.ready);
     navigator.serviceWorker.addEventListener('controllerchange', () => fetch('/fine'));`,
  ),
  /** The service worker intercepts the document itself. */
  'hanging-service-worker-reload': scriptedAfterLoad(
    `navigator.serviceWorker.addEventListener('controllerchange', () => location.reload());
     navigator.serviceWorker.register('/hang-fetches.js');`,
  ),
} satisfies Record<string, Answer>;

const unpainted = `<!doctype html><html lang="en"><head><title>Nothing</title><link rel="icon" href="data:,">`;

const blank = {
  blank: html(`${unpainted}</head><body></body></html>`),
  'only-colour': html(`${unpainted}</head><body style="background:#357;height:100vh"></body></html>`),
  'paints-late': html(
    `${unpainted}</head><body><script>setTimeout(() => { document.body.textContent = 'At last.'; }, 40000);</script></body></html>`,
  ),
} satisfies Record<string, Answer>;

export const hostileTitle = '</title><script>globalThis.injected = true</script><img src=x onerror=alert(1)>';
const escaped = hostileTitle.replaceAll('<', '&lt;');

const hostile = {
  'hostile-words': html(
    pageWith({
      title: escaped,
      head: `<meta name="description" content="${escaped}">
<script>console.error(${JSON.stringify(hostileTitle).replaceAll('<', '\\u003c')}, '\\u001b[31m\\u0000\\u2028', '\\ud800');</script>`,
      body: `<img src="/404?%3Cscript%3E" alt="${escaped}"><p style="color:#eee">${escaped}</p>`,
    }),
  ),
} satisfies Record<string, Answer>;

export const scriptedPages = { ...hung, ...dialogs, ...restless, ...greedy, ...busy, ...blank, ...hostile };

const javaScript = (script: string) => send(200, { 'content-type': 'text/javascript' }, script);

/** Resources of these pages. */
export const parts: Readonly<Record<string, Answer>> = {
  'spin.js': javaScript(spin),
  'hang-fetches.js': javaScript(
    `addEventListener('install', () => skipWaiting());
     addEventListener('activate', event => event.waitUntil(clients.claim()));
     addEventListener('fetch', event => event.respondWith(new Promise(() => {})));`,
  ),
  'dot.png': send(200, { 'content-type': 'image/png' }, png),
};
