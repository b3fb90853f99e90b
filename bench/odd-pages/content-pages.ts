/** Pages with little to see, or with too much of something. */
import { createHash } from 'node:crypto';
import { type ErrorCode, errorTable, faultOf } from '../../src/contract/errors.ts';
import { fine, pageWith } from '../../test/faults/answer.ts';
import {
  type Answer,
  after,
  failed,
  file,
  further,
  head,
  html,
  join,
  measured,
  type Row,
  repeated,
  script,
  send,
  trickle,
} from './answers.ts';

const page = (body: string, parts: Row['parts'] = {}) => [html(pageWith({ body })), { parts }] as const;
const scripted = (text: string, parts: Row['parts'] = {}) => page(`<script>${text}</script>`, parts);
const empty = (bodyText: string, headText = '') =>
  html(pageWith({ head: headText }).replace(/<main>.*<\/main>/s, bodyText));
const styled = (css: string, body = '') => html(pageWith({ head: `<style>${css}</style>`, body }));
const words = '<h1>Content</h1><p>Words to read.</p>';
const show = `document.body.innerHTML = '${words}';`;
const later = (ms: number) => empty(`<script>setTimeout(() => { ${show} }, ${ms});</script>`);
const upon = (event: string, bodyText = '') =>
  empty(`${bodyText}<script>addEventListener('${event}', () => { ${show} });</script>`);
const onLoad = (text: string) => `<script>addEventListener('load', () => { ${text} });</script>`;
const sized = 'width="300" height="300"';
const paint = `const at = c.getContext('2d'); at.fillStyle = '#357'; at.fillRect(0, 0, 300, 300);`;
const paintGl = `const gl = c.getContext('webgl'); if (gl) { gl.clearColor(0, 1, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); }`;
const cover = 'position:fixed;inset:0;background:#fff';
const consent = `<div role="dialog" aria-label="Consent" style="${cover}"><button>Accept all</button></div>`;
const fadesIn = '@keyframes in { from { opacity: 0 } to { opacity: 1 } }';
const flicker = `<style>.hide { opacity: 0 !important }</style><script>document.documentElement.className = 'hide';
setTimeout(() => { document.documentElement.className = ''; }, 4000);</script>`;
const frame = '<iframe src="next" title="All of it" width="400" height="600"></iframe>';
const elsewhere = `<script>document.write('${frame}'.replace('next', 'http://localhost:' + location.port +
location.pathname + 'next'));</script>`;
const frames = '<frameset cols="50%,50%"><frame src="next"><frame src="next"></frameset>';

type Answers = Readonly<Record<string, Answer>>;
const rowsOf = (expected: Row['expected'], answers: Answers): Row[] =>
  Object.entries(answers).map(([name, answer]) => failed(expected, name, answer));

const blank: Answers = {
  'empty body': empty(''),
  'only a background colour': empty('', '<style>body { background: #357; height: 100vh }</style>'),
  'display none for ever': styled('body { display: none }'),
  'opacity 0 for ever': styled('body { opacity: 0 }'),
  // Chromium reports no paint for an animation by its compositor.
  'fades in by an animation after 3 s': styled(`${fadesIn} body { opacity: 0; animation: in 1s 3s forwards }`),
};
const blankToo: Answers = {
  'visibility hidden for ever': styled('body { visibility: hidden }'),
  'content far outside of the window': styled('main { position: absolute; left: -99999px }'),
  'words of size 0': styled('* { font-size: 0 !important }'),
  'only a gradient': empty('', '<style>body { background: linear-gradient(red, blue); height: 100vh }</style>'),
  'only noscript': empty(`<noscript>${words}</noscript>`),
  'only a template': empty(`<template>${words}</template>`),
  'content after the first scroll': upon('scroll', '<div style="height:300vh"></div>'),
  'content after a click': upon('click'),
  'unclosed title': html(fine.replace('</title>', '')),
  'unclosed script': html(fine.replace('<main>', '<script>')),
  'unclosed comment': html(fine.replace('<main>', '<!-- ')),
};

