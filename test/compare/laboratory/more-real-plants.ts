/** Further differences planted into real loads, on other pages and of other kinds than in real-plants.ts. */
import { gzipSync } from 'node:zlib';
import { noCausePage, noStatement, type RealPlant } from './real-plants.ts';
import { busyFor, css, type File, type Files, html, png, script, toPage } from './site.ts';

/** A picture of one colour and of so many bytes: 380 by 380 px, the rest of the file is what readers skip. */
function toWebp(bytes: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(379 | (379 << 14) | (1 << 28));
  const image = Buffer.concat([Buffer.from('2f', 'hex'), size, Buffer.from('071011118888fe0700', 'hex')]);
  const chunk = (name: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(name), length, data]);
  };
  const chunks = [chunk('VP8L', image), chunk('EXIF', Buffer.alloc(bytes, 'x'))];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

const webp = (bytes: number): File => ({ type: 'image/webp', body: toWebp(bytes) });
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const toFiles = (count: number, toPath: (at: number) => string, make: (at: number) => File): Files =>
  Object.fromEntries(times(count, at => [toPath(at), make(at)]));

const plain = html(toPage());
const hero = '<img src="hero.png" alt="A boat" width="360" height="360">';
const withHero = html(toPage({ body: hero }));
const fromCdn = html(
  toPage({ body: '<img src="http://cdn.boats.example/webp/hero" alt="A boat" width="360" height="360">' }),
);
const tagged = html(toPage({ head: '<script src="http://tags.example.net/blocked-tag/tag.js" async></script>' }));
const sheet = `body{font:18px/1.5 sans-serif;margin:0 auto;max-width:60em;background:#f6f9fb}
h1{font-size:44px;color:#134}p{padding:1em;background:#fff}/*${'x'.repeat(20_000)}*/`;
const styled = html(toPage({ head: '<link rel="stylesheet" href="shop.css">', body: hero }));
const toCards = (count: number) =>
  `<ul>${times(count, at => `<li><h2>Boat ${at}</h2><p>${4 + at} m, made of <b>oak</b>.</p></li>`).join('')}</ul>`;
