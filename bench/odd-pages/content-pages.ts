/** Pages with odd names, odd URLs, little to see, or too much of something. */
import { createHash } from 'node:crypto';
import { type ErrorCode, errorTable, faultOf } from '../../src/contract/errors.ts';
import { fine, pageWith } from '../../test/faults/answer.ts';
import { type Answer, after, file, head, html, join, type Row, repeated, script, send, trickle } from './answers.ts';

const measured = { expected: 'measured' } as const;

export const namePages: readonly Row[] = [
  ...[
    'shop.localhost',
    'a.b.localhost',
    'bücher.localhost',
    'xn--bcher-kva.localhost',
    'LOCALHOST',
    'localhost',
    'localhost.',
    'shop.localhost.',
    'Shop.LocalHost',
    'my_shop.localhost',
    '-a-.localhost',
    '1.localhost',
    `${'a'.repeat(63)}.localhost`,
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '127.1',
    '127.0.0.1.',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '127。0。0。1',
    'ｌocalhost',
    'local%68ost',
  ].map((host): Row => ({ name: host, host, answer: html(fine), ...measured })),
  // The service names localhost instead, because other systems refuse this address.
  { name: '0.0.0.0', host: '0.0.0.0', answer: html(fine), expected: 'target_forbidden' },
  { name: 'an address on which nothing listens', host: '127.0.0.2', answer: html(fine), expected: 'page_unreachable' },
  { name: 'a name that does not exist', host: 'nowhere.invalid', answer: html(fine), expected: 'page_unreachable' },
  {
    name: 'parts on three subdomains',
    host: 'shop.localhost',
    answer: (socket, { head: sent }) => {
      const port = /^host: .*:(\d+)/im.exec(sent)?.[1];
      socket.write(
        html(
          pageWith({
            body: ['cdn', 'img', 'a.b']
              .map(
                name =>
                  `<img src="http://${name}.localhost:${port}/parts-on-three-subdomains/dot.png" alt="A dot" width="9" height="9">`,
              )
              .join(''),
          }),
        ),
      );
    },
    ...measured,
  },
];

