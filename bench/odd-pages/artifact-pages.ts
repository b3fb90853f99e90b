/** Pages that disturb the gathering of an artifact. */
import { afterLoad, fine, pageWith } from '../../test/faults/answer.ts';
import { further, html, measured, never, type Row, script } from './answers.ts';

const body = (text: string) => html(pageWith({ body: text }));
const inHead = (text: string) => html(pageWith({ head: text }));
const scripted = (text: string) => inHead(`<script>${text}</script>`);
const afterwards = (text: string) => body(afterLoad(text));
const withHeaders = (...lines: string[]) => html(fine, lines);
const withScript = (text: string) => ({ parts: { 'app.js': script(text) } });
const appScript = '<script src="app.js"></script>';

/** Scripts that replace globals which Lighthouse's own scripts may use in the page. */
const broken: Readonly<Record<string, string>> = {
  'setTimeout never calls': 'window.setTimeout = () => 0;',
  'setInterval never calls': 'window.setInterval = () => 0;',
  'Promise never resolves': 'window.Promise = function () { this.then = this.catch = this.finally = () => this; };',
  'Promise is undefined': 'window.Promise = undefined;',
  'requestAnimationFrame never calls': 'window.requestAnimationFrame = () => 0;',
  'performance.now stands still': 'performance.now = () => 0;',
  'performance is an empty object': `Object.defineProperty(window, 'performance', { value: {} });`,
  'JSON.stringify throws': `JSON.stringify = () => { throw new Error('no JSON'); };`,
  'Array.prototype.toJSON, as Prototype 1.6 has it': `Array.prototype.toJSON = function () { return '[' + this.join() + ']'; };`,
  'Array.from of an old polyfill':
    'Array.from = items => { const all = []; for (let n = 0; n < items.length; n += 1) all.push(items[n]); return all; };',
  'document.createElement throws': `document.createElement = () => { throw new Error('no elements'); };`,
  'getComputedStyle throws': `window.getComputedStyle = () => { throw new Error('no style'); };`,
};
const brokenToo: Readonly<Record<string, string>> = {
  'setTimeout throws': `window.setTimeout = () => { throw new Error('no timers'); };`,
  'requestIdleCallback never calls': 'window.requestIdleCallback = () => 0;',
  'Date stands still': 'const now = Date.now(); Date.now = () => now;',
  'JSON.stringify returns nothing': 'JSON.stringify = () => undefined;',
  'Array.prototype with further methods':
    'Array.prototype.remove = function () {}; Object.prototype.extend = function () {};',
  'Map and Set are old polyfills': 'window.Map = function () {}; window.Set = function () {};',
  'document.querySelectorAll returns an array':
    'document.querySelectorAll = tags => [...document.getElementsByTagName(tags)];',
  'Element.prototype.matches throws': `Element.prototype.matches = () => { throw new Error('no'); };`,
  'getBoundingClientRect returns nothing': 'Element.prototype.getBoundingClientRect = () => undefined;',
  'fetch is undefined': 'window.fetch = undefined;',
  'URL is a string': `window.URL = 'http://here.example/';`,
  'Error.prepareStackTrace throws': `Error.prepareStackTrace = () => { throw new Error('no stack'); };`,
  'window.name, status, event and length are set': `window.name = 'x'; window.status = 'y'; window.event = {}; window.length = 7;`,
  'console methods throw': `for (const name in console) console[name] = () => { throw new Error('no console'); };`,
  'PerformanceObserver is undefined': 'window.PerformanceObserver = undefined;',
};
const withScripts = (scripts: typeof broken): Row[] =>
  Object.entries(scripts).map(([name, text]) => measured(name, scripted(text)));
const globals = ['document', 'window', 'fetch', 'Promise', 'performance', 'axe', 'body', 'head', 'URL', 'location'];
const hiding = globals.map(id => `<form id="${id}" name="${id}"><input name="id" aria-label="x"></form>`).join('');

const table = `<table>${`<tr>${'<td>7</td>'.repeat(12)}</tr>`.repeat(500)}</table>`;
const map = `<img src="dot.png" usemap="#m" width="90" height="90" alt="A map"><map name="m">
<area shape="rect" coords="0,0,9,9" href="next" alt="Next"><area shape="default" href="next"></map>`;
const busy = 'setInterval(() => { const end = performance.now() + 300; while (performance.now() < end); }, 400);';
const takesOver = `addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(clients.claim()));`;
const answering = (answer: string) => `${takesOver} addEventListener('fetch', event => event.respondWith(${answer}));`;
const serviceWorker = (name: string, worker: string) =>
  measured(
    `a service worker that ${name}`,
    scripted(`navigator.serviceWorker.register('app.js');`),
    withScript(worker),
  );
const shadow = `<div id="a"></div><script>document.getElementById('a').attachShadow({ mode: 'closed' }).innerHTML =
'<p>In the shadow</p>'.repeat(200);</script>`;

