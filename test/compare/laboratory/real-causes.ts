/** Real loads of causes that were named wrongly or in part; The plants have them as edited results, too. */
import { noStatement, type RealPlant } from './real-plants.ts';
import { busyFor, type Files, html, png, script, toPage } from './site.ts';

const json = { type: 'application/json', body: '{"boats":12}' };
const plain = html(toPage());
const withScript = (module = false) =>
  html(toPage({ body: `<script ${module ? 'type="module"' : 'defer'} src="app.js"></script>` }));

/** So much work after an answer: no script is on the stack then, and Lighthouse names no file. */
const behindAnswer = (ms: number): Files => ({
  '/': withScript(),
  '/app.js': script(`fetch('stock.json').then(answer => answer.json()).then(() => ${busyFor(ms)});`),
  '/stock.json': json,
});
const importedLate = (ms: number): Files => ({
  '/': withScript(true),
  '/app.js': script(`setTimeout(() => import('./chunk.js').then(chunk => chunk.run()), 300);`),
  '/chunk.js': script(`export function run() {${busyFor(ms)}}`),
});
const inBlob = (ms: number): Files => ({
  '/': withScript(),
  '/app.js': script(
    `setTimeout(() => { const made = document.createElement('script');
made.src = URL.createObjectURL(new Blob([${JSON.stringify(busyFor(ms))}])); document.body.append(made); }, 400);`,
  ),
});
/** A picture above the text, with its place kept or not. */
const unsized = (size: string): Files => ({
  '/': html(toPage().replace('<h1>', `<img src="hero.png" alt="A boat" ${size} style="width:100%;height:auto"><h1>`)),
  '/hero.png': png(120_000, { delayMs: 600 }),
});
const lateStrip = (room: string): Files => ({
  '/': html(
    toPage({
      body: `<script>const main = document.querySelector('main');
const strip = document.createElement('div'); strip.className = 'strip'; strip.style.minHeight = '${room}';
main.prepend(strip);
setTimeout(() => { strip.style.minHeight = '280px'; strip.textContent = 'Free delivery this week'; }, 250);</script>`,
    }),
  ),
});
const chat: Files = {
  '/': html(toPage({ body: '<script src="http://chat.example.net/throttled-chat/widget.js" async></script>' })),
  'chat.example.net/widget.js': script(busyFor(250)),
};
const heroTag = (attributes: string) =>
  html(toPage({ body: `<img src="hero.png" alt="A boat at sea" width="380" height="500" ${attributes}>` }));
const aside = /no known cause|simulation|disturbed|run-to-run noise|machines|noise/i;

export const realCauses: readonly RealPlant[] = [
  {
    name: 'behind-an-answer',
    planted: 'local: 700 ms of script after fetch().then',
    local: behindAnswer(700),
    remote: behindAnswer(5),
    first: /script that names no file/i,
    never: aside,
  },
  {
    name: 'imported-late',
    planted: 'remote: 700 ms of script in a chunk that is imported late',
    local: importedLate(5),
    remote: importedLate(700),
    first: /script that names no file/i,
    never: aside,
  },
  {
    name: 'made-script',
    planted: 'local: 700 ms in a script of a blob',
    local: inBlob(700),
    remote: inBlob(5),
    first: /script that names no file/i,
    never: aside,
  },
  {
    name: 'unsized-picture',
    planted: 'local: a picture without dimensions pushes the text down',
    local: unsized(''),
    remote: unsized('width="380" height="380"'),
    first: /layout shifts \(0(\.0\d*)? (on|with) [^,]+, 0\.\d+ in local Lighthouse; .*moved/i,
    never: /no known cause|disturbed|run-to-run noise|machines/i,
  },
  {
    name: 'late-strip',
    planted: 'remote: a strip of text pushes the page down, for which this side keeps room',
    local: lateStrip('280px'),
    remote: lateStrip('0'),
    first: /layout shifts \(0\.\d+ (on|with) [^,]+, 0(\.0\d*)? in local Lighthouse/i,
    never: /no known cause|disturbed|run-to-run noise|machines/i,
  },
  {
    name: 'throttled-chat',
    planted: 'local: 4 times slower, and a chat script of 250 ms',
    profile: 'lighthouse',
    local: chat,
    remote: { '/': plain },
    first: /chat\.example\.net\S* loaded only in local Lighthouse.*a different page explains/i,
    never: /CPU.{0,40} (explains (\d\d|the whole)|costs)|no known cause|disturbed|noise/i,
  },
  {
    name: 'loading-lazy',
    planted: 'local: loading=lazy for the largest picture',
    local: { '/': heroTag('loading="lazy"'), '/hero.png': png(700_000) },
    remote: { '/': heroTag(''), '/hero.png': png(700_000) },
    first: /the largest image loads lazily \(loading=lazy\) only in local Lighthouse/i,
    never: aside,
  },
  {
    name: 'hinted-hero',
    planted: 'remote: fetchpriority=high for the largest picture',
    local: { '/': heroTag(''), '/hero.png': png(700_000) },
    remote: { '/': heroTag('fetchpriority="high"'), '/hero.png': png(700_000) },
    first: /largest image has fetchpriority=high only (on|with)/i,
    never: aside,
  },
  {
    name: 'script-policy',
    planted: 'local: a content security policy refuses the script',
    categories: 'performance,best-practices',
    local: {
      '/': html(toPage({ body: '<script defer src="app.js"></script>' }), {
        headers: { 'content-security-policy': "script-src 'none'" },
      }),
      '/app.js': script(busyFor(60)),
    },
    remote: { '/': withScript(), '/app.js': script(busyFor(60)) },
    first: /^A content security policy blocked .*app\.js only in local Lighthouse/,
    never: aside,
  },
  {
    name: 'same-behind-an-answer',
    planted: 'nothing: 600 ms of script after fetch().then on both sides',
    local: behindAnswer(600),
    remote: behindAnswer(600),
    first: noStatement,
  },
];