/** Answers only this spelling of the path and query, and 404 for any other. */
const only =
  (sent: string): Answer =>
  (socket, { target }) =>
    void socket.write(
      html(fine, [], target.replace(/^\/[^/?]*\//, '') === sent ? undefined : 'HTTP/1.1 404 Not Found'),
    );

const long = 'x'.repeat(1900);
const urls: readonly (readonly [path: string, sent?: string])[] = [
  ['a|b'],
  ['?a|b'],
  ['a^b', 'a^b'],
  ['?a^b'],
  ['a`b', 'a%60b'],
  ['?a`b'],
  [`a"b`, 'a%22b'],
  [`?a"b`, '?a%22b'],
  [`a'b`],
  [`?a'b`, '?a%27b'],
  ['a{b}', 'a%7Bb%7D'],
  ['?a{b}'],
  ['a[b]'],
  ['?a[]=b&a[]=c'],
  ['a<b>', 'a%3Cb%3E'],
  ['?<b>', '?%3Cb%3E'],
  ['a\\b', 'a/b'],
  ['?a\\b'],
  ['%zz'],
  ['?%zz'],
  ['%'],
  ['?100%'],
  ['%00'],
  ['?%00'],
  ['%0d%0a'],
  ['/a//b'],
  ['a//'],
  ['a;jsessionid=1;b'],
  ['a;b=c/d;e'],
  ['?a;b=c'],
  ['a,b!c$d&e(f)*+=@:'],
  [long],
  [`?${long}`],
  ['größe', 'gr%C3%B6%C3%9Fe'],
  ['gr%C3%B6%C3%9Fe'],
  ['gr%c3%b6%c3%9fe'],
  ['gr%F6%DFe'],
  ['?größe', '?gr%C3%B6%C3%9Fe'],
  ['日本/語?テスト=1', '%E6%97%A5%E6%9C%AC/%E8%AA%9E?%E3%83%86%E3%82%B9%E3%83%88=1'],
  ['🙂', '%F0%9F%99%82'],
  ['#hash', ''],
  ['#/route/7?a=b', ''],
  ['#!/shop', ''],
  ['a#', 'a'],
  ['?'],
  ['??a=b'],
  ['?a=b?c'],
  ['?#', '?'],
  ['a?b#c?d', 'a?b'],
  ['%7C'],
  ['?%7c'],
  ['a/../b', 'b'],
  ['a/./b', 'a/b'],
  ['a/%2e%2e/b', 'b'],
  ['a/%2E/b', 'a/b'],
  ['...'],
  ['a%2Fb'],
  ['a%2f..%2fb'],
  ['a%5Cb'],
  ['%2f'],
  ['~a'],
  ['%7Ea'],
  ['a+b?c+d'],
  ['a%20b'],
  ['a%2520b'],
  ['index.php/a/b.html'],
  ['?url=http://a.example/?b=c'],
  ['?a=b&amp;c=d'],
  ['http://a.example/'],
  ['*'],
  ['?utm_source=%E2%9C%93&x=%F0%9F%99%82'],
  ['%EF%BB%BF'],
  ['%E2%80%AE'],
  ['?a=1&a=2&&=&b'],
];
const shorten = (path: string) => (path.length > 40 ? `${path.slice(0, 8)}… (${path.length} characters)` : path);

export const urlPages: readonly Row[] = [
  ...urls.map(([path, sent = path]): Row => ({ name: shorten(path), path, answer: only(sent), ...measured })),
  // The service refuses a URL with a space by contract, and says how to write it.
  { name: 'a b', path: 'a b', answer: only('a%20b'), expected: 'invalid_url' },
];

const empty = (headText: string, bodyText: string) =>
  html(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title><link rel="icon" href="data:,">${headText}</head><body>${bodyText}</body></html>`,
  );
const styled = (css: string) => html(pageWith({ head: `<style>${css}</style>` }));
const words = '<h1>Content</h1><p>Words to read.</p>';
const later = (ms: number) =>
  empty('', `<script>setTimeout(() => { document.body.innerHTML = '${words}'; }, ${ms});</script>`);
const blank = { expected: 'page_blank' } as const;
const fadesIn = '@keyframes in { from { opacity: 0 } to { opacity: 1 } }';

export const blankPages: readonly Row[] = [
  { name: 'empty body', answer: empty('', ''), ...blank },
  // Chrome paints blanks, so that only the performance has no score.
  { name: 'only blanks', answer: empty('', '&nbsp; &nbsp;<br>'), ...measured },
  {
    name: 'only a background colour',
    answer: empty('<style>body { background: #357; height: 100vh }</style>', ''),
    ...blank,
  },
  { name: 'display none for ever', answer: styled('body { display: none }'), ...blank },
  { name: 'visibility hidden for ever', answer: styled('body { visibility: hidden }'), ...blank },
  { name: 'opacity 0 for ever', answer: styled('body { opacity: 0 }'), ...blank },
  {
    name: 'content far outside of the window',
    answer: styled('main { position: absolute; left: -99999px }'),
    ...blank,
  },
  { name: 'words of size 0', answer: styled('* { font-size: 0 !important }'), ...blank },
  { name: 'transparent words', answer: styled('* { color: transparent !important }'), ...measured },
  { name: 'white words on white', answer: styled('* { color: #fff; background: #fff }'), ...measured },
  { name: 'fades in by an animation of 1 s', answer: styled(`${fadesIn} body { animation: in 1s }`), ...measured },
  {
    name: 'fades in by an animation after 3 s',
    answer: styled(`${fadesIn} body { opacity: 0; animation: in 1s 3s forwards }`),
    ...blank,
  },
  {
    name: 'fades in by a transition after the load',
    answer: html(
      pageWith({
        head: '<style>body { opacity: 0; transition: opacity .5s } .ready { opacity: 1 }</style>',
        body: `<script>addEventListener('load', () => document.body.classList.add('ready'));</script>`,
      }),
    ),
    ...measured,
  },
  {
    name: 'an anti-flicker snippet of 4 s',
    answer: html(
      pageWith({
        head: `<style>.hide { opacity: 0 !important }</style><script>document.documentElement.className = 'hide'; setTimeout(() => { document.documentElement.className = ''; }, 4000);</script>`,
      }),
    ),
    ...measured,
  },
  {
    name: 'visible once its web font is there',
    answer: html(
      pageWith({
        head: `<style>body { visibility: hidden }</style><script>addEventListener('load', () => document.fonts.ready.then(() => { document.body.style.visibility = 'visible'; }));</script>`,
      }),
    ),
    ...measured,
  },
  { name: 'opacity 0.01', answer: styled('body { opacity: .01 }'), ...measured },
  {
    name: 'only a canvas',
    answer: empty(
      '',
      `<canvas id="c" width="300" height="300"></canvas><script>const at = c.getContext('2d'); at.fillStyle = '#357'; at.fillRect(0, 0, 300, 300);</script>`,
    ),
    ...measured,
  },
  {
    name: 'only WebGL',
    answer: empty(
      '',
      `<canvas id="c" width="300" height="300"></canvas><script>const gl = c.getContext('webgl'); if (gl) { gl.clearColor(0, 1, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); }</script>`,
    ),
    ...measured,
  },
  {
    name: 'only inline SVG',
    answer: empty(
      '',
      '<svg width="300" height="300" role="img" aria-label="A square"><rect width="300" height="300" fill="#357"/></svg>',
    ),
    ...measured,
  },
  {
    name: 'only inline SVG with words',
    answer: empty('', '<svg width="300" height="300"><text y="50">Words in SVG</text></svg>'),
    ...measured,
  },
  { name: 'only an image', answer: empty('', '<img src="dot.png" alt="A dot" width="300" height="300">'), ...measured },
  {
    name: 'only a background image',
    answer: empty(`<style>body { background: url('dot.png'); height: 100vh }</style>`, ''),
    ...measured,
  },
  {
    name: 'only a broken image',
    answer: empty('', '<img src="next" alt="A picture that is not there" width="300" height="300">'),
    ...measured,
  },
  {
    name: 'only a gradient',
    answer: empty('<style>body { background: linear-gradient(red, blue); height: 100vh }</style>', ''),
    ...blank,
  },
  {
    name: 'only a video without a file',
    answer: empty('', '<video src="next" width="300" height="200" controls></video>'),
    expected: ['measured', 'page_blank'],
  },
  {
    name: 'only a frame with words',
    answer: empty('', '<iframe src="next" title="All of it" width="400" height="600"></iframe>'),
    expected: ['measured', 'page_blank'],
  },
  {
    name: 'only a frame of another site',
    answer: empty(
      '',
      `<script>document.write('<iframe title="All of it" width="400" height="600" src="http://localhost:' + location.port + location.pathname + 'next"></iframe>');</script>`,
    ),
    expected: ['measured', 'page_blank'],
  },
  {
    name: 'a frameset',
    answer: html(
      '<!doctype html><html lang="en"><head><title>Frames</title></head><frameset cols="50%,50%"><frame src="next"><frame src="next"></frameset></html>',
    ),
    expected: ['measured', 'page_blank'],
  },
  { name: 'only an input field', answer: empty('', '<input aria-label="Search" placeholder="Search">'), ...measured },
  { name: 'only a horizontal rule', answer: empty('', '<hr>'), expected: ['measured', 'page_blank'] },
  { name: 'only a list bullet', answer: empty('', '<ul><li></li></ul>'), expected: ['measured', 'page_blank'] },
  {
    name: 'only ::before words',
    answer: empty('<style>body::before { content: "Words of the style" }</style>', ''),
    ...measured,
  },
  { name: 'only an emoji', answer: empty('', '🙂'), ...measured },
  { name: 'only a dot', answer: empty('', '.'), ...measured },
  { name: 'only noscript', answer: empty('', `<noscript>${words}</noscript>`), ...blank },
  { name: 'only a template', answer: empty('', `<template>${words}</template>`), ...blank },
  {
    name: 'only a dialog',
    answer: empty('', `<dialog id="d">${words}</dialog><script>d.showModal();</script>`),
    ...measured,
  },
  {
    name: 'only a shadow root',
    answer: empty('', `<div><template shadowrootmode="open">${words}</template></div>`),
    ...measured,
  },
  { name: 'content after 5 s', answer: later(5_000), ...measured },
  { name: 'content after 20 s', answer: later(20_000), ...measured },
  { name: 'content after 40 s', answer: later(40_000), expected: ['page_blank', 'page_timeout'] },
  {
    name: 'content after the first scroll',
    answer: empty(
      '<style>body { height: 300vh }</style>',
      `<script>addEventListener('scroll', () => { document.body.innerHTML = '${words}'; });</script>`,
    ),
    ...blank,
  },
  {
    name: 'content after a click',
    answer: empty('', `<script>addEventListener('click', () => { document.body.innerHTML = '${words}'; });</script>`),
    ...blank,
  },
  {
    name: 'content only with a mouse, else a hint',
    answer: empty(
      '',
      `<p>Move the mouse</p><script>addEventListener('mousemove', () => { document.body.innerHTML = '${words}'; });</script>`,
    ),
    ...measured,
  },
  {
    name: 'content of the next request, after 8 s',
    answer: html(pageWith({ body: '<p>Loading</p><script src="app.js"></script>' })),
    parts: { 'app.js': after(8000, script(`document.querySelector('h1').textContent = 'Ready';`)) },
    ...measured,
  },
  {
    name: 'a consent overlay',
    answer: html(
      pageWith({
        body: `<div role="dialog" aria-label="Consent" style="position:fixed;inset:0;background:#fff"><p>We value your privacy.</p><button>Accept all</button></div>`,
      }),
    ),
    ...measured,
  },
  {
    name: 'a preloader for ever',
    answer: html(pageWith({ body: `<div style="position:fixed;inset:0;background:#fff"></div>` })),
    ...measured,
  },
  { name: 'a document of one word, without a tag', answer: html('Hello'), ...measured },
  { name: 'a document without html, head or body', answer: html('<title>Short</title><h1>Short</h1>'), ...measured },
  { name: 'unclosed title', answer: html(fine.replace('</title>', '')), ...blank },
  { name: 'unclosed script', answer: html(fine.replace('<main>', '<script>')), ...blank },
  { name: 'unclosed comment', answer: html(fine.replace('<main>', '<!-- ')), ...blank },
  { name: 'NUL bytes in the document', answer: html(fine.replaceAll(' ', ' \0')), ...measured },
];

/** A bitmap without compression. */
function toBitmap(side: number): Buffer {
  const start = Buffer.alloc(54);
  const bytes = Buffer.alloc(side * side * 3, 0x5a);
  start.write('BM');
  start.writeUInt32LE(54 + bytes.length, 2);
  start.writeUInt32LE(54, 10);
  start.writeUInt32LE(40, 14);
  start.writeInt32LE(side, 18);
  start.writeInt32LE(side, 22);
  start.writeUInt16LE(1, 26);
  start.writeUInt16LE(24, 28);
  return join(start, bytes);
}

const bitmap: Answer = socket => void socket.write(file('image/bmp', toBitmap(2600)));

const megabyte = Buffer.alloc(1024 * 1024, 'x');
const stream = (type: string, times: number): Answer =>
  trickle(
    () => repeated(head([`Content-Type: ${type}`, `Content-Length: ${times * megabyte.length}`]), megabyte, times),
    0,
  );

/** A WebSocket that sends a frame every 20 ms (RFC 6455, 4.2.2). */
const sendingSocket: Answer = (socket, request) => {
  const key = /^sec-websocket-key: *(\S+)/im.exec(request.head)?.[1];
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const shake = head(
    ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`],
    'HTTP/1.1 101 Switching Protocols',
  );
  const frame = Buffer.from('\x81\x05hello', 'latin1');
  send(
    socket,
    trickle(() => repeated(shake, frame, 10_000), 20),
    request,
  );
};