export const artifactPages: readonly Row[] = [
  measured('manifest that never comes', inHead('<link rel="manifest" href="never">')),
  measured('robots.txt that never comes', html(fine), { parts: { '/robots.txt': never } }),
  measured('favicon that never comes', inHead('<link rel="icon" href="never">')),
  measured('source map that never comes', inHead(appScript), withScript('let a = 1;\n//# sourceMappingURL=never')),
  measured('image that never comes', body('<img src="never" alt="A picture" width="9" height="9">')),
  measured('ids that hide globals, on every element', body(hiding)),
  measured('12,000 spans', body('<span>word </span>'.repeat(12_000))),
  measured('a table of 6,000 cells', body(table)),
  measured('30,000 nodes', body('<div><i>a</i><b>b</b></div>'.repeat(10_000))),
  measured('3,000 links of low contrast', body('<a href="next" style="color:#ddd">here</a> '.repeat(3000))),
  measured('an image map', body(map)),
  measured('main thread busy 300 ms of every 400 ms', scripted(busy)),
  serviceWorker('passes all', answering('fetch(event.request)')),
  serviceWorker('answers 500', answering(`new Response('', { status: 500 })`)),
  measured(
    'an endless animation',
    inHead(
      '<style>@keyframes a { to { transform: translateX(200px) } } h1 { animation: a 1s infinite alternate }</style>',
    ),
  ),
  measured('a debugger statement', body('<script>debugger;</script>')),
  measured('alert, confirm and prompt', body(`<script>alert(1); confirm('2'); prompt('3');</script>`)),
  measured('alert after the load', afterwards(`alert('Welcome');`)),
  measured('print', body('<script>print();</script>')),
  measured(
    'beforeunload',
    scripted(`addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay'; });`),
  ),
  measured('CSP sandbox', withHeaders('Content-Security-Policy: sandbox')),
  measured(`CSP default-src 'none'`, withHeaders(`Content-Security-Policy: default-src 'none'`)),
  measured(
    'CSP with trusted types',
    withHeaders(`Content-Security-Policy: require-trusted-types-for 'script'; trusted-types 'none'`),
  ),
  measured(
    'COOP and COEP',
    withHeaders('Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp'),
  ),
  measured('a closed shadow root with all content', body(shadow)),
  ...withScripts(broken),
  ...further([
    measured('script at the end of the body that never comes', body('<script src="never"></script>')),
    measured('robots.txt that is reset', html(fine), { parts: { '/robots.txt': socket => socket.resetAndDestroy() } }),
    measured('robots.txt of 2 MB', html(fine), { parts: { '/robots.txt': html('Disallow: /x\n'.repeat(160_000)) } }),
    measured('source map that is no JSON', inHead(appScript), withScript('let a = 1;\n//# sourceMappingURL=next')),
    measured(
      'twenty source maps that never come',
      inHead(Array.from({ length: 20 }, (_, n) => `<script src="app.js?${n}"></script>`).join('')),
      withScript('{ let a = 1; }\n//# sourceMappingURL=never'),
    ),
    measured('frame that never comes', body('<iframe src="never" title="A frame"></iframe>')),
    measured('async script that never comes', inHead('<script async src="never"></script>')),
    measured(
      'font that never comes',
      inHead(`<style>@font-face { font-family: a; src: url('never') } h1 { font-family: a }</style>`),
    ),
    measured(
      'canonical, alternate and preload that never come',
      inHead(
        '<link rel="canonical" href="never"><link rel="alternate" hreflang="de" href="never"><link rel="preload" as="image" href="never">',
      ),
    ),
    measured('beacon that never ends', scripted(`navigator.sendBeacon('never', 'x');`)),
    measured('2,000 images without alt', body('<img src="dot.png" width="1" height="1">'.repeat(2000))),
    measured('500 tables in tables', body(`${'<table><tr><td>'.repeat(500)}x`)),
    measured('main thread busy for 8 s', afterwards('const end = Date.now() + 8000; while (Date.now() < end);')),
    serviceWorker('never installs', `addEventListener('install', event => event.waitUntil(new Promise(() => {})));`),
    measured(
      'an endless animation by script',
      body(`<script>(function move(n) { document.querySelector('h1').style.marginLeft = n % 99 + 'px';
        requestAnimationFrame(() => move(n + 1)); })(0);</script>`),
    ),
    measured(
      'endless layout shifts',
      body(`<script>setInterval(() => { const p = document.createElement('p'); p.textContent = 'More';
        document.body.prepend(p); }, 100);</script>`),
    ),
    measured('a debugger statement every 100 ms', body('<script>setInterval(() => { debugger; }, 100);</script>')),
    measured('alert from a frame', body('<iframe title="A frame" srcdoc="<script>alert(1)</script>"></iframe>')),
    measured('print after the load', afterwards('print();')),
    measured(
      'unload that takes 3 s',
      scripted(`addEventListener('pagehide', () => { const end = Date.now() + 3000; while (Date.now() < end); });`),
    ),
    measured(
      'permission prompts',
      scripted(`navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission();
        navigator.mediaDevices?.getUserMedia({ video: true }).catch(() => {});`),
    ),
    measured(
      'full screen and pointer lock',
      scripted(
        'document.documentElement.requestFullscreen().catch(() => {}); document.documentElement.requestPointerLock?.();',
      ),
    ),
    measured('CSP sandbox allow-scripts', withHeaders('Content-Security-Policy: sandbox allow-scripts')),
    measured(
      'CSP upgrade-insecure-requests',
      html(pageWith({ body: '<img src="http://127.0.0.1:9/a.png" alt="A picture">' }), [
        'Content-Security-Policy: upgrade-insecure-requests',
      ]),
    ),
    measured(
      'Permissions-Policy that forbids all',
      withHeaders('Permissions-Policy: unload=(), sync-xhr=(), fullscreen=(), geolocation=()'),
    ),
    measured('Clear-Site-Data', withHeaders('Clear-Site-Data: "*"')),
    measured(
      'Document-Policy and Origin-Agent-Cluster',
      withHeaders('Document-Policy: force-load-at-top', 'Origin-Agent-Cluster: ?1'),
    ),
    measured('base of another site', inHead('<base href="http://127.0.0.1:9/">')),
    ...withScripts(brokenToo),
  ]),
];