const pictures = `${times(3, at => `<img src="${at}.png" alt="Boat ${at}" width="110" height="110">`).join('')}`;
const withPictures = (extra: Partial<File>): Files => ({
  '/': html(toPage({ head: '<link rel="stylesheet" href="shop.css">', body: pictures }), extra),
  '/shop.css': css('h1{color:#134}'),
  ...toFiles(
    3,
    at => `/${at}.png`,
    at => png(30_000 + at),
  ),
});
const lazyLoader = script(
  `addEventListener('load', () => document.querySelectorAll('[data-src]').forEach(i => { i.src = i.dataset.src; }));`,
);
const withLazyHero = (attribute: 'src' | 'data-src'): Files => ({
  '/': html(
    toPage({
      head: '<script src="lazy.js" defer></script>',
      body: `<img ${attribute}="hero.png" alt="A boat" width="360" height="360">`,
    }),
  ),
  '/lazy.js': lazyLoader,
  '/hero.png': png(250_000),
});
const withFont = html(
  toPage({
    head: `<style>@font-face{font-family:Keel;src:url(http://fonts.example.net/slow-font/keel.woff2);font-display:block}
body{font-family:Keel,serif}</style>`,
  }),
);
const font = (delayMs: number): File => ({ type: 'font/woff2', body: Buffer.alloc(24_000, 'k'), delayMs });
const fillSlot = script(
  `setTimeout(() => { document.querySelector('#slot').innerHTML = '<div style="height:320px;background:#fd0">Ad</div>'; }, 700);`,
);
const withSlot = (style: string): Files => ({
  '/': html(
    toPage({
      head: '<link rel="stylesheet" href="shop.css"><script src="ads.js" defer></script>',
      body: pictures,
    }).replace('<h1>', '<div id="slot"></div><h1>'),
  ),
  '/shop.css': css(style),
  '/ads.js': fillSlot,
  ...toFiles(
    3,
    at => `/${at}.png`,
    at => png(30_000 + at),
  ),
});
/** As the code of many shops: it packs to a third. */
const code = times(6000, at => `export const boat${at} = { length: ${at * 7}, sail: '${(at * 7919) % 97}' };`).join(
  '\n',
);
const unpacked = html(toPage({ head: '<script type="module" src="shop.js"></script>', body: hero }));
const tracked = html(
  toPage({
    body: times(40, at => `<img src="http://pixel.example.net/trackers/${at}.png" alt="" width="1" height="1">`).join(
      '',
    ),
  }),
);
const buying = (inline: string) => html(toPage({ body: `${hero}<script>${inline}</script>` }));
const consentScript = script(`addEventListener('load', () => document.body.insertAdjacentHTML('beforeend',
'<div role="dialog" aria-label="Consent" style="position:fixed;inset:0;background:#eef;padding:3em;z-index:9"><h2>Your choice</h2><p>' +
'We and our 611 partners keep and read data on your device. '.repeat(8) + '</p><button>Agree</button></div>'));`);
const animated = html(
  toPage({
    head: '<style>@keyframes sail{to{transform:translateX(200px)}}.boat{animation:sail 2s infinite alternate;width:80px}</style>',
    body: `<div class="boat">Boat</div><p id="clock">0</p>
<script>setInterval(() => { document.querySelector('#clock').textContent = String(Date.now()); }, 100);</script>`,
  }),
);
const random = {
  '/': html(() => {
    const drawn = times(12, () => Math.floor(Math.random() * 1000));
    const offers = drawn.map(at => `<li><a href="boat-${at}">Boat ${at}, ${at % 37} m</a></li>`).join('');
    return toPage({
      body: `<ul>${offers}</ul>${drawn
        .slice(0, 4)
        .map(at => `<img src="${at % 9}.png?n=${at}" alt="Boat ${at}" width="110" height="110">`)
        .join('')}`,
    });
  }),
  ...toFiles(
    9,
    at => `/${at}.png`,
    at => png(20_000 + 9000 * at),
  ),
};
const small = {
  '/': html(
    toPage({
      head: times(10, at => `<link rel="stylesheet" href="${at}.css">`).join(''),
      body: `${times(35, at => `<img src="${at}.png" alt="" width="40" height="40">`).join('')}
${times(15, at => `<script src="${at}.js" defer></script>`).join('')}`,
    }),
  ),
  ...toFiles(
    10,
    at => `/${at}.css`,
    at => css(`.c${at}{color:#13${at}}`),
  ),
  ...toFiles(
    35,
    at => `/${at}.png`,
    at => png(1500 + 100 * at),
  ),
  ...toFiles(
    15,
    at => `/${at}.js`,
    at => script(`${busyFor(4)}//${at}`),
  ),
};

/** That the two pages are not one, and in what. */
const pageIn = (what: string): RegExp => new RegExp(`(not load the same page|different pages?)[^.]*.*(${what})`, 'i');
const noCause = /no known cause/;
const scripts = (ms: number): Files => ({
  '/': html(toPage({ body: '<script src="app.js" defer></script>' })),
  '/app.js': script(busyFor(ms)),
});
const same = (name: string, planted: string, files: Files): RealPlant => ({
  name,
  planted: `nothing: ${planted}`,
  local: files,
  remote: files,
  first: noStatement,
  never: noCausePage,
});