/** Browsers show these. Lighthouse has no performance score for those without words and images. */
const shown: Answers = {
  'white words on white': styled('* { color: #fff; background: #fff }'),
  'fades in by an animation of 1 s': styled(`${fadesIn} body { animation: in 1s }`),
  'fades in by a transition after the load': styled(
    'body { opacity: 0; transition: opacity .5s } .ready { opacity: 1 }',
    onLoad(`document.body.classList.add('ready');`),
  ),
  'an anti-flicker snippet of 4 s': html(pageWith({ head: flicker })),
  'only a canvas': empty(`<canvas id="c" ${sized}></canvas><script>${paint}</script>`),
  'only WebGL': empty(`<canvas id="c" ${sized}></canvas><script>${paintGl}</script>`),
  'only inline SVG': empty(`<svg ${sized} role="img" aria-label="A square"><rect ${sized} fill="#357"/></svg>`),
  'only an image': empty(`<img src="dot.png" alt="A dot" ${sized}>`),
  'only an input field': empty('<input aria-label="Search" placeholder="Search">'),
  'content after 5 s': later(5_000),
  'content after 20 s': later(20_000),
  'a consent overlay': html(pageWith({ body: consent })),
  'a document of one word, without a tag': html('Hello'),
};
const shownToo: Answers = {
  'only blanks': empty('&nbsp; &nbsp;<br>'),
  'transparent words': styled('* { color: transparent !important }'),
  'opacity 0.01': styled('body { opacity: .01 }'),
  'visible once its web font is there': styled(
    'body { visibility: hidden }',
    onLoad(`document.fonts.ready.then(() => { document.body.style.visibility = 'visible'; });`),
  ),
  'only inline SVG with words': empty(`<svg ${sized}><text y="50">Words in SVG</text></svg>`),
  'only a background image': empty('', `<style>body { background: url('dot.png'); height: 100vh }</style>`),
  'only a broken image': empty(`<img src="next" alt="A picture that is not there" ${sized}>`),
  'only ::before words': empty('', '<style>body::before { content: "Words of the style" }</style>'),
  'only an emoji': empty('🙂'),
  'only a dot': empty('.'),
  'only a dialog': empty(`<dialog id="d">${words}</dialog><script>d.showModal();</script>`),
  'only a shadow root': empty(`<div><template shadowrootmode="open">${words}</template></div>`),
  'content only with a mouse, else a hint': upon('mousemove', '<p>Move the mouse</p>'),
  'a preloader for ever': html(pageWith({ body: `<div style="${cover}"></div>` })),
  'a document without html, head or body': html('<title>Short</title><h1>Short</h1>'),
  'NUL bytes in the document': html(fine.replaceAll(' ', ' \0')),
};
const perhapsShown: Answers = {
  'only a frame with words': empty(frame),
  'a frameset': html(`<!doctype html><html lang="en"><head><title>Frames</title></head>${frames}</html>`),
};
const perhapsShownToo: Answers = {
  'only a video without a file': empty(`<video src="next" ${sized} controls></video>`),
  'only a frame of another site': empty(elsewhere),
  'only a horizontal rule': empty('<hr>'),
  'only a list bullet': empty('<ul><li></li></ul>'),
};
const slowScript = after(8000, script(`document.querySelector('h1').textContent = 'Ready';`));

export const blankPages: readonly Row[] = [
  ...rowsOf('page_blank', blank),
  ...rowsOf('measured', shown),
  ...rowsOf(['measured', 'page_blank'], perhapsShown),
  // Lighthouse waits 30 s for content.
  failed(['page_blank', 'page_timeout'], 'content after 40 s', later(40_000)),
  measured(
    'content of the next request, after 8 s',
    ...page('<script src="app.js"></script>', { 'app.js': slowScript }),
  ),
  ...further([
    ...rowsOf('page_blank', blankToo),
    ...rowsOf('measured', shownToo),
    ...rowsOf(['measured', 'page_blank'], perhapsShownToo),
  ]),
];

/** A square bitmap without compression. */
function toBitmap(side: number): Buffer {
  const start = Buffer.alloc(54);
  const pixels = Buffer.alloc(side * side * 3, 0x5a);
  start.write('BM');
  // The bytes of the file, the start of its pixels, the bytes of the second head, width, height; planes, bits.
  for (const [at, value] of [
    [2, 54 + pixels.length],
    [10, 54],
    [14, 40],
    [18, side],
    [22, side],
  ] as const)
    start.writeUInt32LE(value, at);
  for (const [at, value] of [
    [26, 1],
    [28, 24],
  ] as const)
    start.writeUInt16LE(value, at);
  return join(start, pixels);
}

const megabyte = Buffer.alloc(1024 * 1024, 'x');
const stream = (type: string, times: number): Answer => {
  const start = head([`Content-Type: ${type}`, `Content-Length: ${times * megabyte.length}`]);
  return trickle(() => repeated(start, megabyte, times), 0);
};
const events = trickle(() => repeated(head(['Content-Type: text/event-stream']), 'data: x\n\n', 2000), 100);

/** A WebSocket that sends a frame every 20 ms (RFC 6455, 4.2.2). */
const sendingSocket: Answer = (socket, request) => {
  const key = /^sec-websocket-key: *(\S+)/im.exec(request.head)?.[1];
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const lines = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
  const start = head(lines, 'HTTP/1.1 101 Switching Protocols');
  send(
    socket,
    trickle(() => repeated(start, Buffer.from('\x81\x05hello', 'latin1'), 10_000), 20),
    request,
  );
};

const pageFaults = (Object.keys(errorTable) as ErrorCode[]).filter(code => faultOf(code) === 'page');
const times = (count: number, toText: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => toText(n)).join('\n');
const images = (count: number, more = '') =>
  page(times(count, n => `<img src="dot.png?${n}" alt="" width="9" height="9" ${more}>`));
