/** Pages that disturb the gathering of one artifact, and pages that navigate. */
import { afterLoad, fine, pageWith } from '../../test/faults/answer.ts';
import { html, never, type Row, redirect, script } from './answers.ts';

const measured = { expected: 'measured' } as const;
const body = (text: string, ...lines: string[]) => html(pageWith({ body: text }), lines);
const inHead = (text: string, ...lines: string[]) => html(pageWith({ head: text }), lines);
const scripted = (text: string, ...lines: string[]) => inHead(`<script>${text}</script>`, ...lines);
const afterwards = (text: string) => body(afterLoad(text));
const onLoadAfter = (ms: number, text: string) =>
  body(`<script>addEventListener('load', () => setTimeout(() => { ${text} }, ${ms}));</script>`);
const withHeader = (line: string) => html(fine, [line]);

/** Replaces a global that Lighthouse's own scripts may use in the page. */
const broken: readonly (readonly [name: string, script: string])[] = [
  ['setTimeout never calls', 'window.setTimeout = () => 0;'],
  ['setTimeout throws', `window.setTimeout = () => { throw new Error('no timers'); };`],
  ['setInterval never calls', 'window.setInterval = () => 0;'],
  ['Promise never resolves', 'window.Promise = function () { this.then = this.catch = this.finally = () => this; };'],
  ['Promise is undefined', 'window.Promise = undefined;'],
  ['requestAnimationFrame never calls', 'window.requestAnimationFrame = () => 0;'],
  ['requestIdleCallback never calls', 'window.requestIdleCallback = () => 0;'],
  ['performance.now stands still', 'performance.now = () => 0;'],
  ['performance is an empty object', `Object.defineProperty(window, 'performance', { value: {} });`],
  ['Date stands still', 'const now = Date.now(); Date.now = () => now;'],
  ['JSON.stringify throws', `JSON.stringify = () => { throw new Error('no JSON'); };`],
  ['JSON.stringify returns nothing', 'JSON.stringify = () => undefined;'],
  [
    'Array.prototype.toJSON, as Prototype 1.6 has it',
    `Array.prototype.toJSON = function () { return '[' + this.join() + ']'; };`,
  ],
  [
    'Array.from of an old polyfill',
    'Array.from = items => { const all = []; for (let n = 0; n < items.length; n += 1) all.push(items[n]); return all; };',
  ],
  [
    'Array.prototype with further methods',
    'Array.prototype.remove = function () {}; Object.prototype.extend = function () {};',
  ],
  ['Map and Set are old polyfills', 'window.Map = function () {}; window.Set = function () {};'],
  [
    'document.querySelectorAll returns an array',
    `document.querySelectorAll = tags => [...document.getElementsByTagName(tags)];`,
  ],
  ['document.createElement throws', `document.createElement = () => { throw new Error('no elements'); };`],
  ['getComputedStyle throws', `window.getComputedStyle = () => { throw new Error('no style'); };`],
  ['Element.prototype.matches throws', `Element.prototype.matches = () => { throw new Error('no'); };`],
  ['getBoundingClientRect returns nothing', 'Element.prototype.getBoundingClientRect = () => undefined;'],
  ['fetch is undefined', 'window.fetch = undefined;'],
  ['URL is a string', `window.URL = 'http://here.example/';`],
  ['Error.prepareStackTrace throws', `Error.prepareStackTrace = () => { throw new Error('no stack'); };`],
  [
    'window.name, status, event and length are set',
    `window.name = 'x'; window.status = 'y'; window.event = {}; window.length = 7;`,
  ],
  ['console methods throw', `for (const name in console) console[name] = () => { throw new Error('no console'); };`],
  ['PerformanceObserver is undefined', 'window.PerformanceObserver = undefined;'],
];
const hiding = [
  'document',
  'window',
  'fetch',
  'Promise',
  'performance',
  'axe',
  'body',
  'head',
  'URL',
  'location',
  'navigator',
];

const table = `<table>${`<tr>${'<td>7</td>'.repeat(12)}</tr>`.repeat(500)}</table>`;
const busy = `setInterval(() => { const end = performance.now() + 300; while (performance.now() < end); }, 400);`;
const workerPage = (worker: string, text: string): Pick<Row, 'answer' | 'parts'> => ({
  answer: body(`<script>navigator.serviceWorker.register('worker.js');${text}</script>`),
  parts: { 'worker.js': script(worker) },
});
const takesOver = `addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(clients.claim()));`;