export const moreRealPlants: readonly RealPlant[] = [
  {
    name: 'webp',
    planted: 'the remote side gets the picture as WebP of 60 KB in place of PNG of 700 KB',
    local: { '/': fromCdn, 'cdn.boats.example/hero': png(700_000) },
    remote: { '/': fromCdn, 'cdn.boats.example/hero': webp(60_000) },
    first: pageIn('hero'),
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'blocked-tag',
    planted: 'a script of a third party is blocked on the local side',
    local: { '/': tagged, 'tags.example.net/tag.js': { ...script(''), isCut: true } },
    remote: { '/': tagged, 'tags.example.net/tag.js': script(busyFor(400)) },
    first: pageIn('tags\\.example\\.net'),
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'inline-700',
    planted: '700 ms of script within the document on the remote side',
    local: { '/': buying(busyFor(1)), '/hero.png': png(80_000) },
    remote: { '/': buying(busyFor(700)), '/hero.png': png(80_000) },
    first: /(not load the same page|different pages?|script).*(script|document|main thread|\bms\b)/i,
    never: /CPU throttling|no known cause/i,
  },
  {
    name: 'late-page',
    planted: '+900 ms on the document on the local side, a page without script',
    local: withPictures({ delayMs: 900 }),
    remote: withPictures({}),
    first: /server/i,
    never: /CPU throttling|not load the same/i,
  },
  {
    name: 'no-style',
    planted: 'a 404 for the style sheet on the local side',
    local: { '/': styled, '/hero.png': png(80_000) },
    remote: { '/': styled, '/hero.png': png(80_000), '/shop.css': css(sheet) },
    first: pageIn('404.*shop\\.css|shop\\.css.*404'),
    never: noCause,
  },
  {
    name: 'french',
    planted: 'the page in French on the local side',
    local: {
      '/': html(
        toPage({
          lang: 'fr',
          title: 'Le magasin des bateaux',
          heading: 'Des bateaux pour toutes les eaux',
          text: 'Des barques, des voiliers et tout ce qu’il leur faut, faits à la main. ',
          body: hero,
        }),
      ),
      '/hero.png': png(80_000),
    },
    remote: { '/': withHero, '/hero.png': png(80_000) },
    first: pageIn('language|title|text|bateaux|barques'),
    never: noCause,
  },
  {
    name: 'cmp-layer',
    planted: 'a script of a third party lays a consent layer over the page on the local side',
    local: {
      '/': html(toPage({ head: '<script src="http://cmp.example.net/cmp-layer/cmp.js" async></script>', body: hero })),
      '/hero.png': png(120_000),
      'cmp.example.net/cmp.js': consentScript,
    },
    remote: { '/': withHero, '/hero.png': png(120_000) },
    first: pageIn('cmp\\.example\\.net|consent'),
  },
  {
    name: 'wall-200',
    planted: 'a robot check with status 200 and a spinning script on the remote side',
    local: { '/': html(toPage({ body: hero + toCards(20) })), '/hero.png': png(300_000) },
    remote: {
      '/': html(
        toPage({
          title: 'Just a moment...',
          heading: 'Checking your browser',
          text: 'This takes a few seconds. ',
          body: `<script>${busyFor(300)}</script>`,
        }),
      ),
    },
    first: pageIn('hero|Just a moment|title|text|robot'),
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'wall-denied',
    planted: 'a robot check with status 403 in place of the document on the remote side',
    local: { '/': withHero, '/hero.png': png(100_000) },
    remote: { '/': html(toPage({ title: 'Denied', heading: 'Who are you?', text: 'No robots. ' }), { status: 403 }) },
    first: /403/,
  },
  {
    name: 'redirect',
    planted: 'the remote side is sent to /m/',
    local: { '/': html(toPage({ body: hero + toCards(30) })), '/hero.png': png(250_000) },
    remote: {
      '/': { type: 'text/plain', body: '', status: 302, headers: { location: 'm/' } },
      '/m/': html(toPage({ body: hero + toCards(8) })),
      '/m/hero.png': png(90_000),
    },
    first: pageIn('/m/'),
    never: noCause,
  },
  {
    name: 'slow-font',
    planted: 'a font of a third party comes 1.8 s late on the remote side',
    local: { '/': withFont, 'fonts.example.net/keel.woff2': font(0) },
    remote: { '/': withFont, 'fonts.example.net/keel.woff2': font(1800) },
    first: /server.*(fonts\.example\.net|keel)|both sides score/i,
    never: /CPU throttling|not load the same|no known cause/i,
  },
  {
    name: 'lazy-hero',
    planted: 'the largest picture is loaded by a script, after everything else, on the local side',
    local: withLazyHero('data-src'),
    remote: withLazyHero('src'),
    first: /(not load the same page|different pages?).*hero|both sides score/i,
    never: /no known cause|CPU throttling|server/i,
  },
  {
    name: 'ad-slot',
    planted: 'no room is kept for an ad on the remote side: the page moves',
    local: withSlot('#slot{min-height:320px}'),
    remote: withSlot('#slot{min-height:0}'),
    first: /(not load the same page|different pages?).*(shop\.css|mov|shift)/i,
    never: /no known cause|CPU throttling|server/i,
  },
  {
    name: 'no-gzip',
    planted: 'the script is not packed on the local side',
    local: { '/': unpacked, '/shop.js': script(code), '/hero.png': png(60_000) },
    remote: {
      '/': unpacked,
      '/shop.js': { ...script(''), body: gzipSync(code), headers: { 'content-encoding': 'gzip' } },
      '/hero.png': png(60_000),
    },
    first: /the same files with different compression: \S*shop\.js transferred/,
    never: noCause,
  },
  {
    name: 'older',
    planted: 'an older document with 8 offers in place of 40 on the remote side',
    local: { '/': html(toPage({ body: toCards(40) })) },
    remote: { '/': html(toPage({ body: toCards(8) })) },
    first: pageIn('elements|text|document has'),
    never: noCause,
  },
  {
    name: 'basket',
    planted: 'a script throws on the local side',
    local: { '/': buying('window.shop.basket.open();'), '/hero.png': png(80_000) },
    remote: { '/': buying('window.shop = { basket: {} };'), '/hero.png': png(80_000) },
    first: /console|error|threw|throws|exception/i,
    never: noCause,
  },
  {
    name: 'hidden',
    planted: 'robots are told not to index the page on the remote side',
    local: { '/': withHero, '/hero.png': png(80_000) },
    remote: {
      '/': html(toPage({ head: '<meta name="robots" content="noindex">', body: hero })),
      '/hero.png': png(80_000),
    },
    categories: 'performance,seo',
    first: /noindex|index|crawl|robots/i,
    never: noCause,
  },
  {
    name: 'nameless',
    planted: 'the document has no title on the remote side',
    local: { '/': withHero, '/hero.png': png(80_000) },
    remote: { '/': html(toPage({ body: hero }).replace(/<title>.*<\/title>/, '')), '/hero.png': png(80_000) },
    first: /title/i,
    never: noCause,
  },
  {
    name: 'trackers',
    planted: '40 more requests of a third party on the local side',
    local: {
      '/': tracked,
      ...toFiles(
        40,
        at => `pixel.example.net/${at}.png`,
        at => png(900 + at),
      ),
    },
    remote: { '/': plain },
    first: pageIn('pixel\\.example\\.net|40'),
    never: noCause,
  },
  {
    name: 'settings',
    planted: 'the settings alone: one side slows its processor down 4 times, the other 1.2 times',
    local: { ...scripts(250), '/hero.png': png(80_000) },
    remote: { ...scripts(250), '/hero.png': png(80_000) },
    profile: 'lighthouse',
    first: /CPU throttling/i,
    never: /not load the same|different pages?|no known cause/i,
  },
  same('light', 'a light page', { '/': html(toPage({ body: toCards(5) })) }),
  same('second', '1 s of script', scripts(1000)),
  same('heavy', 'a picture of 3 MB and a style sheet', {
    '/': styled,
    '/hero.png': png(3_000_000),
    '/shop.css': css(sheet),
  }),
  same('animated', 'a page that moves and changes all the time', { '/': animated }),
  // One load of each side cannot tell that the pictures are drawn by lot.
  { ...same('random', 'other offers and pictures on every load', random), runs: 3 },
  same('small-files', '60 small files', small),
];