const pageFaults = (Object.keys(errorTable) as ErrorCode[]).filter(code => faultOf(code) === 'page');
const scripted = (text: string) => html(pageWith({ body: `<script>${text}</script>` }));
const images = (count: number, more = '') =>
  html(
    pageWith({
      body: Array.from({ length: count }, (_, n) => `<img src="dot.png?${n}" alt="" width="9" height="9"${more}>`).join(
        '',
      ),
    }),
  );

export const heavyPages: readonly Row[] = [
  {
    name: 'a fetch of 120 MB',
    answer: scripted(`fetch('large').then(answer => answer.blob());`),
    parts: { large: stream('application/octet-stream', 120) },
    expected: pageFaults,
    isRetryable: false,
  },
  {
    name: 'a fetch of 60 MB',
    answer: scripted(`fetch('large').then(answer => answer.blob());`),
    parts: { large: stream('application/octet-stream', 60) },
    ...measured,
  },
  {
    name: 'an image of 20 MB',
    answer: html(pageWith({ body: '<img src="large.bmp" alt="A square" width="300" height="300">' })),
    parts: { 'large.bmp': bitmap },
    ...measured,
  },
  {
    name: 'a video of 50 MB',
    answer: html(pageWith({ body: '<video src="large.mp4" autoplay muted width="300" height="200"></video>' })),
    parts: { 'large.mp4': stream('video/mp4', 50) },
    ...measured,
  },
  { name: '400 small resources', answer: images(400), ...measured },
  { name: '1,500 lazy images', answer: images(1500, ' loading="lazy"'), ...measured },
  {
    name: '3,000 console errors',
    answer: scripted(`for (let n = 0; n < 3000; n += 1) console.error('Error', n, { n });`),
    ...measured,
  },
  {
    name: 'an exception every 50 ms',
    answer: scripted(`setInterval(() => { throw new Error('again'); }, 50);`),
    ...measured,
  },
  {
    name: 'an inline script of 5 MB',
    answer: scripted('globalThis.n = (globalThis.n ?? 0) + 1;\n'.repeat(134_000)),
    ...measured,
  },
  {
    name: 'a script of 8 MB',
    answer: html(pageWith({ body: '<script src="app.js"></script>' })),
    parts: { 'app.js': script('globalThis.n = (globalThis.n ?? 0) + 1;\n'.repeat(210_000)) },
    ...measured,
  },
  {
    name: 'a stylesheet of 4 MB',
    answer: html(pageWith({ head: '<link rel="stylesheet" href="app.css">' })),
    parts: {
      'app.css': file(
        'text/css',
        Array.from({ length: 100_000 }, (_, n) => `.a${n} > b { color: red; margin: ${n}px }`).join('\n'),
      ),
    },
    ...measured,
  },
  {
    name: 'a data: image of 3 MB',
    answer: html(
      pageWith({
        body: `<img alt="A square" width="300" height="300" src="data:image/bmp;base64,${toBitmap(870).toString('base64')}">`,
      }),
    ),
    ...measured,
  },
  {
    name: 'a document of 8 MB',
    answer: html(
      pageWith({ body: `${'<p>Words of a long document, and so on.</p>'.repeat(10)}<!--${'x'.repeat(8e6)}-->` }),
    ),
    ...measured,
  },
  {
    name: 'a DOM 5,000 deep',
    answer: scripted(
      `let at = document.querySelector('main'); for (let n = 0; n < 5000; n += 1) at = at.appendChild(document.createElement('div')); at.textContent = 'deep';`,
    ),
    expected: ['measured', 'page_crashed'],
  },
  {
    name: 'a WebSocket that sends for ever',
    answer: scripted(`new WebSocket(location.href.replace('http', 'ws') + 'socket');`),
    parts: { socket: sendingSocket },
    ...measured,
  },
  {
    name: 'an event stream that never ends',
    answer: scripted(`new EventSource('events');`),
    parts: { events: trickle(() => repeated(head(['Content-Type: text/event-stream']), 'data: x\n\n', 2000), 100) },
    ...measured,
  },
  { name: 'a fetch every 200 ms', answer: scripted(`setInterval(() => fetch('next'), 200);`), ...measured },
  {
    name: 'a fetch every 20 ms',
    answer: scripted(`setInterval(() => fetch('dot.png?' + Math.random()), 20);`),
    ...measured,
  },
  {
    name: 'long polling of 25 s',
    answer: scripted(`(function poll() { fetch('wait').then(poll); })();`),
    parts: { wait: after(25_000, file('text/plain', 'x')) },
    ...measured,
  },
  {
    name: 'long polling of 2 s',
    answer: scripted(`(function poll() { fetch('wait').then(poll); })();`),
    parts: { wait: after(2000, file('text/plain', 'x')) },
    ...measured,
  },
  {
    name: 'the document never ends, all of it shown',
    answer: trickle(
      () => repeated(`${head(['Content-Type: text/html'])}${fine.slice(0, fine.indexOf('</main>'))}`, ' ', 200),
      1000,
    ),
    ...measured,
  },
  {
    name: '60 frames',
    answer: html(pageWith({ body: '<iframe src="next" title="A frame" width="9" height="9"></iframe>'.repeat(60) })),
    ...measured,
  },
  {
    name: '30 workers',
    answer: scripted(`for (let n = 0; n < 30; n += 1) new Worker('worker.js');`),
    parts: { 'worker.js': script(`setInterval(() => {}, 10);`) },
    ...measured,
  },
  { name: '4 MB in localStorage', answer: scripted(`localStorage.a = 'x'.repeat(4e6);`), ...measured },
  {
    name: '20,000 event listeners',
    answer: scripted(`for (let n = 0; n < 20000; n += 1) document.body.addEventListener('click', () => n);`),
    ...measured,
  },
  {
    name: 'scrolling that never ends',
    answer: scripted(
      `setInterval(() => { if (document.body.childElementCount < 3000) document.body.append(document.createElement('hr'), 'More'); scrollTo(0, 1e6); }, 50);`,
    ),
    ...measured,
  },
  {
    name: '2,000 web fonts of one family',
    answer: html(
      pageWith({
        head: `<style>${Array.from({ length: 2000 }, (_, n) => `@font-face { font-family: a; src: url(f${n}); unicode-range: U+${(n + 0x4e00).toString(16)} }`).join('')}</style>`,
      }),
    ),
    ...measured,
  },
  {
    name: 'JSON of 6 MB in a script element',
    answer: html(
      pageWith({
        body: `<script type="application/json">${JSON.stringify(Array.from({ length: 300_000 }, (_, n) => ({ n })))}</script>`,
      }),
    ),
    ...measured,
  },
];