export const artifactPages: readonly Row[] = [
  { name: 'manifest that never comes', answer: inHead('<link rel="manifest" href="never">'), ...measured },
  { name: 'robots.txt that never comes', answer: html(fine), parts: { '/robots.txt': never }, ...measured },
  {
    name: 'robots.txt that is reset',
    answer: html(fine),
    parts: { '/robots.txt': socket => socket.resetAndDestroy() },
    ...measured,
  },
  {
    name: 'robots.txt of 2 MB',
    answer: html(fine),
    parts: { '/robots.txt': html('Disallow: /x\n'.repeat(160_000)) },
    ...measured,
  },
  { name: 'favicon that never comes', answer: inHead('<link rel="icon" href="never">'), ...measured },
  {
    name: 'source map that never comes',
    answer: inHead('<script src="app.js"></script>'),
    parts: { 'app.js': script('let a = 1;\n//# sourceMappingURL=never') },
    ...measured,
  },
  {
    name: 'source map that is no JSON',
    answer: inHead('<script src="app.js"></script>'),
    parts: { 'app.js': script('let a = 1;\n//# sourceMappingURL=next') },
    ...measured,
  },
  {
    name: 'twenty source maps that never come',
    answer: inHead(Array.from({ length: 20 }, (_, n) => `<script src="app.js?${n}"></script>`).join('')),
    parts: { 'app.js': script('{ let a = 1; }\n//# sourceMappingURL=never') },
    ...measured,
  },
  {
    name: 'image that never comes',
    answer: body('<img src="never" alt="A picture" width="9" height="9">'),
    ...measured,
  },
  { name: 'frame that never comes', answer: body('<iframe src="never" title="A frame"></iframe>'), ...measured },
  { name: 'async script that never comes', answer: inHead('<script async src="never"></script>'), ...measured },
  {
    name: 'script at the end of the body that never comes',
    answer: body('<script src="never"></script>'),
    ...measured,
  },
  {
    name: 'font that never comes',
    answer: inHead(`<style>@font-face { font-family: a; src: url('never') } h1 { font-family: a }</style>`),
    ...measured,
  },
  {
    name: 'canonical, alternate and preload that never come',
    answer: inHead(
      '<link rel="canonical" href="never"><link rel="alternate" hreflang="de" href="never"><link rel="preload" as="image" href="never">',
    ),
    ...measured,
  },
  { name: 'beacon that never ends', answer: scripted(`navigator.sendBeacon('never', 'x');`), ...measured },
  ...broken.map(([name, text]): Row => ({ name, answer: scripted(text), ...measured })),
  {
    name: 'ids that hide globals, on every element',
    answer: body(
      hiding.map(name => `<form id="${name}" name="${name}"><input name="id" aria-label="x"></form>`).join(''),
    ),
    ...measured,
  },
  { name: '12,000 spans', answer: body('<span>word </span>'.repeat(12_000)), ...measured },
  { name: 'a table of 6,000 cells', answer: body(table), ...measured },
  { name: '30,000 nodes', answer: body('<div><i>a</i><b>b</b></div>'.repeat(10_000)), ...measured },
  {
    name: '2,000 images without alt',
    answer: body('<img src="dot.png" width="1" height="1">'.repeat(2000)),
    ...measured,
  },
  {
    name: '3,000 links of low contrast',
    answer: body('<a href="next" style="color:#ddd">here</a> '.repeat(3000)),
    ...measured,
  },
  { name: '500 tables in tables', answer: body(`${'<table><tr><td>'.repeat(500)}x`), ...measured },
  {
    name: 'an image map',
    answer: body(
      '<img src="dot.png" usemap="#m" width="90" height="90" alt="A map"><map name="m"><area shape="rect" coords="0,0,9,9" href="next" alt="Next"><area shape="default" href="next"></map>',
    ),
    ...measured,
  },
  { name: 'main thread busy 300 ms of every 400 ms', answer: scripted(busy), ...measured },
  {
    name: 'main thread busy for 8 s',
    answer: afterwards('const end = Date.now() + 8000; while (Date.now() < end);'),
    ...measured,
  },
  {
    name: 'a service worker that passes all',
    ...workerPage(`${takesOver} addEventListener('fetch', event => event.respondWith(fetch(event.request)));`, ''),
    ...measured,
  },
  {
    name: 'a service worker that answers 500',
    ...workerPage(
      `${takesOver} addEventListener('fetch', event => event.respondWith(new Response('', { status: 500 })));`,
      '',
    ),
    ...measured,
  },
  {
    name: 'a service worker that never installs',
    ...workerPage(`addEventListener('install', event => event.waitUntil(new Promise(() => {})));`, ''),
    ...measured,
  },
  {
    name: 'an endless animation',
    answer: inHead(
      '<style>@keyframes a { to { transform: translateX(200px) } } h1 { animation: a 1s infinite alternate }</style>',
    ),
    ...measured,
  },
  {
    name: 'an endless animation by script',
    answer: body(
      `<script>(function move(n) { document.querySelector('h1').style.marginLeft = n % 99 + 'px'; requestAnimationFrame(() => move(n + 1)); })(0);</script>`,
    ),
    ...measured,
  },
  {
    name: 'endless layout shifts',
    answer: body(
      `<script>setInterval(() => { const p = document.createElement('p'); p.textContent = 'More'; document.body.prepend(p); }, 100);</script>`,
    ),
    ...measured,
  },
  { name: 'a debugger statement', answer: body('<script>debugger;</script>'), ...measured },
  {
    name: 'a debugger statement every 100 ms',
    answer: body(`<script>setInterval(() => { debugger; }, 100);</script>`),
    ...measured,
  },
  {
    name: 'alert, confirm and prompt',
    answer: body(`<script>alert(1); confirm('2'); prompt('3');</script>`),
    ...measured,
  },
  { name: 'alert after the load', answer: afterwards(`alert('Welcome');`), ...measured },
  {
    name: 'alert from a frame',
    answer: body(`<iframe title="A frame" srcdoc="<script>alert(1)</script>"></iframe>`),
    ...measured,
  },
  { name: 'print', answer: body('<script>print();</script>'), ...measured },
  { name: 'print after the load', answer: afterwards('print();'), ...measured },
  {
    name: 'beforeunload',
    answer: scripted(
      `addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay'; });`,
    ),
    ...measured,
  },
  {
    name: 'unload that takes 3 s',
    answer: scripted(
      `addEventListener('pagehide', () => { const end = Date.now() + 3000; while (Date.now() < end); });`,
    ),
    ...measured,
  },
  {
    name: 'permission prompts',
    answer: scripted(
      `navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission(); navigator.mediaDevices?.getUserMedia({ video: true }).catch(() => {});`,
    ),
    ...measured,
  },
  {
    name: 'full screen and pointer lock',
    answer: scripted(
      `document.documentElement.requestFullscreen().catch(() => {}); document.documentElement.requestPointerLock?.();`,
    ),
    ...measured,
  },
  { name: 'CSP sandbox', answer: withHeader('Content-Security-Policy: sandbox'), ...measured },
  {
    name: 'CSP sandbox allow-scripts',
    answer: withHeader('Content-Security-Policy: sandbox allow-scripts'),
    ...measured,
  },
  { name: `CSP default-src 'none'`, answer: withHeader(`Content-Security-Policy: default-src 'none'`), ...measured },
  {
    name: 'CSP with trusted types',
    answer: withHeader(`Content-Security-Policy: require-trusted-types-for 'script'; trusted-types 'none'`),
    ...measured,
  },
  {
    name: 'CSP upgrade-insecure-requests',
    answer: html(pageWith({ body: '<img src="http://127.0.0.1:9/a.png" alt="A picture">' }), [
      'Content-Security-Policy: upgrade-insecure-requests',
    ]),
    ...measured,
  },
  {
    name: 'Permissions-Policy that forbids all',
    answer: withHeader('Permissions-Policy: unload=(), sync-xhr=(), fullscreen=(), geolocation=()'),
    ...measured,
  },
  {
    name: 'COOP and COEP',
    answer: html(fine, ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp']),
    ...measured,
  },
  { name: 'Clear-Site-Data', answer: withHeader('Clear-Site-Data: "*"'), ...measured },
  {
    name: 'Document-Policy and Origin-Agent-Cluster',
    answer: html(fine, ['Document-Policy: force-load-at-top', 'Origin-Agent-Cluster: ?1']),
    ...measured,
  },
  { name: 'base of another site', answer: inHead('<base href="http://127.0.0.1:9/">'), ...measured },
  {
    name: 'a closed shadow root with all content',
    answer: html(
      pageWith({
        body: `<div id="a"></div><script>document.getElementById('a').attachShadow({ mode: 'closed' }).innerHTML = '<p>In the shadow</p>'.repeat(200);</script>`,
      }),
    ),
    ...measured,
  },
];

const bare = (headText: string, bodyText = '') =>
  html(
    `<!doctype html><html lang="en"><head><title>A page</title><link rel="icon" href="data:,">${headText}</head><body>${bodyText}</body></html>`,
  );
const goTo = (url: string) => `<script>location.href = '${url}';</script>`;
const refreshTo = (url: string, seconds = 0) => `<meta http-equiv="refresh" content="${seconds};url=${url}">`;
const withContent = '<h1>An app</h1><p>Open it in the app, or stay here.</p>';
/** No browser shows an app, so the scheme is named. */
const anApp = { expected: 'page_not_html', says: /leads to an app \(`(myshop|intent|mailto|tel):/ } as const;
const schemes = [
  'myshop://open/item?id=7',
  'intent://open#Intent;scheme=myshop;package=com.example.shop;end',
  'mailto:shop@example.com',
  'tel:+49123456',
];

export const navigationPages: readonly Row[] = [
  {
    name: 'starts to leave, then stop()',
    answer: afterwards(`location.href = 'never'; setTimeout(stop, 200);`),
    ...measured,
  },
  {
    name: 'starts to leave, then stop() at once',
    answer: body(`<script>location.href = 'never'; stop();</script>`),
    ...measured,
  },
  {
    name: 'starts to leave while it loads, and never arrives',
    answer: body(`<script>setTimeout(() => { location.href = 'never'; }, 500);</script>`),
    expected: ['measured', 'page_timeout'],
  },
  { name: 'goes to a 204', answer: afterwards(`location.href = 'nothing';`), ...measured },
  {
    name: 'goes to a 204 at once',
    answer: scripted(`location.href = 'nothing';`),
    expected: ['measured', 'page_blank'],
  },
  { name: 'download after the load', answer: afterwards(`location.href = 'file.zip';`), ...measured },
  {
    name: 'download link clicked by script',
    answer: afterwards(
      `const link = document.createElement('a'); link.href = 'file.zip'; link.download = 'file.zip'; document.body.append(link); link.click();`,
    ),
    ...measured,
  },
  {
    name: 'download in a hidden frame',
    answer: body('<iframe src="file.zip" hidden title="A file"></iframe>'),
    ...measured,
  },
  {
    name: '300 pushState calls',
    answer: scripted(
      `let n = 0; const timer = setInterval(() => { history.pushState({}, '', '?' + n++); if (n > 300) clearInterval(timer); }, 20);`,
    ),
    ...measured,
  },
  {
    name: 'replaceState to another path after the load',
    answer: afterwards(`history.replaceState({}, '', 'elsewhere/deep?a=b');`),
    ...measured,
  },
  { name: 'location.replace to its own hash', answer: scripted(`location.replace('#part');`), ...measured },
  {
    name: 'a new hash every 100 ms',
    answer: scripted(`let n = 0; setInterval(() => { location.hash = n++; }, 100);`),
    ...measured,
  },
  { name: 'history.back() at once', answer: scripted('history.back();'), expected: ['measured', 'page_timeout'] },
  ...[0, 2, 6].map(
    (seconds): Row => ({
      name: `meta refresh to another page after ${seconds} s`,
      answer: inHead(refreshTo('next', seconds)),
      ...measured,
    }),
  ),
  { name: 'meta refresh to a 204', answer: inHead(refreshTo('nothing')), ...measured },
  { name: 'meta refresh in noscript', answer: inHead(`<noscript>${refreshTo('never')}</noscript>`), ...measured },
  {
    name: 'meta refresh with odd syntax',
    answer: inHead(`<meta http-equiv="Refresh" content=" 1 ; URL = 'next' ">`),
    ...measured,
  },
  { name: 'leaves at once', answer: scripted(`location.replace('next');`), ...measured },
  ...[1000, 3000].map(
    (ms): Row => ({
      name: `leaves ${ms / 1000} s after the load`,
      answer: onLoadAfter(ms, `location.href = 'next';`),
      ...measured,
      says: /redirect|another page|left|navigat/i,
    }),
  ),
  { name: 'leaves after it is measured', answer: onLoadAfter(30_000, `location.href = 'next';`), ...measured },
  {
    name: 'reloads once',
    answer: scripted(`if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload(); }`),
    ...measured,
  },
  {
    name: 'reloads once after 2 s',
    answer: onLoadAfter(2000, `if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload(); }`),
    ...measured,
  },
  {
    name: 'a form that submits itself',
    answer: body(
      `<form action="next"><input name="a" value="b" aria-label="a"></form><script>document.forms[0].submit();</script>`,
    ),
    ...measured,
  },
  {
    name: 'a form that posts itself',
    answer: bare(
      '',
      `<form method="post" action="next"><input name="a" value="b"></form><script>document.forms[0].submit();</script>`,
    ),
    ...measured,
  },
  {
    name: 'a cookie wall that leads back',
    answer: (socket, { head: sent }) =>
      void socket.write(
        sent.includes('passed=1')
          ? html(fine)
          : bare(`<script>document.cookie = 'passed=1'; location.reload();</script>`, 'Checking your browser'),
      ),
    ...measured,
  },
  {
    name: 'a check of the browser for 4 s',
    answer: (socket, { head: sent }) =>
      void socket.write(
        sent.includes('passed=1')
          ? html(fine)
          : bare(
              `<script>setTimeout(() => { document.cookie = 'passed=1'; location.reload(); }, 4000);</script>`,
              '<h1>Checking your browser</h1>',
            ),
      ),
    ...measured,
  },
  { name: 'window.open', answer: scripted(`open('next', '_blank');`), ...measured },
  { name: 'window.open of itself', answer: scripted(`open('next', '_self');`), ...measured },
  { name: 'window.close', answer: scripted('window.close();'), ...measured },
  {
    name: 'document.write of a whole document after the load',
    answer: afterwards(
      `document.write('<!doctype html><html lang="en"><title>Written</title><h1>Written anew</h1><p>With words.</p></html>'); document.close();`,
    ),
    ...measured,
  },
  {
    name: 'document.write of the page while it loads',
    answer: bare('', `<script>document.write('<h1>Written</h1><p>With words.</p>');</script>`),
    ...measured,
  },
  { name: 'document.open after the load', answer: afterwards('document.open();'), ...measured },
  {
    name: 'document.open at once, never closed',
    answer: bare(
      '',
      `<script>addEventListener('load', () => { document.open(); document.write('<h1>Open</h1>'); });</script>`,
    ),
    ...measured,
  },
  {
    name: 'the root element is replaced',
    answer: afterwards(`document.documentElement.replaceWith(document.createElement('html'));`),
    ...measured,
  },
  { name: 'javascript: URL', answer: afterwards(`location.href = 'javascript:void(0)';`), ...measured },
  { name: 'data: URL', answer: afterwards(`location.href = 'data:text/html,x';`), ...measured },
  {
    name: 'blob: URL',
    answer: afterwards(`location.href = URL.createObjectURL(new Blob(['<h1>A blob</h1>'], { type: 'text/html' }));`),
    ...measured,
  },
  {
    name: 'about:blank',
    answer: afterwards(`location.href = 'about:blank';`),
    expected: ['measured', 'page_blank', 'page_unreachable', 'page_not_html'],
  },
  {
    name: 'goes to a closed port after the load',
    answer: afterwards(`location.href = 'http://127.0.0.1:9/';`),
    // The browser then shows an error page of its own, while it still measures the load.
    expected: 'page_unreachable',
  },
  {
    name: 'breaks out of a frame',
    answer: body(`<iframe src="inner" title="Inner"></iframe>`),
    parts: { inner: bare(`<script>top.location.href = 'next';</script>`, 'x') },
    ...measured,
  },
  ...schemes.flatMap((url): Row[] => {
    const name = `${url.split(':')[0]}:`;
    return [
      // The rest of the document is not shown once the browser has turned to the app.
      { ...anApp, name: `${name} by script, with content`, answer: bare(goTo(url), withContent) },
      { name: `${name} by meta refresh, with content`, answer: bare(refreshTo(url), withContent), ...measured },
    ];
  }),
  { name: 'myshop: by script after the load', answer: afterwards(`location.href = '${schemes[0]}';`), ...measured },
  {
    name: 'myshop: in a hidden frame',
    answer: body(`<iframe src="${schemes[0]}" hidden title="An app"></iframe>`),
    ...measured,
  },
  {
    name: 'myshop: by script, then a page after 1 s',
    answer: bare(`${goTo('myshop://open')}<script>setTimeout(() => location.replace('next'), 1000);</script>`),
    ...anApp,
  },
  { name: 'myshop: by script, without content', answer: bare(goTo('myshop://open')), ...anApp },
  {
    name: 'mailto: by meta refresh, without content',
    answer: bare(refreshTo('mailto:shop@example.com')),
    ...anApp,
  },
  ...schemes.map((url): Row => ({ name: `${url.split(':')[0]}: by 302`, answer: redirect(url), ...anApp })),
  { name: 'myshop: by 302, with content', answer: redirect('myshop://open', fine), ...anApp },
  { name: 'Refresh header to myshop:', answer: html(fine, ['Refresh: 0; url=myshop://open']), ...measured },
];