const count = (lines: number) => 'globalThis.n = (globalThis.n ?? 0) + 1;\n'.repeat(lines);
const fetchLarge = (megabytes: number) =>
  scripted(`fetch('large').then(answer => answer.blob());`, { large: stream('application/octet-stream', megabytes) });
const poll = (ms: number) =>
  scripted(`(function poll() { fetch('wait').then(poll); })();`, { wait: after(ms, file('text/plain', 'x')) });
const nest = `let at = document.querySelector('main');
for (let n = 0; n < 5000; n += 1) at = at.appendChild(document.createElement('div')); at.textContent = 'deep';`;
const grow = `setInterval(() => { scrollTo(0, 1e6); if (document.body.childElementCount < 3000)
document.body.append(document.createElement('hr'), 'More'); }, 50);`;
const unended = `${head(['Content-Type: text/html'])}${fine.slice(0, fine.indexOf('</main>'))}`;
const bitmap = {
  'large.bmp': ((socket, request) => send(socket, file('image/bmp', toBitmap(2600)), request)) as Answer,
};
const rules = {
  'app.css': file(
    'text/css',
    times(100_000, n => `.a${n} > b { color: red; margin: ${n}px }`),
  ),
};
const inlineImage = `<img alt="A square" ${sized} src="data:image/bmp;base64,${toBitmap(870).toString('base64')}">`;
const listen = `for (let n = 0; n < 20000; n += 1) document.body.addEventListener('click', () => n);`;
const fonts = (n: number) =>
  `@font-face { font-family: a; src: url(f${n}); unicode-range: U+${(n + 0x4e00).toString(16)} }`;

export const heavyPages: readonly Row[] = [
  measured('a fetch of 120 MB', fetchLarge(120)[0], {
    ...fetchLarge(120)[1],
    expected: pageFaults,
    isRetryable: false,
  }),
  measured('a fetch of 60 MB', ...fetchLarge(60)),
  measured('an image of 20 MB', ...page(`<img src="large.bmp" alt="A square" ${sized}>`, bitmap)),
  measured('400 small resources', ...images(400)),
  measured('3,000 console errors', ...scripted(`for (let n = 0; n < 3000; n += 1) console.error('Error', n, { n });`)),
  measured('an inline script of 5 MB', ...scripted(count(134_000))),
  measured('a data: image of 3 MB', ...page(inlineImage)),
  failed(['measured', 'page_crashed'], 'a DOM 5,000 deep', ...scripted(nest)),
  measured(
    'a WebSocket that sends for ever',
    ...scripted(`new WebSocket(location.href.replace('http', 'ws') + 'socket');`, { socket: sendingSocket }),
  ),
  measured('an event stream that never ends', ...scripted(`new EventSource('events');`, { events })),
  measured('a fetch every 200 ms', ...scripted(`setInterval(() => fetch('next'), 200);`)),
  measured('long polling of 25 s', ...poll(25_000)),
  measured('60 frames', ...page('<iframe src="next" title="A frame" width="9" height="9"></iframe>'.repeat(60))),
  ...further([
    measured(
      'a video of 50 MB',
      ...page('<video src="large.mp4" autoplay muted width="300"></video>', { 'large.mp4': stream('video/mp4', 50) }),
    ),
    measured('1,500 lazy images', ...images(1500, 'loading="lazy"')),
    measured('an exception every 50 ms', ...scripted(`setInterval(() => { throw new Error('again'); }, 50);`)),
    measured('a script of 8 MB', ...page('<script src="app.js"></script>', { 'app.js': script(count(210_000)) })),
    measured('a stylesheet of 4 MB', ...page('<link rel="stylesheet" href="app.css">', rules)),
    measured('a document of 8 MB', ...page(`<!--${'x'.repeat(8e6)}-->`)),
    measured('a fetch every 20 ms', ...scripted(`setInterval(() => fetch('dot.png?' + Math.random()), 20);`)),
    measured('long polling of 2 s', ...poll(2000)),
    measured(
      'the document never ends, all of it shown',
      trickle(() => repeated(unended, ' ', 200), 1000),
    ),
    measured(
      '30 workers',
      ...scripted(`for (let n = 0; n < 30; n += 1) new Worker('app.js');`, {
        'app.js': script('setInterval(() => {}, 10);'),
      }),
    ),
    measured('4 MB in localStorage', ...scripted(`localStorage.a = 'x'.repeat(4e6);`)),
    measured('20,000 event listeners', ...scripted(listen)),
    measured('scrolling that never ends', ...scripted(grow)),
    measured('2,000 web fonts of one family', styled(times(2000, fonts))),
    measured(
      'JSON of 6 MB in a script element',
      ...page(`<script type="application/json">[${'{"n":123456},'.repeat(430_000)}0]</script>`),
    ),
  ]),
];
